//! The commands that answer a review from a shell.

use super::given::{Editable, editable};
use super::text::short;
use ringfence_engine::{Flow, ModelStage, Review, Subject};

/// The complete commands that answer a review, the likeliest first. `resume` is the command up to
/// and including the run's id.
pub fn ways_on(resume: &str, review: &Review, flow: Flow) -> Vec<String> {
    answers(review, flow).into_iter().map(|answer| format!("{resume} {answer}").trim().to_owned()).collect()
}

/// The flags of `resume` that answer a review, the likeliest first; an empty one where the run
/// simply goes on. An approval names what it approves, so that it can't count for what comes up next.
pub fn answers(review: &Review, flow: Flow) -> Vec<String> {
    let subject = &review.subject;
    const ADD: Option<&str> = Some("--add TASKS.toml");
    const REJECT: Option<&str> = Some("--reject 'WHY'");
    const WORDS: Option<&str> = Some("--answer 'WORDS TO THINK AGAIN WITH'");
    let approve = match subject {
        Subject::Plan { plan } => format!("--approve {}", short(&plan.hash.0)),
        Subject::StageFailed { unreachable: true, .. } | Subject::Interrupted | Subject::Question { .. } => {
            String::new()
        }
        Subject::Call { .. }
        | Subject::Judgement { .. }
        | Subject::Finish { .. }
        | Subject::Stagnation { .. }
        | Subject::UnknownOutcome { .. }
        | Subject::StageFailed { unreachable: false, .. } => format!("--approve {}", review.id),
    };
    let edit = match editable(subject, flow) {
        Editable::Plan => Some("--edit PLAN.toml"),
        Editable::Input => Some("--edit INPUT.json"),
        Editable::Text => Some("--edit ANSWER.txt"),
        Editable::Nothing => None,
    };
    let planned = flow == Flow::Staged;
    let others: Vec<Option<&str>> = match subject {
        Subject::Plan { .. } | Subject::Call { .. } | Subject::Judgement { .. } => {
            vec![edit, ADD, REJECT, WORDS]
        }
        Subject::Finish { .. } => vec![edit, ADD, Some("--reject 'WHAT IS MISSING'")],
        Subject::Question { .. } => {
            return owned(&["--answer 'TEXT'", "--reject 'WHY THERE IS NO ANSWER'", "--abort"]);
        }
        // Elsewhere a reason is no more than advice.
        Subject::Stagnation { .. } => {
            vec![Some("--answer 'ADVICE'"), edit, ADD, REJECT.filter(|_| planned)]
        }
        Subject::UnknownOutcome { .. } => vec![edit, Some("--answer 'WHAT CAME OF IT'"), REJECT],
        Subject::StageFailed { unreachable: true, .. } => vec![Some("--model ANOTHER")],
        Subject::StageFailed { stage, unreachable: false, .. } => match stage {
            ModelStage::Decide | ModelStage::Evaluate => vec![WORDS, edit, ADD, REJECT],
            ModelStage::Plan | ModelStage::Reason | ModelStage::Converse | ModelStage::Reflect => {
                vec![WORDS, edit, ADD.filter(|_| planned)]
            }
        },
        Subject::Interrupted => vec![Some("--answer 'WORDS TO GO ON WITH'")],
    };
    let others = others.into_iter().flatten().chain(["--abort"]).map(str::to_owned);
    std::iter::once(approve).chain(others).collect()
}

fn owned(flags: &[&str]) -> Vec<String> {
    flags.iter().map(|flag| (*flag).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringfence_engine::ReviewId;

    fn about(subject: Subject) -> Review {
        Review { id: ReviewId(7), subject }
    }

    #[test]
    fn an_approval_names_the_review_that_it_is_for() {
        let review = about(Subject::Finish { answer: None, reasoning: String::new() });
        assert_eq!(answers(&review, Flow::Staged).first().map(String::as_str), Some("--approve 7"));
    }

    fn failed(stage: ModelStage, unreachable: bool) -> Subject {
        Subject::StageFailed { stage, why: "no".to_owned(), unreachable }
    }

    #[test]
    fn a_flow_without_a_plan_is_offered_none_to_edit() {
        let stagnation = Subject::Stagnation { seen: "a".to_owned() };
        let all = [stagnation, failed(ModelStage::Reason, false), failed(ModelStage::Converse, false)];
        for subject in &all {
            for flow in [Flow::Pipeline, Flow::React] {
                let ways = ways_on("ringfence resume r", &about(subject.clone()), flow);
                assert!(!ways.iter().any(|way| way.contains("PLAN.toml")), "{ways:?}");
                assert!(ways.iter().all(|way| way.starts_with("ringfence resume r")), "{ways:?}");
            }
        }
    }

    #[test]
    fn a_model_out_of_reach_is_asked_again_by_going_on() {
        let ways = ways_on("ringfence resume r", &about(failed(ModelStage::Plan, true)), Flow::Staged);
        assert_eq!(
            ways,
            ["ringfence resume r", "ringfence resume r --model ANOTHER", "ringfence resume r --abort"]
        );
    }

    #[test]
    fn the_end_offers_the_plan_or_the_answer_whichever_there_is() {
        let finish = |answer: Option<&str>| {
            about(Subject::Finish { answer: answer.map(str::to_owned), reasoning: String::new() })
        };
        let has = |review: &Review, flow, flag: &str| answers(review, flow).contains(&flag.to_owned());
        assert!(has(&finish(None), Flow::Staged, "--edit PLAN.toml"));
        assert!(has(&finish(Some("42")), Flow::Pipeline, "--edit ANSWER.txt"));
        assert!(!has(&finish(Some("42")), Flow::Pipeline, "--edit PLAN.toml"));
    }
}
