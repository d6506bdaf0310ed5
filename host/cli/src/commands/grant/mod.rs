//! `ringfence grant`: what a person allows a run besides what it was started with.
//!
//! It becomes an event of the run, so that whoever takes the run up has it. Owns: what can be
//! asked for, and that it can be had before it is journaled. Doesn't own: what it does (`setup`).

mod dir;
mod env;
mod host;

use crate::args::{GlobalArgs, GrantLaterArgs};
use crate::config::{self, Durability, secrets};
use crate::driver::{Stopwatch, intents};
use crate::exit::{Exit, OrUsage, Refusal};
use crate::granted::{granted_words, host_of};
use crate::output::{err, out};
use crate::session::{self, replay, resume_command};
use crate::setup::Setup;
use crate::state_dir::Folders;
use crate::terminal::{one_line, plain};
use anyhow::Result;
use ringfence_engine::{
    Event, EventKind, Granted, LaterGrant, Run, Stage, State, Subject, ToolFacts, ToolSpec,
};
use ringfence_sandbox::Grants;
use ringfence_store::{Entry, Lease, Store, StoreError};
use std::collections::BTreeMap;

/// Carries the command out: all of what is asked for, or nothing.
pub(super) fn execute(args: &GrantLaterArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let known = super::existing_store(&folders, &args.run)?.find(&args.run)?;
    if known.ending.is_some() {
        let what = format!("run {} has ended; nothing can be granted to it", known.id);
        let again = format!("show it: {}", session::own_command(&format!("show {}", known.id), &folders));
        return Err(Refusal::usage(what).hint(again).into());
    }
    let store = folders.open_store(Durability::Full)?;
    let last_sign = store.heartbeat(&known.id)?.map(|sign| sign.at);
    let mut lease = store.lease(&known.id).map_err(|error| driven(error, &folders))?;
    let mut run = Run::from_state(replay(&store.journal(&known.id)?)?);
    let mut before = Setup::of(run.state())?;
    let mut grants = Vec::new();
    for dir in &args.dirs {
        let grant = dir::wanted(dir, &before.grants)?;
        before.allow(&grant)?;
        grants.push(grant);
    }
    for host in &args.hosts {
        let grant = host::wanted(host, &before.grants)?;
        before.allow(&grant)?;
        grants.push(grant);
    }
    for name in &args.env {
        let grant = env::wanted(name, &before.grants)?;
        before.allow(&grant)?;
        grants.push(grant);
    }
    // What can't be opened is refused here, with nothing journaled.
    let (can, tools) = changed(run.state(), &before, &folders)?;
    let mut unjournaled = Stopwatch::unjournaled(run.state(), last_sign);
    for (place, grant) in grants.iter().enumerate() {
        let is_last = place + 1 == grants.len();
        let (can, tools) = if is_last { (can.clone(), tools.clone()) } else { Default::default() };
        let kind = EventKind::Granted(Granted { by: who(), grant: grant.clone(), can, tools });
        let worked_ms = u64::try_from(std::mem::take(&mut unjournaled).as_millis()).ok();
        record(&mut run, &mut lease, Event { at: Store::now(), worked_ms, kind })?;
        out(&format!("granted: {}{}\n", granted_words(grant), sends(grant, &before.grants)?))?;
    }
    drop(lease);
    if !global.quiet {
        for name in config::env::unset(&before.grants).into_iter().filter(|name| args.env.contains(name)) {
            err(&format!(
                "note: `{name}` is granted, and isn't set: set it for whoever goes on with the run\n"
            ));
        }
        err(&onward(run.state(), &grants, &folders));
    }
    Ok(Exit::Done)
}

/// The secrets of the run that go with requests to a host that is granted now.
fn sends(grant: &LaterGrant, all: &Grants) -> Result<String> {
    let LaterGrant::Host { url, methods, private } = grant else { return Ok(String::new()) };
    let along = secrets::narrowed(&all.secrets, &[host_of(url, methods, *private)?]);
    let names: Vec<_> = along.iter().map(|secret| format!("`{}`", secret.name.as_str())).collect();
    Ok(match names.as_slice() {
        [] => String::new(),
        names => format!(", with the secret {}", names.join(", ")),
    })
}

fn record(run: &mut Run, lease: &mut Lease, event: Event) -> Result<()> {
    let before = run.owed();
    let owed = run.apply(event.clone()).or_usage()?;
    let intents = intents(&before, &owed);
    let stage = &run.state().stage;
    lease.append(&Entry { event: &event, intents: &intents, receipts: &[], stage })?;
    Ok(())
}

/// What tools can do with all of it, where that is another thing than before, and those that can
/// work only now.
fn changed(
    state: &State,
    setup: &Setup,
    folders: &Folders,
) -> Result<(BTreeMap<String, ToolFacts>, Vec<ToolSpec>)> {
    let fenced = setup.fence(folders)?;
    let known = &state.settings.tools;
    let changed = known.iter().filter_map(|tool| {
        let can = fenced.toolbox.facts(&tool.name);
        (can != tool.can).then(|| (tool.name.clone(), can))
    });
    let is_known = |spec: &ToolSpec| known.iter().any(|tool| tool.name == spec.name);
    let new = fenced.specs().into_iter().filter(|spec| !is_known(spec));
    Ok((changed.collect(), new.collect()))
}

/// A process that drives a run is the only one that may write its journal.
fn driven(error: StoreError, folders: &Folders) -> anyhow::Error {
    let StoreError::Busy { run, .. } = &error else { return error.into() };
    let resume = session::own_command(&format!("resume {run}"), folders);
    Refusal::usage(error.to_string())
        .hint(format!("let it stop first (at a question: q; else Ctrl-C), grant, then: {resume}"))
        .into()
}

/// Who grants, as the system knows them.
fn who() -> String {
    let names = ["USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    let named = names.map(|name| one_line(&name, 100)).find(|name| !name.is_empty());
    named.unwrap_or_else(|| format!("user {}", rustix::process::getuid().as_raw()))
}

/// How the run goes on. A question stays open: granting doesn't answer it.
fn onward(state: &State, grants: &[LaterGrant], folders: &Folders) -> String {
    let resume = resume_command(&state.run, folders);
    let words: Vec<_> = grants.iter().map(granted_words).collect();
    let asks = match &state.stage {
        Stage::PausedForReview { review, .. } => Some(&review.subject),
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Delegating { .. }
        | Stage::Reflecting { .. }
        | Stage::Finished
        | Stage::Failed { .. } => None,
    };
    let way = match asks {
        Some(Subject::Question { .. }) => {
            let answer = format!("granted: {}", words.join(", "));
            format!(
                "The run still waits for its answer. To give it and go on:\n  {resume} --answer {}",
                crate::shell::quote(&answer)
            )
        }
        Some(
            Subject::Plan { .. }
            | Subject::Call { .. }
            | Subject::Judgement { .. }
            | Subject::Finish { .. }
            | Subject::Stagnation { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { .. },
        ) => format!(
            "The run still waits for an answer. What it asks, and how to give it:\n  {}",
            session::own_command(&format!("show {}", state.run), folders)
        ),
        Some(Subject::Interrupted) | None => format!("It holds from the next call on. To go on:\n  {resume}"),
    };
    format!("{}\n", plain(&way))
}
