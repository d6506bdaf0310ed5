//! One command's work on one run: beginning it, taking it up again, and telling how it stopped.
//!
//! Owns: the way from terms to a driver and from a halt to what is printed. Doesn't own: the
//! driving itself (`driver`), the report's content (`report`), how it says what became of a run
//! (`stopped`).

use crate::args::GlobalArgs;
use crate::config::Durability;
use crate::driver::{Driver, Halt, Stopwatch};
use crate::executor::Fenced;
use crate::exit::{Exit, OrUsage};
use crate::failpoint;
use crate::interrupt::Interrupt;
use crate::model_choice::{Environment, ModelPlan};
use crate::notify::{Notifying, Subscription};
use crate::output::out;
use crate::progress::{JsonLines, Lines, Notice, Observer, Silent, print_line};
use crate::recovery::Recovery;
use crate::report::{self, Report};
use crate::review::{Given, Reviewer};
use crate::setup::Setup;
use crate::shell;
use crate::state_dir::Folders;
use crate::terminal;
use anyhow::{Context, Result};
use ringfence_engine::{Answer, Effect, Event, EventKind, Run, RunId, Settings, State};
use ringfence_models::Model;
use ringfence_sandbox::Sandbox;
use ringfence_store::{Entry, Journal, Lease, NewRun, Store};
use serde_json::json;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

mod delivery;
mod stopped;

pub use delivery::{Delivery, Form, write};
pub use stopped::{ended, tell_question, tell_staged};

use stopped::conclude;

/// How a command talks.
#[derive(Debug, Clone, Copy)]
pub struct Voice {
    /// JSON lines on standard output.
    pub json: bool,
    /// No progress.
    pub quiet: bool,
    /// A person can be asked.
    pub interactive: bool,
}

impl Voice {
    /// As the flags and the terminal have it.
    pub fn new(json: bool, global: &GlobalArgs) -> Self {
        Self { json, quiet: global.quiet, interactive: terminal::is_interactive() && !json }
    }

    fn observer(self, yes: bool, notify: Option<Subscription>) -> Box<dyn Observer> {
        let shown: Box<dyn Observer> = if self.json {
            Box::new(JsonLines)
        } else if self.quiet {
            Box::new(Silent)
        } else {
            Box::new(Lines::new(std::io::stderr().is_terminal(), self.interactive && !yes))
        };
        match notify {
            Some(to) => Box::new(Notifying::new(shown, to)),
            None => shown,
        }
    }
}

/// A run about to begin.
pub struct Beginning {
    /// What it is to achieve.
    pub goal: String,
    /// How.
    pub settings: Settings,
    /// The real path of the project folder.
    pub project: PathBuf,
    /// Who answers its stages.
    pub model: Arc<dyn Model>,
    /// Who makes its tool calls.
    pub fenced: Fenced,
    /// `--yes`.
    pub yes: bool,
    /// What an acknowledged step survives.
    pub durability: Durability,
    /// The command that is told what becomes of the run.
    pub notify: Option<String>,
    /// What becomes of its report.
    pub delivery: Delivery,
}

/// How a run is taken up again.
pub struct Resumption {
    /// Other models than those that it began with.
    pub other: Option<ModelPlan>,
    /// Where exchanges with models are recorded.
    pub record: Option<PathBuf>,
    /// Who answers reviews.
    pub reviewer: Reviewer,
    /// What an acknowledged step survives.
    pub durability: Durability,
    /// The command that is told what becomes of the run.
    pub notify: Option<String>,
    /// What becomes of its report.
    pub delivery: Delivery,
}

/// A run as its driver left it.
pub struct Driven {
    /// The run.
    pub run: Run,
    /// Why the driver stopped.
    pub halt: Halt,
    /// Time that passed while a model or a tool was at work.
    pub awaited: Duration,
    /// Who was told what happened; dropped, it ends what it still has to tell.
    pub observer: Box<dyn Observer>,
}

