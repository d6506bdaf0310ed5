//! `ringfence resume`

use crate::args::{AnswerArgs, GlobalArgs, GoingOnArgs, ResumeArgs};
use crate::config::Resolved;
use crate::driver::Halt;
use crate::exit::{Exit, Refusal};
use crate::model_choice::ModelPlan;
use crate::output::err;
use crate::review::{Given, Reviewer};
use crate::session::{self, Delivery, Resumption, Voice};
use crate::state_dir::Folders;
use anyhow::Result;

/// Carries the command out.
pub(super) fn execute(args: &ResumeArgs, global: &GlobalArgs) -> Result<Exit> {
    let voice = Voice::new(args.going_on.json, global);
    let folders = Folders::find(global.state.as_deref())?;
    let store = super::existing_store(&folders, &args.run)?;
    let summary = store.find(&args.run)?;
    let given = given(&args.answer);
    if summary.ending.is_some() {
        let journal = store.journal(&summary.id)?;
        let Some(ending) = session::replay(&journal)?.stage.ending() else {
            anyhow::bail!("the journal of run {} is damaged: it is listed as ended and isn't", summary.id);
        };
        if given.is_some() {
            let ended = session::ended(&ending);
            return Err(
                Refusal::usage(format!("run {} has ended and takes no answer. {ended}", summary.id)).into()
            );
        }
        let delivery = delivery(&args.going_on);
        session::print_result(&journal, &delivery, &folders, args.going_on.json)?;
        if !voice.quiet && !voice.json {
            err(&format!("{}\n", session::ended(&ending)));
        }
        return delivery.exit(Halt::Ended(ending).exit(), || session::report_of(&journal));
    }
    session::take_up(&summary.id, resumption(&args.going_on, given, &folders, voice)?, &folders, voice)
}

/// What the flags say of how a run goes on.
pub(super) fn resumption(
    args: &GoingOnArgs,
    given: Option<Given>,
    folders: &Folders,
    voice: Voice,
) -> Result<Resumption> {
    let reviewer = Reviewer {
        given,
        yes: args.yes,
        terminal: voice.interactive,
        all_calls: false,
        folders: Some(folders.clone()),
    };
    let other = match (&args.model, &args.replay) {
        (Some(model), _) => Some(ModelPlan::named(model, args.base_url.as_deref())?),
        (None, Some(path)) => Some(ModelPlan::recorded(path)),
        (None, None) => None,
    };
    let notify = match &args.notify {
        Some(command) => Some(command.clone()),
        None => Resolved::user_notify(folders)?,
    };
    let (record, durability) = (args.record.clone(), args.durability.unwrap_or_default());
    Ok(Resumption { other, record, reviewer, durability, notify, delivery: delivery(args) })
}

fn delivery(args: &GoingOnArgs) -> Delivery {
    Delivery { folder: None, fail_on: args.fail_on.map(Into::into) }
}

fn given(answer: &AnswerArgs) -> Option<Given> {
    let AnswerArgs { approve, edit, add, reject, answer, abort } = answer.clone();
    approve
        .map(Given::Approve)
        .or(edit.map(Given::Edit))
        .or(add.map(Given::Add))
        .or(reject.map(Given::Reject))
        .or(answer.map(Given::Reply))
        .or(abort.then_some(Given::Abort))
}
