//! The server against the product's own client.

use super::worked_example::{PROJECT, TASKS};
use super::*;
use ringfence_models::{
    Anthropic, AnthropicConfig, Ask, Catalogue, Model, ModelError, Reply, Request, Secret, Transport,
};
use serde_json::json;
use std::path::Path;

fn model(server: &MessagesApi, key: &str) -> Anthropic {
    let mut config = AnthropicConfig::new(Secret::new(key));
    config.base_url = server.base_url();
    config.transport = Transport { first_wait: Duration::from_millis(1), ..Transport::default() };
    Anthropic::new(config, &Catalogue::built_in().unwrap()).unwrap()
}

fn request(schema: Value, user: &str) -> Request {
    Request {
        stage: "stage".to_owned(),
        expert: None,
        ask: Ask::Stage { system: "role".to_owned(), user: user.to_owned(), schema },
        facts: Value::Null,
        max_tokens: 100,
        tries: None,
        ledger: ringfence_models::Ledger::default(),
    }
}

fn ask(server: &MessagesApi, schema: Value, user: &str) -> Result<Reply, ModelError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(model(server, KEY).complete(request(schema, user)))
}

fn plan_schema() -> Value {
    let text = json!({ "type": "string", "minLength": 1 });
    json!({
        "type": "object",
        "properties": {
            "reasoning": text,
            "new_sub_tasks": { "type": "array", "items": {
                "type": "object",
                "properties": { "id": text, "description": text, "kind": text },
                "required": ["id", "description"],
            }},
            "is_goal_achieved": { "type": "boolean" },
        },
        "required": ["reasoning", "new_sub_tasks", "is_goal_achieved"],
    })
}

fn decide_schema(input: Value) -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": { "reasoning": text, "action": text, "confidence": text, "action_input": input },
        "required": ["reasoning", "action", "confidence"],
    })
}

#[test]
fn the_worked_example_plans_decides_evaluates_and_ends() {
    let server = MessagesApi::start(worked_example::script());
    let said = |schema: Value, user: &str| -> Value {
        serde_json::from_str(&ask(&server, schema, user).unwrap().text).unwrap()
    };
    let plan = said(plan_schema(), "Goal\nanalyse");
    assert_eq!(plan["new_sub_tasks"].as_array().unwrap().len(), 4);
    for (index, task) in TASKS.iter().enumerate() {
        let top = format!("The task on top\nid_{index}: {}\n\nmore", task.description);
        let decided = said(decide_schema(json!({ "type": "object" })), &top);
        assert_eq!(decided["action"], task.tool);
        let input = decided["action_input"].as_object().unwrap();
        assert!(input.values().any(|value| value == task.path));
        let schema = json!({
            "type": "object",
            "properties": { "sub_task_status": { "type": "string" } },
        });
        let action = format!("{top}\n\nThe action\n<data>\nstep {}: called\n</data>", index + 7);
        let judged = said(schema, &action);
        assert_eq!(judged["sub_task_status"], "completed");
        for claim in judged["claims"].as_array().into_iter().flatten() {
            assert_eq!(claim["evidence"][0]["step"], index + 7);
        }
    }
    let done = said(plan_schema(), "Goal\nx\n\nTasks done with\n<data>\n- a (completed): b\n</data>\n");
    assert_eq!(done["is_goal_achieved"], true);
    assert_eq!(server.asked().len(), 10);
    assert_eq!(server.asked_for(Stage::Decide).len(), 4);
    assert!(server.refused().is_empty(), "{:?}", server.refused());
}

#[test]
fn the_worked_examples_claims_name_the_lines_that_show_them() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PROJECT);
    let line = |task: usize, number: usize| {
        let text = std::fs::read_to_string(project.join(TASKS[task].path)).unwrap();
        text.lines().nth(number - 1).unwrap().to_owned()
    };
    assert!(line(1, 8).starts_with("requires-python") && line(1, 9).starts_with("dependencies"));
    assert!(line(2, 10).starts_with("def create_app") && line(2, 20).contains("create_app()"));
    assert!(line(3, 8).starts_with("PAYMENT_API_KEY") && line(3, 14).contains("yaml.load"));
}