/// Begins a run, drives it until it stops, and tells how.
pub fn begin(beginning: Beginning, folders: &Folders, voice: Voice) -> Result<Exit> {
    let durability = beginning.durability;
    let delivery = beginning.delivery.clone();
    let driven = drive(beginning, folders, voice)?;
    let store = folders.open_store(durability)?;
    conclude(&store, driven.run.state(), &driven.halt, &delivery, folders, voice)?;
    delivery.exit(driven.halt.exit(), || report_of(&store.journal(&driven.run.state().run)?))
}

/// Begins a run and drives it until it stops.
pub fn drive(beginning: Beginning, folders: &Folders, voice: Voice) -> Result<Driven> {
    let Beginning { goal, settings, project, model, fenced, yes, durability, notify, delivery: _ } =
        beginning;
    let at = Store::now();
    let id = new_id(at.0);
    let started = Event {
        at,
        worked_ms: Some(0),
        kind: EventKind::Started { run: id.clone(), goal: goal.clone(), settings: Box::new(settings) },
    };
    let (run, effects) = Run::start(started.clone()).or_usage()?;
    let store = folders.open_store(durability)?;
    let notify = subscription(notify, &id, &project, folders);
    let entered =
        NewRun { id: id.clone(), project, goal, model: model.identity(), created: at, parent: None };
    let intents: Vec<_> = effects.iter().map(Effect::intent).collect();
    let entry = Entry { event: &started, intents: &intents, receipts: &[], stage: &run.state().stage };
    failpoint::hit("append");
    let lease = store.create_run(&entered, &entry)?;
    failpoint::hit("appended");
    let reviewer =
        Reviewer { yes, terminal: voice.interactive, folders: Some(folders.clone()), ..Reviewer::default() };
    let sandbox = fenced.sandbox.clone();
    let fenced = fenced.staged(&run.state().run, None, folders)?;
    go(&sandbox, Origin::New, None, |interrupt| Driver {
        run,
        lease,
        model,
        executor: Arc::new(fenced),
        observer: voice.observer(yes, notify),
        reviewer,
        interrupt,
        stopwatch: Stopwatch::begin(),
        awaited: Duration::ZERO,
    })
}

/// Takes a run up again, with a first answer where one was given, and with other models where
/// those are named.
pub fn take_up(run: &RunId, resumption: Resumption, folders: &Folders, voice: Voice) -> Result<Exit> {
    let store = folders.open_store(resumption.durability)?;
    // Taking the lease is a sign of life of its own.
    let last_sign = store.heartbeat(run)?.map(|sign| sign.at);
    // The lease first: what is read after it can't change under us.
    let lease = store.lease(run)?;
    let journal = store.journal(run)?;
    let run = Run::from_state(replay(&journal)?);
    let means = Means::of(run.state(), &resumption, folders)?;
    let unjournaled = Stopwatch::unjournaled(run.state(), last_sign);
    let was_driven = was_driven(&journal);
    go_on(Opened { store, lease, run, unjournaled, was_driven }, means, resumption, folders, voice)
}

