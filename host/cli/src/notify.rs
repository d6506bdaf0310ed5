//! Telling a command of the user's own what becomes of a run: `--notify`.
//!
//! Owns: what it is told, as one JSON object on its standard input, and that it can neither hold
//! the run up nor fail it. Nothing of a run's ever stands in the command line itself.
//!
//! Every object has `type`, `run`, `goal`, `project`, `stage`, `at_ms`. `paused` has `review`
//! (`subject`, `description`, `commands`: each of them complete) or `interrupted`; `failed` has
//! `ending`; `hung` comes from `supervise` and has `what`, `restarts`, `gave_up`.

use crate::driver::Halt;
use crate::progress::{Notice, Observer};
use crate::review::{describe, ways_on};
use crate::terminal::one_line;
use anyhow::{Context, Result, bail};
use ringfence_engine::{Ending, Review, ReviewId, State, Subject};
use ringfence_store::Store;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long the command may take.
pub const LIMIT: Duration = Duration::from_secs(10);
/// How often it is looked after meanwhile.
const LOOK: Duration = Duration::from_millis(20);
/// Characters of a description.
const DESCRIPTION: usize = 400;

/// What is the same in everything that is told of a run.
#[derive(Debug, Clone)]
pub struct Subscription {
    /// The command, for `sh -c`.
    pub command: String,
    /// The real path of the project folder.
    pub project: String,
    /// The command that takes the run up again, up to and including its id.
    pub resume: String,
}

/// Watches a run for the command, and lets another observer watch it too.
pub struct Notifying {
    inner: Box<dyn Observer>,
    to: Subscription,
    /// The question that the command knows of.
    told: Option<ReviewId>,
    sending: Sending,
}

/// Messages under way, which arrive in order; dropping this waits for them.
#[derive(Debug, Default)]
pub struct Sending(Option<JoinHandle<()>>);

impl Sending {
    /// Tells the command, while the caller goes on.
    pub fn send(&mut self, command: String, message: Value) {
        let before = Self(self.0.take());
        self.0 = Some(thread::spawn(move || {
            drop(before);
            send(&command, &message);
        }));
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        if let Some(sending) = self.0.take() {
            let _ = sending.join();
        }
    }
}

impl Notifying {
    /// Tells `to`, and `inner` as before.
    pub fn new(inner: Box<dyn Observer>, to: Subscription) -> Self {
        Self { inner, to, told: None, sending: Sending::default() }
    }

    fn message(&self, kind: &str, state: &State, more: Value) -> Value {
        let stage = state.stage.name().as_str();
        message(kind, (&state.run.0, &state.goal, &self.to.project, stage), more)
    }

    fn paused(&self, review: &Review, state: &State) -> Value {
        let review = json!({
            "subject": name_of(&review.subject),
            "description": one_line(&describe(review, state), DESCRIPTION),
            "commands": ways_on(&self.to.resume, review, state.settings.flow),
        });
        self.message("paused", state, json!({ "review": review }))
    }

    fn halted(&self, halt: &Halt, state: &State) -> Option<Value> {
        Some(match halt {
            Halt::Ended(Ending::Achieved) => self.message("finished", state, json!({})),
            Halt::Ended(ending) => self.message("failed", state, json!({ "ending": ending })),
            // They were told when a person was asked, who chose to answer another day.
            Halt::Waiting(review) if self.told == Some(review.id) => return None,
            Halt::Waiting(review) => self.paused(review, state),
            Halt::Interrupted => self.message("paused", state, json!({ "interrupted": true })),
        })
    }
}

impl Observer for Notifying {
    fn notice(&mut self, notice: Notice<'_>) {
        let message = match &notice {
            // The same question comes again after an answer that doesn't fit.
            Notice::Asking { review, .. } if self.told == Some(review.id) => None,
            Notice::Asking { review, state } => {
                self.told = Some(review.id);
                Some(self.paused(review, state))
            }
            Notice::Halted { halt, state } => self.halted(halt, state),
            Notice::ModelChosen { .. }
            | Notice::Opened { .. }
            | Notice::ModelAsked { .. }
            | Notice::ToolCalled { .. }
            | Notice::Compiling { .. }
            | Notice::Compiled { .. }
            | Notice::Happened { .. } => None,
        };
        self.inner.notice(notice);
        if let Some(message) = message {
            self.sending.send(self.to.command.clone(), message);
        }
    }
}

/// The object: what every one has (run, goal, project, stage), and what this one has besides.
pub fn message(kind: &str, about: (&str, &str, &str, &str), more: Value) -> Value {
    let (run, goal, project, stage) = about;
    let common = json!({
        "type": kind, "run": run, "goal": goal, "project": project, "stage": stage, "at_ms": Store::now(),
    });
    let fields = [common, more].into_iter().filter_map(|part| match part {
        Value::Object(fields) => Some(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    });
    Value::Object(fields.flatten().collect::<Map<_, _>>())
}

/// Tells the command, and waits for it up to [`LIMIT`]; a failure is only warned of.
fn send(command: &str, message: &Value) {
    if let Err(error) = deliver(command, message, LIMIT) {
        tracing::warn!("the notification command failed: {error:#}");
    }
}

fn deliver(command: &str, message: &Value, limit: Duration) -> Result<()> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C is for the run, and what it leaves behind can be ended with it.
        .process_group(0)
        .spawn()
        .context("sh can't be run")?;
    let words = format!("{message}\n");
    // A command that doesn't read its input needn't; the pipe breaks when it ends.
    let writer = child.stdin.take().map(|mut input| thread::spawn(move || input.write_all(words.as_bytes())));
    let ended = wait_for(&mut child, limit);
    match ended {
        Ok(Some(status)) if status.success() => {}
        Ok(Some(status)) => bail!("it ended with {status}"),
        Ok(None) | Err(_) => {
            end_group(&mut child);
            ended.context("it can't be waited for")?;
            bail!("it took longer than {} s and was ended", limit.as_secs_f64());
        }
    }
    // What it left in the background may hold the pipe; the words are in it, or nobody reads them.
    drop(writer);
    Ok(())
}

fn wait_for(child: &mut Child, limit: Duration) -> std::io::Result<Option<std::process::ExitStatus>> {
    let deadline = Instant::now() + limit;
    loop {
        let status = child.try_wait()?;
        if status.is_some() || Instant::now() >= deadline {
            return Ok(status);
        }
        thread::sleep(LOOK);
    }
}

fn end_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // Not reaped yet, so the number is still its own.
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

fn name_of(subject: &Subject) -> &'static str {
    match subject {
        Subject::Plan { .. } => "plan",
        Subject::Call { .. } => "call",
        Subject::Judgement { .. } => "judgement",
        Subject::Finish { .. } => "finish",
        Subject::Question { .. } => "question",
        Subject::Stagnation { .. } => "stagnation",
        Subject::UnknownOutcome { .. } => "unknown_outcome",
        Subject::StageFailed { .. } => "stage_failed",
        Subject::Interrupted => "interrupted",
    }
}

#[cfg(test)]
mod tests;
