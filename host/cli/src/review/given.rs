//! Answers from the command line: files are read, and must be of the kind that the question wants.

use super::plan_file;
use crate::exit::Refusal;
use anyhow::Result;
use ringfence_engine::{Answer, Flow, PlanHash, PlannedTask, Review, Subject};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An answer given on the command line, before the question is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// Go on; for a plan, the hash meant.
    Approve(Option<String>),
    /// A plan (TOML), a call's input (JSON) or a final answer (text) instead of the proposed one.
    Edit(PathBuf),
    /// More tasks (TOML).
    Add(PathBuf),
    /// No, and why.
    Reject(String),
    /// The answer to a question; to anything else, words to think again with.
    Reply(String),
    /// End the run.
    Abort,
}

/// What can be edited about a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Editable {
    /// The open tasks.
    Plan,
    /// A call's input.
    Input,
    /// The final answer.
    Text,
    /// Nothing.
    Nothing,
}

/// What can be edited about this question in this flow.
pub(super) fn editable(subject: &Subject, flow: Flow) -> Editable {
    let plan = match flow {
        Flow::Staged => Editable::Plan,
        Flow::Pipeline | Flow::React => Editable::Nothing,
    };
    match subject {
        Subject::Call { .. } | Subject::UnknownOutcome { .. } => Editable::Input,
        Subject::Finish { answer: Some(_), .. } => Editable::Text,
        Subject::Plan { .. }
        | Subject::Judgement { .. }
        | Subject::Finish { answer: None, .. }
        | Subject::Stagnation { .. }
        | Subject::StageFailed { .. } => plan,
        Subject::Question { .. } | Subject::Interrupted => Editable::Nothing,
    }
}

/// The hash that an approval of this subject names.
pub(super) fn approved_hash(subject: &Subject) -> Option<PlanHash> {
    match subject {
        Subject::Plan { plan } => Some(plan.hash.clone()),
        Subject::Call { .. }
        | Subject::Judgement { .. }
        | Subject::Finish { .. }
        | Subject::Question { .. }
        | Subject::Stagnation { .. }
        | Subject::UnknownOutcome { .. }
        | Subject::StageFailed { .. }
        | Subject::Interrupted => None,
    }
}

/// An approval that names what it approves: a plan's hash, any other review's number.
fn approval(what: Option<String>, review: &Review) -> Result<Answer, Refusal> {
    let Some(what) = what else { return Ok(Answer::Approve { plan: None }) };
    if approved_hash(&review.subject).is_some() {
        return Ok(Answer::Approve { plan: Some(whole_hash(what, &review.subject)) });
    }
    if what == review.id.to_string() {
        return Ok(Answer::Approve { plan: None });
    }
    let message = format!("the approval is for review `{what}`, and the open one is review {}", review.id);
    Err(Refusal::usage(message).hint("look at it with `ringfence show`, then approve it by its number"))
}

/// A hash may be given by its first digits, as it is printed.
fn whole_hash(given: String, subject: &Subject) -> PlanHash {
    const FEWEST: usize = 8;
    match approved_hash(subject) {
        Some(current) if given.len() >= FEWEST && current.0.starts_with(&given) => current,
        Some(_) | None => PlanHash(given),
    }
}

/// The answer that was given, with what stands in its file.
pub(super) fn read(given: Given, review: &Review, flow: Flow) -> Result<Answer> {
    let subject = &review.subject;
    Ok(match given {
        Given::Approve(what) => approval(what, review)?,
        Given::Reject(reason) => Answer::Reject { reason },
        Given::Reply(text) => Answer::Reply { text },
        Given::Abort => Answer::Abort,
        Given::Add(path) => Answer::AddTasks { tasks: read_plan(&path)? },
        Given::Edit(path) => edited(&path, subject, flow)?,
    })
}

fn edited(path: &Path, subject: &Subject, flow: Flow) -> Result<Answer> {
    let origin = path.display().to_string();
    match editable(subject, flow) {
        Editable::Nothing => Err(nothing_to_edit(subject, flow).into()),
        Editable::Text => Ok(Answer::EditAnswer { text: text_of(path)?.trim_end().to_owned() }),
        Editable::Input => {
            let text = text_of(path)?;
            let input = serde_json::from_str(&text).map_err(|error| {
                Refusal::usage(format!("{origin} isn't JSON: {error}"))
                    .hint("the question is about a tool call: --edit takes its whole input as JSON")
            })?;
            Ok(Answer::EditCall { input })
        }
        Editable::Plan => Ok(Answer::EditPlan { tasks: read_plan(path)? }),
    }
}

/// The tasks in a file (TOML).
pub fn read_plan(path: &Path) -> Result<Vec<PlannedTask>> {
    let tasks = plan_file::read(&text_of(path)?, &path.display().to_string());
    Ok(tasks.map_err(|error| Refusal::usage(format!("{error:#}")))?)
}

fn nothing_to_edit(subject: &Subject, flow: Flow) -> Refusal {
    let words = "answer it with --answer 'TEXT'";
    match subject {
        Subject::Question { .. } => Refusal::usage("a question has nothing to edit").hint(words),
        Subject::Interrupted => {
            Refusal::usage("an interrupted run has nothing to edit").hint("resume it without an answer")
        }
        Subject::Plan { .. }
        | Subject::Call { .. }
        | Subject::Judgement { .. }
        | Subject::Finish { .. }
        | Subject::Stagnation { .. }
        | Subject::UnknownOutcome { .. }
        | Subject::StageFailed { .. } => {
            Refusal::usage(format!("the flow `{}` has no plan to edit", flow.name())).hint(words)
        }
    }
}