/// A run that was forked and left alone has had no driver: it holds what it was forked with, and its
/// plan.
fn was_driven(journal: &Journal) -> bool {
    let given = journal.run.parent.as_ref().map_or(0, |parent| parent.event);
    let own = journal.events.iter().skip(usize::try_from(given).unwrap_or(usize::MAX));
    own.map(|recorded| &recorded.event.kind).any(|kind| match kind {
        EventKind::Replanned { .. }
        | EventKind::Answered { answer: Answer::EditPlan { .. }, .. }
        | EventKind::Granted(_)
        | EventKind::ChangesSettled(_) => false,
        EventKind::Started { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::ModelFailed { .. }
        | EventKind::ModelDropped { .. }
        | EventKind::ToolFinished { .. }
        | EventKind::ProposedAgain { .. }
        | EventKind::Answered { .. }
        | EventKind::Interrupted
        | EventKind::Resumed { .. } => true,
    })
}

/// What a run that was there before is driven with.
pub struct Means {
    /// Where it works.
    pub project: PathBuf,
    /// Who answers its stages.
    pub model: Arc<dyn Model>,
    /// Who makes its tool calls.
    pub fenced: Fenced,
}

impl Means {
    /// On the terms that the run was started on, with other models where those are named.
    pub fn of(state: &State, resumption: &Resumption, folders: &Folders) -> Result<Self> {
        let setup = Setup::of(state)?;
        let plan = resumption.other.as_ref().unwrap_or(&setup.models);
        let model = plan.connect(&Environment::read(), folders, resumption.record.as_deref())?;
        let fenced = match resumption.reviewer.given {
            Some(Given::Abort) => setup.fence_to_end(folders)?,
            Some(_) | None => setup.fence(folders)?,
        };
        Ok(Self { project: setup.project, model, fenced })
    }
}

/// A run that this process may write.
pub struct Opened {
    /// Its journal's file.
    pub store: Store,
    /// The right to write it.
    pub lease: Lease,
    /// As it is.
    pub run: Run,
    /// Working time since its latest event, as far as a driver that was lost gave signs of life.
    pub unjournaled: Duration,
    /// Whether a driver had it before.
    pub was_driven: bool,
}

/// Drives a run that was there before until it stops, and tells how.
pub fn go_on(
    opened: Opened,
    means: Means,
    resumption: Resumption,
    folders: &Folders,
    voice: Voice,
) -> Result<Exit> {
    let Opened { store, lease, run, unjournaled, was_driven } = opened;
    let Means { project, model, fenced } = means;
    let Resumption { other: _, record: _, reviewer, durability: _, notify, delivery } = resumption;
    let notify = subscription(notify, &run.state().run, &project, folders);
    let yes = reviewer.yes;
    let sandbox = fenced.sandbox.clone();
    // Ending a run needs no stage, so that it can be ended whatever state that is in.
    let (fenced, recovery) = if matches!(reviewer.given, Some(Given::Abort)) {
        (fenced, None)
    } else {
        let journal = store.journal(&run.state().run)?;
        let fenced = fenced.staged(&run.state().run, Some(&journal), folders)?;
        let recovered = fenced.staging.as_ref().map(|staging| staging.recovered(&project, &journal));
        (fenced, recovered.transpose()?.flatten())
    };
    if let Some(recovery) = &recovery {
        recovery.tell(voice.quiet);
    }
    let origin = if was_driven { Origin::Driven } else { Origin::Forked };
    let driven = go(&sandbox, origin, recovery.map(|it| (it, voice)), |interrupt| Driver {
        run,
        lease,
        model,
        executor: Arc::new(fenced),
        observer: voice.observer(yes, notify),
        reviewer,
        interrupt,
        stopwatch: Stopwatch::with(unjournaled),
        awaited: Duration::ZERO,
    })?;
    conclude(&store, driven.run.state(), &driven.halt, &delivery, folders, voice)?;
    delivery.exit(driven.halt.exit(), || report_of(&store.journal(&driven.run.state().run)?))
}

fn subscription(
    command: Option<String>,
    run: &RunId,
    project: &Path,
    folders: &Folders,
) -> Option<Subscription> {
    let (project, resume) = (project.display().to_string(), resume_command(run, folders));
    command.map(|command| Subscription { command, project, resume })
}

/// The state that a journal's events come to.
pub fn replay(journal: &Journal) -> Result<State> {
    let events = journal.events.iter().map(|recorded| recorded.event.clone());
    let (run, _) = Run::replay(events).with_context(|| {
        format!(
            "the journal of run {} doesn't fold: it was written by another version, or is damaged",
            journal.run.id
        )
    })?;
    let (listed, stage) = (journal.run.stage, run.state().stage.name());
    if listed != stage {
        anyhow::bail!(
            "the journal of run {} is damaged: it is listed as {listed} and is {stage}",
            journal.run.id
        );
    }
    Ok(run.state().clone())
}

/// The report of a run, from its journal alone.
pub fn report_of(journal: &Journal) -> Result<Report> {
    let state = replay(journal)?;
    let receipts =
        journal.receipts.iter().map(|stored| (stored.id.clone(), stored.receipt.clone())).collect();
    let project = journal.run.project.display().to_string();
    Ok(Report::from_journal(report::Journal {
        state: &state,
        receipts: &receipts,
        project: &project,
        model: &journal.run.model,
    }))
}

/// Prints what a run that ended came to: the whole report, or on a terminal, where that would
/// scroll away, what it says at a glance.
pub fn print_result(journal: &Journal, delivery: &Delivery, folders: &Folders, json: bool) -> Result<()> {
    let report = report_of(journal)?;
    let written = delivery.folder.as_ref().map(|folder| delivery::write_all(&report, folder)).transpose()?;
    if json {
        return print_line(&json!({"type": "report", "report": report}));
    }
    if let Some(names) = written {
        return out(&names);
    }
    if !std::io::stdout().is_terminal() {
        return out(&report::markdown(&report));
    }
    let whole = own_command(&format!("report {}", journal.run.id), folders);
    out(&format!("{}\nThe whole report: {whole}\n", report::brief(&report)))
}

/// The command that takes a run up again, complete.
pub fn resume_command(run: &RunId, folders: &Folders) -> String {
    own_command(&format!("resume {run}"), folders)
}

/// A command of this binary, complete: with its path as it was called and the state folder.
pub fn own_command(words: &str, folders: &Folders) -> String {
    format!("{} {words}{}", shell::quote(&own_name()), folders.flag())
}

/// What this binary was called by, for commands that are printed.
pub fn own_name() -> String {
    let program = std::env::args_os().next().unwrap_or_default().to_string_lossy().into_owned();
    if program.contains('/') { program } else { "ringfence".to_owned() }
}

/// Where a run comes from that is about to be driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It begins.
    New,
    /// It was forked, and nobody has driven it.
    Forked,
    /// From another driver.
    Driven,
}

