//! `ringfence run`

use crate::args::{GlobalArgs, RunArgs};
use crate::config::{Flags, Resolved};
use crate::exit::{Exit, Refusal};
use crate::model_choice::{Environment, ModelChoice, ModelPlan};
use crate::output::err;
use crate::session::{self, Beginning, Delivery, Voice};
use crate::setup::Setup;
use crate::shell;
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_models::playbook;
use ringfence_sandbox::{ProjectDir, ProjectError};
use std::num::NonZeroU32;

/// Carries the command out.
pub(super) fn execute(args: &RunArgs, global: &GlobalArgs) -> Result<Exit> {
    let delivery = Delivery { folder: None, fail_on: args.fail_on.map(Into::into) };
    carry_out(args, delivery, None, global)
}

/// The same with a place for the report, and with so many tasks at the same time where nothing says
/// otherwise.
pub(super) fn carry_out(
    args: &RunArgs,
    delivery: Delivery,
    usual_parallel: Option<NonZeroU32>,
    global: &GlobalArgs,
) -> Result<Exit> {
    let voice = Voice::new(args.json, global);
    let folders = Folders::find(global.state.as_deref())?;
    let project = ProjectDir::open(&args.project).map_err(|error| no_project(&error, args))?;
    let flags = Flags { usual_parallel, ..Flags::from(args) };
    let resolved = Resolved::load(&project, &flags, &folders, voice.interactive)?;
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
    if args.goal.is_some() && models.default == ModelChoice::Playbook && !global.quiet {
        err("note: the playbook does its one analysis, whatever the goal says; a model would read it\n");
    }
    let model = models.connect(&environment, &folders, args.record.as_deref())?;
    let setup = Setup::new(&project, &resolved, args.tools.clone(), models, &folders)?;
    let fenced = setup.fence(&folders)?;
    fenced.toolbox.check_lock(&resolved.locked)?;
    let goal = args.goal.clone().unwrap_or_else(|| playbook::GOAL.to_owned());
    let settings = setup.settings(&goal, &resolved, &fenced, model.as_ref())?;
    let (project, durability, notify) = (setup.project, resolved.durability, resolved.notify);
    delivery.prepare()?;
    let yes = args.yes;
    let beginning = Beginning { goal, settings, project, model, fenced, yes, durability, notify, delivery };
    session::begin(beginning, &folders, voice)
}

/// A goal without a folder before it is taken for the folder: say how it is meant.
fn no_project(error: &ProjectError, args: &RunArgs) -> Refusal {
    let refusal = Refusal::usage(error.to_string());
    let words = args.project.to_string_lossy();
    if args.goal.is_none() && words.contains(char::is_whitespace) {
        let command = shell::command(["ringfence", "run", ".", &*words]);
        return refusal.hint(format!("if this is the goal: {command}"));
    }
    refusal
}