/// What stands in an answer's file, of at most 1 MiB; one that can't be had is a matter of usage, and
/// the run waits on.
pub(super) fn text_of(path: &Path) -> Result<String, Refusal> {
    const MOST: u64 = 1 << 20;
    let refused = |what: &str| Refusal::usage(format!("{} {what}", path.display()));
    let mut text = String::new();
    let file = File::open(path).map_err(|error| refused(&format!("can't be opened: {error}")))?;
    let read = file.take(MOST + 1).read_to_string(&mut text);
    let bytes = read.map_err(|error| refused(&format!("can't be read: {error}")))?;
    if bytes as u64 > MOST {
        return Err(refused("is over 1 MiB: no plan and no input is"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::{Exit, exit_of};
    use ringfence_engine::{ModelStage, ReviewId};

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    fn edit(text: &str, subject: &Subject, flow: Flow) -> Result<Answer> {
        let file = file(text);
        read(Given::Edit(file.path().to_owned()), &about(subject.clone()), flow)
    }

    fn about(subject: Subject) -> Review {
        Review { id: ReviewId(7), subject }
    }

    #[test]
    fn an_approval_of_another_review_than_the_open_one_is_refused() {
        let approve = |what: Option<&str>| {
            read(Given::Approve(what.map(str::to_owned)), &about(stagnation()), Flow::Staged)
        };
        assert_eq!(approve(Some("7")).unwrap(), Answer::Approve { plan: None });
        assert_eq!(approve(None).unwrap(), Answer::Approve { plan: None });
        let error = approve(Some("6")).unwrap_err();
        assert_eq!(exit_of(&error), Exit::Usage);
        assert!(error.to_string().contains("the open one is review 7"), "{error}");
    }

    fn stagnation() -> Subject {
        Subject::Stagnation { seen: "a, a, a".to_owned() }
    }

    const PLAN: &str = "[[tasks]]\nid = 'a'\ndescription = 'b'\n";

    #[test]
    fn an_edited_file_is_read_as_what_the_question_is_about() {
        let finish = Subject::Finish { answer: Some("old".to_owned()), reasoning: String::new() };
        let text = edit("new\nlines\n\n", &finish, Flow::React).unwrap();
        assert_eq!(text, Answer::EditAnswer { text: "new\nlines".to_owned() });
        assert!(matches!(edit(PLAN, &stagnation(), Flow::Staged).unwrap(), Answer::EditPlan { .. }));
    }

    #[test]
    fn a_file_for_a_plan_that_the_flow_doesn_t_have_is_a_usage_error() {
        let failed =
            Subject::StageFailed { stage: ModelStage::Reason, why: String::new(), unreachable: false };
        for (subject, flow, says) in [
            (stagnation(), Flow::React, "the flow `react` has no plan"),
            (failed, Flow::Pipeline, "the flow `pipeline` has no plan"),
            (Subject::Interrupted, Flow::Staged, "nothing to edit"),
        ] {
            let error = edit(PLAN, &subject, flow).unwrap_err();
            assert_eq!(exit_of(&error), Exit::Usage);
            assert!(error.to_string().contains(says), "{error}");
        }
    }

    #[test]
    fn a_file_of_another_kind_is_a_usage_error() {
        for text in ["{\"directory\": \".\"}", "just words"] {
            let error = edit(text, &stagnation(), Flow::Staged).unwrap_err();
            assert_eq!(exit_of(&error), Exit::Usage);
            assert!(error.to_string().contains("isn't a plan"), "{error}");
        }
    }

    #[test]
    fn a_file_that_can_t_be_had_is_a_usage_error() {
        let folder = tempfile::tempdir().unwrap();
        let (long, binary) = (folder.path().join("long"), folder.path().join("binary"));
        std::fs::write(&long, vec![b'a'; (1 << 20) + 1]).unwrap();
        std::fs::write(&binary, [0xff, 0xfe]).unwrap();
        for (path, says) in [
            (folder.path().join("missing"), "can't be opened"),
            (folder.path().to_owned(), "can't be read"),
            (binary, "can't be read"),
            (long, "is over 1 MiB"),
        ] {
            for given in [Given::Edit(path.clone()), Given::Add(path.clone())] {
                let error = read(given, &about(stagnation()), Flow::Staged).unwrap_err();
                assert_eq!(exit_of(&error), Exit::Usage);
                let told = error.to_string();
                assert!(told.contains(says) && told.contains(&*path.to_string_lossy()), "{told}");
            }
        }
    }

    #[test]
    fn a_hash_may_be_given_by_its_first_digits_and_never_by_fewer_than_eight() {
        let plan = ringfence_engine::PlanVersion {
            version: 1,
            hash: PlanHash("0123456789abcdef".to_owned()),
            author: ringfence_engine::Author::Model,
            reasoning: String::new(),
            tasks: Vec::new(),
            approved: false,
        };
        let subject = Subject::Plan { plan };
        let approved = |given: &str| whole_hash(given.to_owned(), &subject).0;
        assert_eq!(approved("01234567"), "0123456789abcdef");
        assert_eq!(approved("0123456"), "0123456");
    }
}
