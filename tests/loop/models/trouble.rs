//! Models that refuse, pause, break off; servers that don't take what others take.

use super::keys;
use crate::{journaled, of_kind, run_of, sample, shown, tools_called};
use ringfence_tests::messages_api::worked_example::answer;
use ringfence_tests::messages_api::{Answer, Asked, MessagesApi, Stage};
use serde_json::{Value, json};

/// Answers the first request of each stage like this, and every other one well.
fn first_of_each(bad: impl Fn(&Asked) -> Answer + Send + 'static) -> MessagesApi {
    let mut seen = Vec::new();
    MessagesApi::start(move |asked| match asked.stage {
        Some(stage) if !seen.contains(&stage) => {
            seen.push(stage);
            bad(asked)
        }
        _ => answer(asked),
    })
}

const FLOWS: [(&str, usize); 3] = [("staged", 3), ("pipeline", 1), ("react", 1)];

#[test]
fn a_refusal_is_recovered_from_once_and_noted() {
    for (flow, stages) in FLOWS {
        let server = first_of_each(|_| Answer::refusal("I won't, says the zebra."));
        let product = sample();
        let ended = product.run(&run_of(&["--flow", flow]), &server.env());
        assert_eq!(ended.code, Some(0), "{flow}: {ended:?}");
        assert_eq!(server.refused(), Vec::<String>::new(), "{flow}");
        let shown = shown(&product);
        let notes = shown["state"]["notes"].to_string();
        assert_eq!(notes.matches("the model refused to answer").count(), stages, "{flow}: {notes}");
        assert_eq!(tools_called(&shown).len(), 4, "{flow}");
        assert!(server.asked().iter().all(|asked| !asked.user.contains("zebra")), "{flow}");
        let events = journaled(&product);
        let kept = of_kind(&events, "model_replied")
            .iter()
            .filter(|event| event["reply"]["stop"] == "refusal")
            .count();
        assert_eq!(kept, stages, "{flow}");
    }
}

#[test]
fn a_model_that_refuses_for_good_leaves_the_word_to_a_person() {
    let server = MessagesApi::start(|asked| match asked.stage {
        Some(Stage::Decide) => Answer::refusal(""),
        _ => answer(asked),
    });
    let product = sample();
    let ended = product.run(&run_of(&[]), &server.env());
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(ended.stderr.contains("the model refused to answer"), "{}", ended.stderr);
    assert_eq!(server.asked_for(Stage::Decide).len(), 2, "no re-ask of a refusal, one recovery");
    assert_eq!(tools_called(&shown(&product)), Vec::<String>::new());
}

#[test]
fn a_turn_that_pauses_goes_on_as_one_reply() {
    for (flow, _) in FLOWS {
        let server = MessagesApi::start(in_halves);
        let product = sample();
        let ended = product.run(&run_of(&["--flow", flow]), &server.env());
        assert_eq!(ended.code, Some(0), "{flow}: {ended:?}");
        assert_eq!(server.refused(), Vec::<String>::new(), "{flow}");
        let replies = of_kind(&journaled(&product), "model_replied").len();
        assert_eq!(server.asked().len(), 2 * replies, "{flow}: each reply came in two parts");
        assert_eq!(tools_called(&shown(&product)).len(), 4, "{flow}");
    }
}

/// Every reply in two parts: a pause after the first.
fn in_halves(asked: &Asked) -> Answer {
    let messages = asked.body["messages"].as_array().expect("messages");
    let last = messages.last().expect("a message");
    let text = |text: &str| json!({ "type": "text", "text": text });
    let whole = answer(&without_the_pause(asked));
    let words = match &whole {
        Answer::Json(reply) => reply.to_string(),
        Answer::Text { text, .. } => text.clone(),
        _ => "I look.".to_owned(),
    };
    let (first, second) = words.split_at(words.len() / 2);
    if last["role"] != "assistant" {
        return Answer::Blocks { content: vec![text(first)], stop_reason: "pause_turn" };
    }
    match whole {
        Answer::Calls { calls, .. } => Answer::calls(second, calls),
        _ => Answer::Blocks { content: vec![text(second)], stop_reason: "end_turn" },
    }
}

/// The request as it was before the model paused.
fn without_the_pause(asked: &Asked) -> Asked {
    let mut asked = asked.clone();
    if let Some(messages) = asked.body["messages"].as_array_mut() {
        messages.pop_if(|last| last["role"] == "assistant");
    }
    asked
}

#[test]
fn overload_in_a_stream_and_streams_that_are_cut_only_cost_time() {
    for (flow, _) in FLOWS {
        let mut failures =
            vec![Answer::FailInBody { kind: "overloaded_error" }, Answer::EndInBody, Answer::CloseInBody]
                .into_iter();
        let mut turn = 0;
        let server = MessagesApi::start(move |asked| {
            turn += 1;
            match turn % 2 {
                1 => failures.next().unwrap_or_else(|| answer(asked)),
                _ => answer(asked),
            }
        });
        let product = sample();
        let ended = product.run(&run_of(&["--flow", flow]), &server.env());
        assert_eq!(ended.code, Some(0), "{flow}: {ended:?}");
        let shown = shown(&product);
        assert_eq!(tools_called(&shown).len(), 4, "{flow}");
        assert!(
            !shown["state"].to_string().contains("the first half"),
            "{flow}: nothing of a broken stream is kept"
        );
        assert_eq!(server.refused(), Vec::<String>::new(), "{flow}");
    }
}

#[test]
fn a_server_without_response_format_is_asked_the_other_way_from_then_on() {
    let server = MessagesApi::start(|asked| {
        if asked.body.get("response_format").is_some() {
            return Answer::invalid("'response_format.type' must be one of 'text'");
        }
        // Which stage it is stands only in words here.
        let mut asked = asked.clone();
        asked.stage = [
            ("\"new_sub_tasks\"", Stage::Plan),
            ("\"sub_task_status\"", Stage::Evaluate),
            ("\"action\"", Stage::Decide),
        ]
        .into_iter()
        .find_map(|(key, stage)| asked.system.contains(key).then_some(stage));
        match answer(&asked) {
            Answer::Json(reply) => Answer::text(format!("```json\n{reply:#}\n```")),
            other => other,
        }
    });
    let product = sample();
    let url = server.chat_url();
    let ended = product.run(&run_of(&["--model", "openai:local-7b", "--base-url", &url]), &keys(&server));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(server.refused(), Vec::<String>::new());
    let with_format: Vec<bool> =
        server.asked().iter().map(|asked| asked.body.get("response_format").is_some()).collect();
    assert_eq!(with_format.iter().filter(|with| **with).count(), 1, "it is learnt once");
    assert!(with_format[0]);
    let later: Vec<Value> =
        server.asked().iter().skip(1).map(|asked| asked.body["messages"][0].clone()).collect();
    assert!(
        later
            .iter()
            .all(|system| system["content"].as_str().is_some_and(|text| text.contains("JSON Schema")))
    );
    assert_eq!(tools_called(&shown(&product)).len(), 4);
}
