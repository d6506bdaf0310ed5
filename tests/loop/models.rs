//! Which model is asked what: by stage, by expert, with its own settings; and models in trouble.

mod trouble;

use crate::{configure, product, run_of, sample, shown, tools_called, trusting};
use ringfence_tests::messages_api::worked_example::{TASKS, answer, script};
use ringfence_tests::messages_api::{Answer, Asked, KEY, MessagesApi, Stage};
use serde_json::{Value, json};
use std::fs;

/// The last task of the plan is one for the expert.
fn with_a_kind(asked: &Asked) -> Answer {
    match answer(asked) {
        Answer::Json(mut reply) if asked.stage == Some(Stage::Plan) => {
            if let Some(task) = reply.pointer_mut("/new_sub_tasks/3") {
                task["kind"] = json!("security");
            }
            Answer::Json(reply)
        }
        other => other,
    }
}

/// Model, effort and temperature of a request, over either API.
fn settings(asked: &Asked) -> [&Value; 3] {
    let body = &asked.body;
    let effort = if body["reasoning_effort"].is_null() {
        &body["output_config"]["effort"]
    } else {
        &body["reasoning_effort"]
    };
    [&body["model"], effort, &body["temperature"]]
}

fn keys(server: &MessagesApi) -> Vec<(&'static str, String)> {
    server.env().into_iter().chain([("OPENAI_API_KEY", KEY.to_owned())]).collect()
}

#[test]
fn each_stage_and_each_expert_is_asked_with_its_own_model_and_settings() {
    let (messages, chat) = (MessagesApi::start(with_a_kind), MessagesApi::start(with_a_kind));
    let product = sample();
    let text = format!(
        r#"
        [models.default]
        provider = "anthropic"
        model = "claude-haiku-5-5"

        [models.plan]
        provider = "anthropic"
        model = "claude-opus-5-5"
        effort = "high"

        [models.decide]
        provider = "openai"
        model = "local-7b"
        effort = "low"
        temperature = 0.25
        base_url = "{}"

        [experts.security]
        prompt = "Keys in the source count most."
        provider = "anthropic"
        model = "claude-fable-5-1"
        effort = "max"

        [experts.layout]
        prompt = "Nobody works on this kind."
        "#,
        chat.chat_url()
    );
    configure(&product, "config.toml", &text);
    let ended = product.run(&run_of(&[]), &keys(&messages));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!((messages.refused(), chat.refused()), (Vec::new(), Vec::new()));

    let plans: Vec<_> = messages.asked_for(Stage::Plan);
    assert_eq!(plans.len(), 2);
    for asked in &plans {
        assert_eq!(settings(asked), [&json!("claude-opus-5-5"), &json!("high"), &Value::Null]);
    }
    let decided = chat.asked();
    assert_eq!(decided.len(), 3, "the fourth task is the expert's");
    for asked in &decided {
        assert_eq!(asked.stage, Some(Stage::Decide));
        assert_eq!(settings(asked), [&json!("local-7b"), &json!("low"), &json!(0.25)]);
    }
    let (expert, others): (Vec<_>, Vec<_>) = messages
        .asked()
        .into_iter()
        .filter(|asked| asked.stage != Some(Stage::Plan))
        .partition(|asked| asked.top_task().is_some_and(|task| task.starts_with(TASKS[3].description)));
    assert_eq!(
        expert.iter().map(|asked| asked.stage).collect::<Vec<_>>(),
        [Some(Stage::Decide), Some(Stage::Evaluate)]
    );
    for asked in &expert {
        assert_eq!(settings(asked), [&json!("claude-fable-5-1"), &json!("max"), &Value::Null]);
        assert!(asked.user.contains("Keys in the source count most."), "{}", asked.user);
    }
    assert_eq!(others.iter().map(|asked| asked.stage).collect::<Vec<_>>(), [Some(Stage::Evaluate); 3]);
    for asked in &others {
        assert_eq!(settings(asked), [&json!("claude-haiku-5-5"), &Value::Null, &Value::Null]);
    }
    for asked in others.iter().chain(&plans).chain(&decided) {
        assert!(!asked.user.contains("Keys in the source"), "{}", asked.user);
    }
    assert!(messages.asked().iter().all(|asked| !asked.user.contains("Nobody works on this kind.")));
    // Every request of one model goes there and nowhere else, and the run says who served it.
    let first = ended.stderr.lines().next().unwrap_or_default();
    for model in [
        "claude-haiku-5-5",
        "plan: anthropic claude-opus-5-5",
        "decide: openai local-7b",
        "security: anthropic claude-fable-5-1",
    ] {
        assert!(first.contains(model), "no `{model}` in {first}");
    }
}