#[test]
fn a_decision_takes_the_form_that_the_schema_forces() {
    let server = MessagesApi::start(worked_example::script());
    let top = format!("The task on top\na: {}\n", TASKS[1].description);
    let read = json!({
        "type": "object", "additionalProperties": false, "required": ["file_path"],
        "properties": { "file_path": { "type": "string" }, "max_lines": { "type": "integer" } },
    });
    let any = json!({ "anyOf": [{ "type": "object" }, { "type": "null" }] });
    for input in [read.clone(), json!({ "anyOf": [read] }), any, json!({})] {
        let reply = ask(&server, decide_schema(input), &top).unwrap();
        let decided: Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!(decided["action_input"], json!({ "file_path": "pyproject.toml" }));
    }
    assert!(server.refused().is_empty(), "{:?}", server.refused());
}

#[test]
fn scripted_failures_happen_and_the_client_gets_past_them() {
    let server = MessagesApi::queue([
        Answer::rate_limited(1),
        Answer::overloaded(),
        Answer::Close,
        Answer::CloseInBody,
        Answer::text("{}"),
    ]);
    assert_eq!(ask(&server, plan_schema(), "hello").unwrap().text, "{}");
    assert_eq!(server.asked().len(), 5);
    assert!(server.wait_for(5, Duration::ZERO));
    assert!(!server.wait_for(6, Duration::from_millis(1)));
}

#[test]
fn cached_prompts_are_counted_from_the_second_request_on() {
    let server = MessagesApi::queue([Answer::text("{}"), Answer::text("{}")]);
    let first = ask(&server, plan_schema(), "hello").unwrap().usage;
    let second = ask(&server, plan_schema(), "hello").unwrap().usage;
    assert_eq!((first.cached_tokens, second.cached_tokens), (0, 1));
    assert_eq!(first.input_tokens, second.input_tokens);
}

