//! Providers against real loopback servers.

mod anthropic_replies;
mod anthropic_requests;
mod bulk;
mod cassette;
mod chat_tools;
mod conversation;
mod echoes;
mod failures;
mod loopback;
mod openai;
mod pauses;
mod server;
mod spending;
mod streaming;
mod streaming_failures;