#[test]
fn the_flows_of_one_stage_are_served_by_their_own_models() {
    for (flow, stage, table) in
        [("pipeline", Stage::Reason, "reason"), ("react", Stage::Converse, "converse")]
    {
        let (messages, chat) = (MessagesApi::start(script()), MessagesApi::start(script()));
        let product = sample();
        let text = format!(
            "[models.default]\nprovider = \"anthropic\"\n[models.{table}]\nprovider = \"openai\"\nmodel = \"local-7b\"\neffort = \"medium\"\nbase_url = \"{}\"\n",
            chat.chat_url()
        );
        configure(&product, "config.toml", &text);
        let ended = product.run(&run_of(&["--flow", flow]), &keys(&messages));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!((messages.asked().len(), messages.refused(), chat.refused()), (0, Vec::new(), Vec::new()));
        let asked = chat.asked();
        assert!(asked.iter().all(|asked| asked.stage == Some(stage)));
        assert!(
            asked.iter().all(|asked| settings(asked) == [&json!("local-7b"), &json!("medium"), &Value::Null])
        );
        assert_eq!(tools_called(&shown(&product)).len(), 4, "{flow}");
    }
}

#[test]
fn a_project_s_expert_counts_once_it_is_trusted_and_a_run_keeps_its_models_when_it_is_resumed() {
    let server = MessagesApi::start(with_a_kind);
    let product = product();
    let folder = product.copy_of("examples/my_project");
    let text = "[experts.security]\nprompt = \"Look at settings first.\"\nprovider = \"anthropic\"\nmodel = \"claude-opus-5-5\"\n";
    fs::write(folder.join("ringfence.toml"), text).unwrap();
    let mut arguments = run_of(&["--pause", "after_plan"]);
    arguments.retain(|word| *word != "--yes");
    let refused = product.run(&arguments, &server.env());
    let waiting = product.run_printed(trusting(&refused), &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    fs::remove_file(folder.join("ringfence.toml")).unwrap();
    let ended = product.run_printed(waiting.printed_command("--approve"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let of_the_expert: Vec<_> =
        server.asked().into_iter().filter(|asked| asked.body["model"] == "claude-opus-5-5").collect();
    assert_eq!(of_the_expert.len(), 2, "deciding and evaluating the fourth task");
    assert!(of_the_expert.iter().all(|asked| asked.user.contains("Look at settings first.")));
}

#[test]
fn settings_that_a_model_refuses_are_refused_here_and_never_sent() {
    for (table, said) in [
        ("[models.plan]\nprovider = \"anthropic\"\ntemperature = 0.5\n", "takes no temperature"),
        (
            "[experts.security]\nprovider = \"anthropic\"\nmodel = \"claude-fable-5-1\"\ntemperature = 1.0\n",
            "takes no temperature",
        ),
        ("[models.default]\nprovider = \"anthropic\"\neffort = \"deep\"\n", "effort"),
        ("[models.decide]\nprovider = \"openai\"\n", "[models.decide] names no model"),
        (
            "[experts.security]\nmodel = \"claude-fable-5-1\"\n",
            "[experts.security] says how its model is asked, not which it is",
        ),
    ] {
        let server = MessagesApi::start(script());
        let product = sample();
        configure(&product, "config.toml", table);
        let refused = product.run(&run_of(&[]), &server.env());
        assert_eq!(refused.code, Some(2), "{table}: {refused:?}");
        assert!(refused.stderr.contains(said), "{table}: {}", refused.stderr);
        assert_eq!((server.asked().len(), server.refused().len()), (0, 0), "{table}");
        assert_eq!(product.run(&["runs", "--json"], &[]).stdout.trim(), "[]", "{table}");
    }
}