#[test]
fn a_wrong_key_is_refused_as_the_api_does() {
    let server = MessagesApi::queue([Answer::text("{}")]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let call = async { model(&server, "wrong").complete(request(plan_schema(), "x")).await };
    let error = runtime.block_on(call).unwrap_err();
    assert!(matches!(error, ModelError::Refused { status: 401, .. }), "{error}");
    assert_eq!(server.refused(), ["invalid x-api-key"]);
    assert!(server.asked().is_empty());
}

#[test]
fn what_the_api_would_refuse_is_refused() {
    let good = || {
        json!({
            "model": "claude-sonnet-5-5", "max_tokens": 5,
            "messages": [{ "role": "user", "content": "hello" }],
        })
    };
    let check = |body: Value| {
        let headers =
            [("x-api-key", KEY), ("anthropic-version", "2023-06-01"), ("content-type", "application/json")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let incoming = Incoming { method: "POST".into(), path: "/v1/messages".into(), headers, body };
        rules::check(&incoming, KEY, &[]).err().map(|refusal| refusal.message)
    };
    assert_eq!(check(good()), None);
    let with = |key: &str, value: Value| {
        let mut body = good();
        body[key] = value;
        check(body).unwrap_or_else(|| panic!("{key} is taken"))
    };
    let format = |schema: Value| json!({ "format": { "type": "json_schema", "schema": schema } });
    assert!(with("temperature", json!(0.5)).contains("temperature"));
    assert!(with("tool_choice", json!({ "type": "any" })).contains("tool_choice"));
    assert!(with("max_tokens", json!(0)).contains("max_tokens"));
    assert!(with("model", json!("gpt")).contains("gpt"));
    assert!(with("messages", json!([])).contains("at least one"));
    assert!(with("system", json!([{ "type": "text", "text": "" }])).contains("non-empty"));
    let prefill = json!([{ "role": "user", "content": "a" }, { "role": "assistant", "content": "b" }]);
    assert!(with("messages", prefill).contains("prefill"));
    let open = json!({ "type": "object", "properties": {} });
    assert!(with("output_config", format(open)).contains("additionalProperties"));
    let bounded = json!({
        "type": "object", "additionalProperties": false,
        "properties": { "n": { "type": "integer", "minimum": 1 } },
    });
    assert!(with("output_config", format(bounded)).contains("'minimum' is not supported"));
    let properties: serde_json::Map<_, _> =
        (0..25).map(|index| (format!("p{index}"), json!({ "type": "string" }))).collect();
    let rich = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    assert!(with("output_config", format(rich)).contains("25 optional"));
}

#[test]
fn what_the_api_would_refuse_of_a_conversation_is_refused() {
    let thought = json!({ "type": "thinking", "thinking": "t", "signature": "s" });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let user = |content: Value| json!({ "role": "user", "content": content });
    let model = |content: Value| json!({ "role": "assistant", "content": content });
    let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "t", "input": {} });
    let result = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "r" });
    let tool = |name: &str| json!({ "name": name, "input_schema": { "type": "object" } });
    let body = |messages: Value, tools: Value| json!({ "model": "claude-sonnet-5-5", "max_tokens": 5, "messages": messages, "tools": tools });
    let asked = body(json!([user(json!("go"))]), json!([tool("t")]));
    let said = conversation::Said::new(&asked, &[thought.clone(), call("1")], false);
    let paused = conversation::Said::new(&asked, &[text("so far")], true);
    let said = [said, paused];
    let check = |body: Value| {
        let body = body.as_object().unwrap();
        conversation::check(body, &said).err().map(|refusal| refusal.message).unwrap_or_default()
    };
    let turns = |content: Value, answer: Value| {
        check(body(json!([user(json!("go")), model(content), user(answer)]), json!([tool("t")])))
    };
    assert_eq!(turns(json!([thought, call("1")]), json!([result("1"), text("more")])), "");
    assert!(turns(json!([call("1")]), json!([text("no result")])).contains("without `tool_result`"));
    assert!(
        turns(json!([call("1")]), json!([result("1"), result("2")])).contains("unexpected `tool_use_id`")
    );
    assert!(turns(json!([call("1")]), json!([text("first"), result("1")])).contains("must be first"));
    assert!(turns(json!([call("1")]), json!([result("1"), result("1")])).contains("one for each call"));
    let forged = json!({ "type": "thinking", "thinking": "T", "signature": "s" });
    assert!(turns(json!([forged, call("1")]), json!([result("1")])).contains("cannot be modified"));
    let edited = json!([user(json!("stop")), model(json!([thought, call("1")])), user(json!([result("1")]))]);
    assert!(check(body(edited, json!([tool("t")]))).contains("cannot be edited"));
    let unedited = json!([user(json!("go")), model(json!([thought, call("1")])), user(json!([result("1")]))]);
    assert!(check(body(unedited, json!([tool("other")]))).contains("cannot be edited"));
    let ends_with = |said: &str| body(json!([user(json!("go")), model(json!([text(said)]))]), json!([]));
    assert_eq!(check(ends_with("so far")), "");
    assert!(check(ends_with("prefilled")).contains("prefill"));
    assert!(check(body(json!([model(json!("hi"))]), json!([]))).contains("first message"));
    assert!(check(body(json!([user(json!("go"))]), json!([tool("a b")]))).contains("tools.0.name"));
    let strict: Vec<_> = (0..21)
        .map(|number| {
            let mut tool = tool(&format!("t{number}"));
            tool["strict"] = json!(true);
            tool
        })
        .collect();
    assert!(check(body(json!([user(json!("go"))]), json!(strict))).contains("21 strict tools"));
    let mut marked = text("x");
    marked["cache_control"] = json!({ "type": "ephemeral" });
    let many = json!([user(json!([marked, marked, marked, marked, marked]))]);
    assert!(check(body(many, json!([]))).contains("Found 5"));
}

#[test]
fn the_stages_of_all_flows_are_recognised() {
    let server = MessagesApi::start(|_| Answer::text("{}"));
    for name in ["new_sub_tasks", "action", "sub_task_status", "decision", "instruction", "other"] {
        let schema = json!({ "type": "object", "properties": { name: { "type": "string" } } });
        ask(&server, schema, "x").unwrap();
    }
    let stages: Vec<_> = server.asked().iter().map(|asked| asked.stage).collect();
    let some = [Stage::Plan, Stage::Decide, Stage::Evaluate, Stage::Reason, Stage::Reflect].map(Some);
    assert_eq!(stages, [&some[..], &[None]].concat());
}

#[test]
fn a_hanging_request_ends_with_the_server() {
    let server = MessagesApi::queue([Answer::Hang]);
    let mut config = AnthropicConfig::new(Secret::new(KEY));
    config.base_url = server.base_url();
    config.transport = Transport { attempts: 1, ..Transport::default() };
    let model = Anthropic::new(config, &Catalogue::built_in().unwrap()).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.unwrap();
    let call = runtime.spawn(async move { model.complete(request(plan_schema(), "x")).await });
    assert!(server.wait_for(1, Duration::from_secs(20)));
    drop(server);
    let error = runtime.block_on(call).unwrap().unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error}");
}
