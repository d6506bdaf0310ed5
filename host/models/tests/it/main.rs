//! Providers against real loopback servers.

mod anthropic_replies;
mod anthropic_requests;
mod echoes;
mod failures;
mod openai;
mod server;
