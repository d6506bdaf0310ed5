//! `ringfence replay`: does the run, made again from its journal, come out as it did?
//!
//! No model is asked and nothing is written. Owns: what is compared, and what that comes to.

mod again;
mod difference;
mod fold;
mod inputs;
mod verdict;

use crate::args::{GlobalArgs, ReplayArgs};
use crate::exit::Exit;
use crate::output::{out, out_json};
use crate::state_dir::Folders;
use crate::terminal::one_line;
use anyhow::Result;
use fold::Folded;
use ringfence_engine::StepId;
use ringfence_store::Journal;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use verdict::{Compared, Verdict};

/// Carries the command out. Reading needs no lease: the run may be driven meanwhile.
pub(super) fn execute(args: &ReplayArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let store = super::existing_store(&folders, &args.run)?;
    let journal = store.journal(&store.find(&args.run)?.id)?;
    let folded = fold::fold(&journal);
    let compared = match &folded.run {
        Some(run) => again::compare(run, &folded.ended, args.all, &folders)?,
        None => Vec::new(),
    };
    let counts = Counts::of(&compared);
    let same = folded.findings.is_empty() && counts.different == 0;
    match args.json {
        true => out_json(&as_json(&journal, &folded, &compared, &counts, same))?,
        false => out(&as_text(&journal, &folded, &compared, &counts, global.quiet))?,
    }
    Ok(if same { Exit::Done } else { Exit::Failed })
}

/// Tool calls by verdict.
#[derive(Default)]
struct Counts {
    equal: usize,
    changed: usize,
    different: usize,
    skipped: usize,
}

impl Counts {
    fn of(compared: &[Compared]) -> Self {
        let mut counts = Self::default();
        for call in compared {
            match call.verdict {
                Verdict::Equal => counts.equal += 1,
                Verdict::Changed(_) => counts.changed += 1,
                Verdict::Different { .. } => counts.different += 1,
                Verdict::Skipped(_) => counts.skipped += 1,
            }
        }
        counts
    }

    fn made(&self) -> usize {
        self.equal + self.changed + self.different
    }
}

fn as_text(
    journal: &Journal,
    folded: &Folded,
    compared: &[Compared],
    counts: &Counts,
    quiet: bool,
) -> String {
    let mut text = String::new();
    let mut say = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    for finding in &folded.findings {
        say(&format!("different: {}", finding.text()));
    }
    let wanted = |call: &&Compared| !quiet || matches!(call.verdict, Verdict::Different { .. });
    for line in compared.iter().filter(wanted).filter_map(Compared::text) {
        say(&line);
    }
    if !quiet {
        skipped(compared).iter().for_each(|line| say(line));
    }
    if folded.unknown_intents {
        say("What was about to happen wasn't recorded by the version that wrote this journal.");
    }
    say(&format!(
        "{} events, {} model calls, {} of {} tool calls re-executed: {} equal, {} with changed inputs, {} different, \
         {} skipped",
        journal.events.len(),
        folded.model_calls,
        counts.made(),
        compared.len(),
        counts.equal,
        counts.changed,
        counts.different,
        counts.skipped
    ));
    text
}

/// One line for each reason to skip calls.
fn skipped(compared: &[Compared]) -> Vec<String> {
    const SHOWN: usize = 10;
    let mut by_reason: BTreeMap<&str, Vec<StepId>> = BTreeMap::new();
    for call in compared {
        match &call.verdict {
            Verdict::Skipped(why) => by_reason.entry(why).or_default().push(call.step),
            Verdict::Equal | Verdict::Changed(_) | Verdict::Different { .. } => {}
        }
    }
    let line = |(why, steps): (&str, Vec<StepId>)| {
        let named: Vec<_> = steps.iter().take(SHOWN).map(ToString::to_string).collect();
        let more = if steps.len() > SHOWN { ", …" } else { "" };
        format!("skipped, {}: step {}{more}", one_line(why, 400), named.join(", "))
    };
    by_reason.into_iter().map(line).collect()
}

fn as_json(journal: &Journal, folded: &Folded, compared: &[Compared], counts: &Counts, same: bool) -> Value {
    json!({
        "id": journal.run.id,
        "same": same,
        "events": journal.events.len(),
        "model_calls": folded.model_calls,
        "intents_compared": !folded.unknown_intents,
        "differences": folded.findings.iter().map(|finding| finding.json()).collect::<Vec<_>>(),
        "tool_calls": {
            "total": compared.len(),
            "re_executed": counts.made(),
            "equal": counts.equal,
            "inputs_changed": counts.changed,
            "different": counts.different,
            "skipped": counts.skipped,
        },
        "calls": compared.iter().map(Compared::json).collect::<Vec<_>>(),
    })
}
