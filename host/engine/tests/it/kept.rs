//! Replies that are too long to be used: what is kept of them, and what becomes of the run.

use crate::script::*;
use ringfence_engine::*;
use serde_json::{Value, json};

const MIB: usize = 1 << 20;

#[test]
fn a_reply_that_can_be_used_is_kept_as_it_is() {
    let fits = reply(&"x".repeat(MIB), StopReason::End);
    assert_eq!(fits.clone().kept(), fits);
    let turn =
        ModelReply { content: Some(json!([{"type": "text"}])), ..tools("I look.", &[("1", "t", "{}")]) };
    assert_eq!(turn.clone().kept(), turn);
}

#[test]
fn a_huge_text_is_cut_at_a_character_with_its_length_and_digest() {
    let text = format!("x{}", "é".repeat(3 * MIB));
    let kept = reply(&text, StopReason::End).kept().text;
    let digest = blake3::hash(text.as_bytes()).to_hex();
    let mark = format!("é…\n[cut here: the reply has {} bytes, BLAKE3 {digest}]", 6 * MIB + 1);
    assert!(kept.ends_with(&mark), "{}", &kept[kept.len() - 200..]);
    assert!(kept.len() > MIB && kept.len() < MIB + 200, "{}", kept.len());
}

#[test]
fn huge_calls_are_cut_after_as_much() {
    for call in [
        ToolRequest { id: "2".into(), name: "t".into(), arguments: "a".repeat(9 * MIB) },
        ToolRequest { id: "2".into(), name: "t".repeat(9 * MIB), arguments: "{}".into() },
        ToolRequest { id: "2".repeat(9 * MIB), name: "t".into(), arguments: "{}".into() },
    ] {
        let mut turn = tools("I look.", &[("1", "t", "{}")]);
        turn.calls.extend([call.clone(), call]);
        turn.content = Some(json!(["a".repeat(9 * MIB)]));
        let kept = turn.kept();
        assert_eq!((kept.text.as_str(), kept.calls.len(), &kept.content), ("I look.", 2, &None));
        let text = serde_json::to_string(&kept).unwrap();
        assert!(text.len() < MIB + 1_000 && text.contains("[cut here: the reply has "), "{}", text.len());
    }
}

#[test]
fn huge_thoughts_are_left_out_of_a_turn_that_can_be_used() {
    let turn = ModelReply { content: Some(json!(["a".repeat(5 * MIB)])), ..tools("", &[("1", "t", "{}")]) };
    let kept = turn.clone().kept();
    assert_eq!(kept, ModelReply { content: None, ..turn });
}

#[test]
fn what_was_too_long_is_too_long_when_it_is_cut() {
    let mut script = Script::start(without_pauses());
    let call = script.model_call().call;
    let huge = format!("{}{}", plan(&[task("a", "x")]), " ".repeat(5 * MIB));
    script.send(EventKind::ModelReplied { call, reply: reply(&huge, StopReason::End).kept() });
    assert!(notes(&script)[0].starts_with("unusable reply: "), "{:?}", notes(&script));

    let mut script = Script::start(in_flow(Flow::React, without_pauses()));
    let call = script.model_call().call;
    let input: Value = json!({ "file_path": "a".repeat(5 * MIB) });
    let turn = tools("", &[("1", "read_file", &input.to_string())]);
    script.send(EventKind::ModelReplied { call, reply: turn.kept() });
    assert!(notes(&script)[0].starts_with("unusable reply: "), "{:?}", notes(&script));
    assert!(serde_json::to_string(&script.journal).unwrap().len() < 2 * MIB);
}
