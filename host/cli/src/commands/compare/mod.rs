//! `ringfence compare`: the same goal through several flows, side by side.
//!
//! Each flow gets a run of its own, journaled as any other. Plans and calls within the grants are
//! approved; a run that needs a person for anything else stops there, and the table says so.

mod row;
mod table;

use crate::args::{CompareArgs, GlobalArgs};
use crate::config::{Flags, Resolved};
use crate::driver::Halt;
use crate::exit::{Exit, OrUsage};
use crate::model_choice::{Environment, ModelPlan};
use crate::output::{err, out, out_json};
use crate::session::{self, Beginning, Delivery, Voice};
use crate::setup::Setup;
use crate::state_dir::Folders;
use crate::terminal::plain;
use anyhow::Result;
use ringfence_engine::Flow;
use ringfence_models::playbook;
use ringfence_sandbox::ProjectDir;
use row::Row;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Instant;

/// Carries the command out.
pub(super) fn execute(args: &CompareArgs, global: &GlobalArgs) -> Result<Exit> {
    let voice = Voice { interactive: false, ..Voice::new(args.json, global) };
    let folders = Folders::find(global.state.as_deref())?;
    let project = ProjectDir::open(&args.project).or_usage()?;
    let mut flags = Flags::from(&args.grants);
    flags.limits = args.limits.clone();
    let asked: BTreeSet<Flow> = args.flows.iter().copied().map(Flow::from).collect();
    let flows = Flow::ALL.into_iter().filter(|flow| asked.is_empty() || asked.contains(flow));
    let goal = args.goal.clone().unwrap_or_else(|| playbook::GOAL.to_owned());
    let mut rows = Vec::new();
    let mut interrupted = false;
    for flow in flows {
        flags.flow = Some(flow);
        // The project's files are looked at, and confirmed, each time: they may change under us.
        let resolved = Resolved::load(&project, &flags, &folders, Voice::new(args.json, global).interactive)?;
        let row = one(args, &goal, flow, &project, resolved, &folders, voice)?;
        if !voice.quiet {
            err(&format!("{}: {} (run {})\n", flow.name(), plain(&row.outcome), row.run));
        }
        interrupted = row.interrupted;
        rows.push(row);
        if interrupted {
            break;
        }
    }
    if args.json {
        let rows: serde_json::Map<_, _> =
            rows.iter().map(|row| (row.flow.name().to_owned(), row.json())).collect();
        out_json(&json!({"goal": goal, "flows": rows}))?;
    } else {
        out(&table::text(&rows))?;
    }
    Ok(if interrupted { Exit::Interrupted } else { Exit::Done })
}

fn one(
    args: &CompareArgs,
    goal: &str,
    flow: Flow,
    project: &ProjectDir,
    resolved: Resolved,
    folders: &Folders,
    voice: Voice,
) -> Result<Row> {
    let environment = Environment::read();
    let models = match &args.replay {
        Some(path) => ModelPlan::recorded(path),
        None => ModelPlan::choose(
            args.goal.is_some(),
            args.model.as_ref(),
            args.base_url.as_deref(),
            &resolved.models,
            &resolved.experts,
            &environment,
        )?,
    };
    let model = models.connect(&environment, folders, None)?;
    let setup = Setup::new(project, &resolved, args.tools.clone(), models, folders)?;
    let fenced = setup.fence(folders)?;
    fenced.toolbox.check_lock(&resolved.locked)?;
    let settings = setup.settings(goal, &resolved, &fenced, model.as_ref())?;
    let beginning = Beginning {
        goal: goal.to_owned(),
        settings,
        project: setup.project,
        model,
        fenced,
        yes: true,
        durability: resolved.durability,
        notify: None,
        delivery: Delivery::default(),
    };
    let begun = Instant::now();
    let driven = session::drive(beginning, folders, Voice { json: false, quiet: true, ..voice })?;
    let wall = begun.elapsed();
    let interrupted = driven.halt == Halt::Interrupted;
    Ok(Row::new(flow, &driven, wall, interrupted))
}
