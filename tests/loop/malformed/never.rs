//! Models that never get it right: one re-ask, one recovery, then the stage's degraded result.

use super::{MARK, is_reask, journaled, of_kind, run_of, sample, shown};
use crate::{saying, tools_called};
use ringfence_tests::messages_api::worked_example::answer;
use ringfence_tests::messages_api::{Answer, MessagesApi, Stage};
use ringfence_tests::product::{Ended, Product};

const NONSENSE: &str = "{\"reasoning\": \"zebra";

/// A run in which one stage never answers usably.
fn spoilt(stage: Stage, flow: &str) -> (Product, MessagesApi, Ended) {
    let server = MessagesApi::start(move |asked| match asked.stage {
        Some(asked) if asked == stage => Answer::text(NONSENSE),
        _ => answer(asked),
    });
    let product = sample();
    let ended = product.run(&run_of(&["--flow", flow]), &server.env());
    for asked in server.asked() {
        assert!(!asked.user.contains(MARK), "{}", asked.user);
    }
    (product, server, ended)
}

#[test]
fn a_decider_is_asked_again_once_recovered_once_and_then_a_person_is_asked() {
    let (product, server, ended) = spoilt(Stage::Decide, "staged");
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let asked = server.asked_for(Stage::Decide);
    assert_eq!(asked.iter().map(is_reask).collect::<Vec<_>>(), [false, true, false, true]);
    let recovers: Vec<_> =
        asked.iter().map(|one| one.user.contains("An earlier try of this stage failed")).collect();
    assert_eq!(recovers, [false, false, true, true]);
    assert_eq!(tools_called(&shown(&product)), Vec::<String>::new());
    let kept = of_kind(&journaled(&product), "model_replied")
        .iter()
        .filter(|event| event["reply"]["text"] == NONSENSE)
        .count();
    assert_eq!(kept, 4, "the journal has every one of them");
    let command = saying(ended.printed_command("--answer"), "use list_files");
    let told = product.run_printed(&command, &server.env());
    assert_eq!(told.code, Some(5), "{told:?}");
    assert!(server.asked().last().is_some_and(|asked| asked.user.contains("use list_files")));
}

#[test]
fn an_evaluator_s_silence_is_taken_as_more_work_once_and_then_a_person_is_asked() {
    let (product, server, ended) = spoilt(Stage::Evaluate, "staged");
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert_eq!(server.asked_for(Stage::Evaluate).len(), 6, "bridged after two, recovered after four");
    assert_eq!(tools_called(&shown(&product)).len(), 2);
    let notes = shown(&product)["state"]["notes"].to_string();
    assert!(notes.contains("taken as needs_more_work with low confidence"), "{notes}");
}

#[test]
fn a_reasoner_s_silence_becomes_a_question_to_a_person() {
    let (_, server, ended) = spoilt(Stage::Reason, "pipeline");
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert_eq!(server.asked().len(), 2, "one re-ask and no more");
    assert!(ended.stderr.contains("The model gave no usable answer"), "{}", ended.stderr);
    assert!(ended.printed_command("--answer").contains("resume"));
}

#[test]
fn the_cap_of_a_reply_is_raised_once() {
    let server = MessagesApi::start(|_| Answer::truncated(NONSENSE));
    let product = sample();
    let ended = product.run(&run_of(&["--on-stage-failure", "fail"]), &server.env());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let caps: Vec<_> = server.asked().iter().map(|asked| asked.body["max_tokens"].as_u64()).collect();
    assert_eq!(caps, [Some(16_000), Some(32_000), Some(16_000), Some(32_000)]);
}