/// Drives on the sandbox's own runtime, where a tool call costs no change of thread.
fn go(
    sandbox: &Sandbox,
    origin: Origin,
    recovery: Option<(Recovery, Voice)>,
    driver: impl FnOnce(Interrupt) -> Driver,
) -> Result<Driven> {
    sandbox.block_on(async {
        let mut driver = driver(Interrupt::on_signals().context("signals can't be watched")?);
        let run = driver.run.state().run.clone();
        let identity = driver.model.identity();
        driver.observer.notice(Notice::ModelChosen { identity: &identity });
        driver.observer.notice(Notice::Opened { run: &run, resumed: origin != Origin::New });
        if let Some((recovery, voice)) = recovery {
            if voice.json {
                print_line(&json!({"type": "recovered", "recovered": recovery.json()}))?;
            }
            recovery.journal(|settled| driver.record(EventKind::ChangesSettled(settled), None))?;
        }
        match origin {
            Origin::New => {}
            Origin::Forked => driver.take_over()?,
            Origin::Driven => {
                driver.reckon_lost()?;
                driver.take_over()?;
            }
        }
        let halt = driver.drive().await?;
        // It may still be telling somebody, which needn't keep anybody waiting for the result.
        Ok(Driven { run: driver.run, halt, awaited: driver.awaited, observer: driver.observer })
    })
}

/// A name that sorts by time and is short enough to type: date, time, six random digits.
pub fn new_id(at_ms: i64) -> RunId {
    let time = jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default();
    let random = uuid::Uuid::now_v7().simple().to_string();
    let tail = random.get(26..).unwrap_or_default();
    RunId(format!("{}-{tail}", time.strftime("%Y%m%d-%H%M%S")))
}
