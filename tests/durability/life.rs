//! The whole life of a run: processes that begin it, are killed, take it up, and a person who
//! answers between them by what really happened.

use crate::child;
use crate::rig;
use crate::scenario::Scenario;
use crate::world::{Mark, Moment, Tool, marks};
use ringfence::review::Given;
use ringfence::session::replay;
use ringfence_engine::{Cause, Effect, Review, Run, Stage, State, Subject};
use ringfence_store::Journal;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use tempfile::TempDir;

/// Processes that one life takes at most.
const PROCESSES: usize = 24;

/// Where a process is killed: the how-manieth it is, and at which place it passes.
pub(crate) type Kill = (usize, u64);

/// When a person answers a question that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    /// As soon as they see it, also one that the journal of a killed process has.
    Hasty,
    /// Once a process waits for it.
    Patient,
}

/// What a life came to.
pub(crate) struct Life {
    pub(crate) journal: Journal,
    pub(crate) state: State,
    pub(crate) marks: Vec<Mark>,
    pub(crate) processes: usize,
    /// Those of them that were killed.
    pub(crate) killed: Vec<usize>,
}

/// Lives the scenario to its end.
pub(crate) fn live(scenario: &Scenario, kills: &[Kill], person: Person) -> Life {
    let folder = folder();
    let mut killed = Vec::new();
    let (mut waits, mut known) = (false, None::<(Journal, State)>);
    for process in 0..PROCESSES {
        let seen = known.as_ref().filter(|_| waits || person == Person::Hasty);
        let answer = seen.and_then(|(_, state)| answer_to(&question(state)?, folder.path()));
        let kill_at = kills.iter().find(|(place, _)| *place == process).map(|(_, point)| *point);
        let ended = child::run(folder.path(), scenario, answer.as_ref(), kill_at);
        let told = || format!("{} {kills:?}, process {process}:\n{ended:?}", scenario.name);

        let now = rig::journal(folder.path()).map(|journal| {
            let state = replay(&journal).unwrap_or_else(|error| panic!("{error:#}: {}", told()));
            (journal, state)
        });
        if let Some((before, _)) = &known {
            let events = now.as_ref().map_or(&[][..], |(journal, _)| &journal.events);
            assert!(events.starts_with(&before.events), "what was recorded stays: {}", told());
        }
        waits = ended.status.success();
        match (waits, now) {
            (false, now) => {
                assert_eq!((ended.status.signal(), kill_at.is_some()), (Some(9), true), "{}", told());
                killed.push(process);
                known = now;
            }
            (true, None) => panic!("no run: {}", told()),
            (true, Some((journal, state))) => match &state.stage {
                Stage::Finished => {
                    let marks = marks(folder.path());
                    return Life { journal, state, marks, processes: process + 1, killed };
                }
                Stage::PausedForReview { .. } | Stage::Delegating { .. } => known = Some((journal, state)),
                other => panic!("stopped while {}: {}", other.name(), told()),
            },
        }
    }
    panic!("{} {kills:?}: no end after {PROCESSES} processes", scenario.name)
}

/// A folder in memory where there is one: these processes die, the machine doesn't.
fn scratch() -> &'static Path {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory } else { Path::new(env!("CARGO_TARGET_TMPDIR")) }
}

/// The first question that is open.
fn question(state: &State) -> Option<Review> {
    Run::from_state(state.clone()).owed().into_iter().find_map(|effect| match effect {
        Effect::AskPerson(review) => Some(review),
        Effect::CallModel(_) | Effect::CallTool(_) | Effect::Finish(_) => None,
    })
}

/// What a person answers who has looked at the world; none where resuming is answer enough.
fn answer_to(review: &Review, folder: &Path) -> Option<Given> {
    match &review.subject {
        Subject::UnknownOutcome { call } => {
            let happened =
                marks(folder).iter().any(|mark| mark.moment == Moment::TookEffect && mark.call == call.call);
            Some(match happened {
                true => Given::Reply(Tool::called(&call.tool).result(&call.input)),
                false => approval(review),
            })
        }
        Subject::Call {
            why: Cause::ReadAndReceived | Cause::AfterEvaluate | Cause::OnLowConfidence, ..
        }
        | Subject::Judgement { .. }
        | Subject::Finish { .. } => Some(approval(review)),
        Subject::Question { .. } => Some(Given::Reply("You may.".to_owned())),
        // `--yes` and a model that is back answer these.
        Subject::Plan { .. }
        | Subject::Call { why: Cause::BeforeTool | Cause::BeforeWrite | Cause::BeforeEgress, .. }
        | Subject::StageFailed { unreachable: true, .. } => None,
        Subject::Stagnation { .. } | Subject::StageFailed { .. } | Subject::Interrupted => {
            panic!("no scenario asks this: {review:?}")
        }
    }
}

/// The approval of this question and no other.
fn approval(review: &Review) -> Given {
    Given::Approve(Some(review.id.to_string()))
}

/// A folder for a journal.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in(scratch()).expect("a folder")
}
