//! Asking a person: on the terminal, by flags, or not at all.
//!
//! Owns: which questions may be answered by whom, and how a question reads. What an answer does
//! is the engine's business; it refuses answers that don't fit.

pub mod plan_file;
mod prompt;
mod text;

pub use text::{call_line, describe, short, ways_on};

use anyhow::{Context, Result};
use ringfence_engine::{Answer, PlanHash, PlannedTask, Review, State, Subject};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An answer given on the command line, before the question is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// Go on; for a plan, the hash meant.
    Approve(Option<String>),
    /// A plan (TOML) or a call's input (JSON) instead of the proposed one.
    Edit(PathBuf),
    /// More tasks (TOML).
    Add(PathBuf),
    /// No, and why.
    Reject(String),
    /// The answer to a question.
    Reply(String),
    /// End the run.
    Abort,
}

/// What asking brought.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// An answer.
    Answered(Answer),
    /// Nobody is there, or they will answer another day.
    Later,
}

/// What somebody at a terminal said.
enum Said {
    /// Something about this question alone.
    Verdict(Verdict),
    /// This call and all to come, while this process lasts.
    ApproveAllCalls,
}

/// Who answers reviews.
#[derive(Debug, Default)]
pub struct Reviewer {
    /// An answer from the command line, for the first question only.
    pub given: Option<Given>,
    /// `--yes`: plans and calls are approved; anything else still needs a person.
    pub yes: bool,
    /// Whether somebody sits at a terminal.
    pub terminal: bool,
    /// Whether they approved all calls to come.
    pub all_calls: bool,
}

impl Reviewer {
    /// Whether [`Self::ask`] would ask somebody at the terminal.
    pub fn would_prompt(&self, review: &Review) -> bool {
        let approved = match &review.subject {
            Subject::Call { why, .. } => self.all_calls && why.pause_point().is_some(),
            Subject::Plan { .. }
            | Subject::Judgement { .. }
            | Subject::Finish { .. }
            | Subject::Question { .. }
            | Subject::Stagnation { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { .. }
            | Subject::Interrupted => false,
        };
        let covered = self.yes && covered_by_yes(&review.subject);
        self.terminal && self.given.is_none() && !approved && !covered
    }

    /// Asks, or says that the answer comes another day.
    pub async fn ask(&mut self, review: &Review, state: &State) -> Result<Verdict> {
        if let Some(given) = self.given.take() {
            let subject = review.subject.clone();
            // A file can be a pipe that nobody writes to; Ctrl-C must still be heard.
            let read = tokio::task::spawn_blocking(move || read_given(given, &subject));
            return Ok(Verdict::Answered(read.await.context("the answer can't be read")??));
        }
        if self.yes && covered_by_yes(&review.subject) {
            let plan = approved_hash(&review.subject);
            return Ok(Verdict::Answered(Answer::Approve { plan }));
        }
        if self.all_calls
            && matches!(&review.subject, Subject::Call { why, .. } if why.pause_point().is_some())
        {
            return Ok(Verdict::Answered(Answer::Approve { plan: None }));
        }
        if !self.terminal {
            return Ok(Verdict::Later);
        }
        let (review, shown) = (review.clone(), describe(review, state));
        let asked = tokio::task::spawn_blocking(move || prompt::ask(&review, &shown)).await;
        Ok(match asked.context("asking failed")?? {
            Said::Verdict(verdict) => verdict,
            Said::ApproveAllCalls => {
                self.all_calls = true;
                Verdict::Answered(Answer::Approve { plan: None })
            }
        })
    }
}

/// What `--yes` stands for: never a question to a person, never an outcome that nobody knows.
fn covered_by_yes(subject: &Subject) -> bool {
    match subject {
        Subject::Plan { .. } | Subject::Judgement { .. } | Subject::Finish { .. } => true,
        // What it could send, the run may have been told to send.
        Subject::Call { why, .. } => why.pause_point().is_some(),
        Subject::Question { .. }
        | Subject::Stagnation { .. }
        | Subject::UnknownOutcome { .. }
        | Subject::StageFailed { .. }
        | Subject::Interrupted => false,
    }
}

/// A hash may be given by its first digits, as it is printed.
fn whole_hash(given: String, subject: &Subject) -> PlanHash {
    const FEWEST: usize = 8;
    match approved_hash(subject) {
        Some(current) if given.len() >= FEWEST && current.0.starts_with(&given) => current,
        _ => PlanHash(given),
    }
}

/// The hash that an approval of this subject names.
fn approved_hash(subject: &Subject) -> Option<PlanHash> {
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

fn read_given(given: Given, subject: &Subject) -> Result<Answer> {
    Ok(match given {
        Given::Approve(hash) => Answer::Approve { plan: hash.map(|hash| whole_hash(hash, subject)) },
        Given::Reject(reason) => Answer::Reject { reason },
        Given::Reply(text) => Answer::Reply { text },
        Given::Abort => Answer::Abort,
        Given::Add(path) => {
            Answer::AddTasks { tasks: plan_file::read(&read(&path)?, &path.display().to_string())? }
        }
        Given::Edit(path) => {
            let (text, origin) = (read(&path)?, path.display().to_string());
            match subject {
                Subject::Call { .. } | Subject::UnknownOutcome { .. } => Answer::EditCall {
                    input: serde_json::from_str(&text).with_context(|| format!("{origin} isn't JSON"))?,
                },
                Subject::Finish { answer: Some(_), .. } => Answer::EditAnswer { text },
                Subject::Plan { .. }
                | Subject::Judgement { .. }
                | Subject::Finish { answer: None, .. }
                | Subject::Question { .. }
                | Subject::Stagnation { .. }
                | Subject::StageFailed { .. }
                | Subject::Interrupted => Answer::EditPlan { tasks: plan_file::read(&text, &origin)? },
            }
        }
    })
}

/// The tasks in a file (TOML).
pub fn read_plan(path: &Path) -> Result<Vec<PlannedTask>> {
    plan_file::read(&read(path)?, &path.display().to_string())
}

fn read(path: &Path) -> Result<String> {
    const MOST: u64 = 1 << 20;
    let mut text = String::new();
    let file = File::open(path).with_context(|| format!("{} can't be opened", path.display()))?;
    let read = file.take(MOST + 1).read_to_string(&mut text);
    let bytes = read.with_context(|| format!("{} can't be read", path.display()))?;
    anyhow::ensure!(bytes as u64 <= MOST, "{} is over 1 MiB: no plan and no input is", path.display());
    Ok(text)
}
