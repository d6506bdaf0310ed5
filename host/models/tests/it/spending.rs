//! What a request used is told, whatever became of it.

use crate::anthropic_requests::{KEY, config, good, model, request};
use crate::server::{Act, Server};
use proptest::prelude::*;
use ringfence_models::{
    AnthropicConfig, Catalogue, MicroDollars, Model, ModelError, OpenAi, OpenAiConfig, Reply, Request,
    Secret, Spending, Transport, Usage,
};
use serde_json::{Value, json};
use std::time::Duration;

fn events(events: &[Value]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

/// The beginning of a stream: the prompt is counted, and these words are written.
fn begun(input: u64, words: &str) -> Vec<Value> {
    let usage = json!({ "input_tokens": input, "output_tokens": 1 });
    vec![
        json!({ "type": "message_start", "message": { "model": "m", "content": [], "usage": usage } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": words } }),
    ]
}

/// The same up to the count of what was written.
fn counted(input: u64, output: u64, stop: &str) -> Vec<Value> {
    let delta = json!({ "type": "message_delta", "delta": { "stop_reason": stop },
                        "usage": { "output_tokens": output } });
    begun(input, "some words").into_iter().chain([delta]).collect()
}

fn ended(input: u64, output: u64, stop: &str) -> Act {
    let whole: Vec<Value> =
        counted(input, output, stop).into_iter().chain([json!({ "type": "message_stop" })]).collect();
    stream(&whole)
}

fn stream(told: &[Value]) -> Act {
    Act::Answer(200, vec![("content-type", "text/event-stream".to_owned())], events(told))
}

fn spent(outcome: &Result<Reply, ModelError>) -> Usage {
    match outcome {
        Ok(reply) => reply.usage,
        Err(error) => error.spending().usage,
    }
}

async fn ask(server: &Server) -> Result<Reply, ModelError> {
    model(config(&server.url())).complete(request()).await
}

#[tokio::test]
async fn an_answer_tells_what_the_tries_before_it_used_too() {
    let server = Server::start([
        Act::Cut(events(&counted(100, 40, "end_turn"))),
        Act::json(529, json!({ "error": { "type": "overloaded_error", "message": "later" } })),
        good("{}"),
    ]);
    let reply = ask(&server).await.unwrap();
    assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (110, 45));
    assert_eq!(reply.cost, Some(MicroDollars(110 * 2 + 45 * 10)));
}

#[tokio::test]
async fn an_error_tells_what_all_its_tries_used() {
    let words = "x".repeat(300);
    let server = Server::start((0..3).map(|_| Act::Cut(events(&begun(100, &words)))));
    let transport = Transport { attempts: 3, ..config("").transport };
    let config = AnthropicConfig { transport, ..config(&server.url()) };
    let error = model(config).complete(request()).await.unwrap_err();
    assert!(matches!(error.cause(), ModelError::Unreachable { .. }) && error.is_transient(), "{error}");
    assert!(error.to_string().ends_with("tried 3 times"), "{error}");
    let Spending { usage, cost } = error.spending();
    // The server had only counted the prompt: what was heard of the reply is estimated.
    assert_eq!((usage.input_tokens, usage.output_tokens), (300, 300));
    assert_eq!(cost, Some(MicroDollars(300 * 2 + 300 * 10)));
}

#[tokio::test]
async fn a_try_that_the_budget_has_no_room_for_isnt_made() {
    let busy = || Act::json(529, json!({ "error": { "type": "overloaded_error", "message": "later" } }));
    let cut = || Act::Cut(events(&counted(100, 40, "end_turn")));
    let server = Server::start([busy(), cut(), busy(), cut(), good("{}")]);
    let bounded = Request { tries: Some(2), ..request() };
    let error = model(config(&server.url())).complete(bounded).await.unwrap_err();
    assert!(error.is_transient() && error.to_string().ends_with("no room for another try"), "{error}");
    assert_eq!(error.spending().usage.output_tokens, 80);
    assert_eq!(server.seen().len(), 4, "what was turned away cost nothing");
}

#[tokio::test]
async fn an_answer_that_stops_coming_has_used_what_was_heard_of_it() {
    for act in [Act::SilenceInBody, Act::Endless] {
        let server = Server::start([act]);
        let transport =
            Transport { attempts: 1, answer_timeout: Duration::from_millis(300), ..Transport::default() };
        let config = AnthropicConfig { transport, ..config(&server.url()) };
        let error = model(config).complete(request()).await.unwrap_err();
        let usage = error.spending().usage;
        assert_eq!(usage.input_tokens, request().least_usage().input_tokens, "{error}");
        assert!((1..=1_234).contains(&usage.output_tokens), "at most the cap: {usage:?}");
    }
}

/// Gives a call up as soon as its ledger says what it should.
async fn given_up(model: impl Model, is_heard: impl Fn(Spending) -> bool) -> Spending {
    let request = request();
    let ledger = request.ledger.clone();
    let call = async move { panic!("it ended: {:?}", model.complete(request).await) };
    let heard = async {
        while !is_heard(ledger.spending()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        () = call => {}
        () = heard => {}
    }
    ledger.spending()
}

#[tokio::test]
async fn what_a_call_has_used_is_known_when_nobody_waits_for_its_end() {
    let words = "x".repeat(300);
    let cut = Act::Cut(events(&counted(100, 40, "end_turn")));
    let server = Server::start([cut, Act::Held(events(&begun(100, &words)))]);
    let spending = given_up(model(config(&server.url())), |now| now.usage.output_tokens >= 140).await;
    // The first try by the server's count, the second by what was heard.
    assert_eq!((spending.usage.input_tokens, spending.usage.output_tokens), (200, 140));
    assert_eq!(spending.cost, Some(MicroDollars(200 * 2 + 140 * 10)));

    let prompt = request().least_usage().input_tokens;
    for act in [Act::Silence, Act::SilenceInBody] {
        let server = Server::start([act]);
        let spending = given_up(model(config(&server.url())), |now| !now.is_none()).await;
        assert_eq!(spending.usage.input_tokens, prompt, "it is sent");
    }
}

#[tokio::test]
async fn a_call_that_waits_for_its_next_try_uses_nothing_meanwhile() {
    let busy = Act::json(529, json!({ "error": { "type": "overloaded_error", "message": "later" } }));
    let server = Server::start([busy]);
    let transport = Transport {
        first_wait: Duration::from_secs(60),
        max_wait: Duration::from_secs(60),
        ..Transport::default()
    };
    let config = AnthropicConfig { transport, ..config(&server.url()) };
    let was_sent = || server.seen().len() == 1;
    assert!(given_up(model(config), |now| was_sent() && now.is_none()).await.is_none());
}

#[tokio::test]
async fn a_request_that_was_refused_used_nothing() {
    let refusal = json!({ "error": { "type": "invalid_request_error", "message": "no" } });
    let server = Server::start([Act::json(400, refusal)]);
    let error = ask(&server).await.unwrap_err();
    assert!(matches!(error, ModelError::Refused { .. }), "{error:?}");
    assert_eq!(error.spending(), Spending::default());
    let error = model(config(&crate::server::nobody())).complete(request()).await.unwrap_err();
    assert_eq!(error.spending(), Spending::default());
}

/// What a server does with one request, and the tokens that it tells of.
#[derive(Debug, Clone, Copy)]
enum Doing {
    /// It breaks off after the prompt was counted.
    CutEarly,
    /// It breaks off after everything was counted.
    CutLate,
    /// It ends before the message does.
    EndEarly,
    /// It fails in the middle.
    Overloaded,
    /// It fails before the model began.
    Busy,
    /// It stops for what nobody asked for.
    Unasked,
    /// It leaves out what an answer must have.
    Unreadable,
    Pause,
    End,
}

impl Doing {
    fn act(self, input: u64, output: u64) -> (Act, u64, u64) {
        let early = || begun(input, "words");
        match self {
            Self::CutEarly => (Act::Cut(events(&early())), input, 1),
            Self::CutLate => (Act::Cut(events(&counted(input, output, "end_turn"))), input, output),
            Self::EndEarly => (stream(&early()), input, 1),
            Self::Overloaded => {
                let error =
                    json!({ "type": "error", "error": { "type": "overloaded_error", "message": "" } });
                (stream(&early().into_iter().chain([error]).collect::<Vec<_>>()), input, 1)
            }
            Self::Busy => (Act::json(503, json!({})), 0, 0),
            Self::Unasked => (ended(input, output, "tool_use"), input, output),
            Self::Unreadable => {
                let usage = json!({ "input_tokens": input, "output_tokens": output });
                (Act::json(200, json!({ "usage": usage })), input, output)
            }
            Self::Pause => (ended(input, output, "pause_turn"), input, output),
            Self::End => (ended(input, output, "end_turn"), input, output),
        }
    }
}

fn doing() -> impl Strategy<Value = Doing> {
    use Doing::*;
    let all = [CutEarly, CutLate, EndEarly, Overloaded, Busy, Unasked, Unreadable, Pause, Pause, End];
    proptest::sample::select(all.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn nothing_that_a_server_reports_is_lost(
        script in proptest::collection::vec((doing(), 0_u64..5_000, 1_u64..400), 1..10),
    ) {
        let acts: Vec<_> = script.iter().map(|(doing, input, output)| doing.act(*input, *output)).collect();
        let server = Server::start(acts.iter().map(|(act, ..)| act.clone()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let outcome = runtime.block_on(ask(&server));
        let told = spent(&outcome);
        let asked = &acts[..server.seen().len().min(acts.len())];
        let input: u64 = asked.iter().map(|(_, input, _)| input).sum();
        let output: u64 = asked.iter().map(|(_, _, output)| output).sum();
        prop_assert!(told.input_tokens >= input && told.output_tokens >= output,
            "{told:?} of {input} and {output}: {outcome:?}");
    }
}

fn openai(server: &Server) -> OpenAi {
    let config =
        OpenAiConfig { api_key: Some(Secret::new(KEY)), ..OpenAiConfig::new(server.url() + "/v1", "local") };
    OpenAi::new(config, &Catalogue::built_in().unwrap()).unwrap()
}

/// What both providers make of these words with these counts: of the Messages API, and of chat
/// completions.
async fn both(words: &str, messages: Value, chat: Value) -> [Usage; 2] {
    let content = json!([{ "type": "text", "text": words }]);
    let first = json!({ "content": content, "stop_reason": "end_turn", "usage": messages });
    let choice = json!({ "message": { "content": words }, "finish_reason": "stop" });
    let second = json!({ "choices": [choice], "usage": chat });
    let servers = [first, second].map(|body| Server::start([Act::json(200, body)]));
    let replies = [ask(&servers[0]).await.unwrap(), openai(&servers[1]).complete(request()).await.unwrap()];
    replies.map(|reply| reply.usage)
}

#[tokio::test]
async fn a_count_of_nothing_for_something_is_estimated() {
    let prompt = request().least_usage().input_tokens;
    let none = json!({ "input_tokens": 0, "output_tokens": 0 });
    let chat = json!({ "prompt_tokens": 0, "completion_tokens": 0 });
    for usage in both(&"x".repeat(100), none.clone(), chat.clone()).await {
        assert_eq!((usage.input_tokens, usage.output_tokens), (prompt, 34));
    }
    for usage in both("", none, chat).await {
        assert_eq!((usage.input_tokens, usage.output_tokens), (prompt, 0), "no words, no tokens");
    }
    // What is counted isn't doubted for being little.
    let [usage, other] = both(
        &"x".repeat(100),
        json!({ "input_tokens": 3, "output_tokens": 1 }),
        json!({ "prompt_tokens": 3, "completion_tokens": 1 }),
    )
    .await;
    assert_eq!((usage.input_tokens, usage.output_tokens), (3, 1));
    assert_eq!(usage, other);
}

#[tokio::test]
async fn a_call_that_is_counted_as_nothing_is_estimated_too() {
    let ask = || crate::loopback::conversation(vec![crate::loopback::user("go")]);
    let input = json!({ "path": "x".repeat(86) });
    let call = json!({ "type": "tool_use", "id": "1", "name": "f", "input": input });
    let zero = json!({ "input_tokens": 0, "output_tokens": 0, "prompt_tokens": 0, "completion_tokens": 0 });
    let function = json!({ "name": "f", "arguments": input.to_string() });
    let body = json!({
        "content": [call], "stop_reason": "tool_use",
        "choices": [{ "message": { "tool_calls": [{ "function": function }] }, "finish_reason": "tool_calls" }],
        "usage": zero,
    });
    let servers = [0, 1].map(|_| Server::start([Act::json(200, body.clone())]));
    let first = model(config(&servers[0].url())).complete(ask()).await.unwrap();
    let second = openai(&servers[1]).complete(ask()).await.unwrap();
    for usage in [first.usage, second.usage] {
        assert_eq!(usage.output_tokens, 33, "98 bytes");
    }
}

#[tokio::test]
async fn counts_that_cant_be_are_cut_to_what_can() {
    let [usage, other] = both(
        "x",
        json!({ "input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 1 }),
        json!({ "prompt_tokens": 10, "completion_tokens": 1,
                "prompt_tokens_details": { "cached_tokens": 11 } }),
    )
    .await;
    assert_eq!((usage.input_tokens, usage.cached_tokens), (10, 3));
    assert_eq!((other.input_tokens, other.cached_tokens), (10, 10), "no more than there are");
    for absurd in [json!(u64::MAX), json!(i64::MAX), json!(1e30), json!((1_u64 << 40) + 1)] {
        for usage in both(
            "x",
            json!({ "input_tokens": absurd, "cache_read_input_tokens": absurd, "output_tokens": absurd }),
            json!({ "prompt_tokens": absurd, "completion_tokens": absurd,
                    "prompt_tokens_details": { "cached_tokens": absurd } }),
        )
        .await
        {
            let Usage { input_tokens, cached_tokens, output_tokens, .. } = usage;
            assert_eq!([input_tokens, cached_tokens, output_tokens], [1 << 40; 3], "{absurd}");
        }
    }
    let prompt = request().least_usage().input_tokens;
    for none in [json!(-5), json!("many"), json!(null), json!([1])] {
        for usage in both(
            "x",
            json!({ "input_tokens": none, "output_tokens": none }),
            json!({ "prompt_tokens": none, "completion_tokens": none }),
        )
        .await
        {
            assert_eq!((usage.input_tokens, usage.output_tokens), (prompt, 1), "{none}");
        }
    }
}

#[tokio::test]
async fn a_chat_answer_that_cant_be_used_was_paid_for_all_the_same() {
    let body = json!({
        "choices": [{ "message": { "content": 7 }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20 },
    });
    let server = Server::start([Act::json(200, body)]);
    let config =
        OpenAiConfig { api_key: Some(Secret::new(KEY)), ..OpenAiConfig::new(server.url() + "/v1", "local") };
    let model = OpenAi::new(config, &Catalogue::built_in().unwrap()).unwrap();
    let error = model.complete(request()).await.unwrap_err();
    assert!(matches!(error.cause(), ModelError::Unreadable { .. }), "{error}");
    let Spending { usage, cost } = error.spending();
    assert_eq!((usage.input_tokens, usage.output_tokens, cost), (100, 20, None));
}
