//! `ringfence analyze`: the short form of `run` for the analysis of a project.

use crate::args::{AnalyzeArgs, GlobalArgs};
use crate::exit::Exit;
use crate::session::Delivery;
use anyhow::Result;
use std::num::NonZeroU32;

/// Carries the command out.
pub(super) fn execute(args: &AnalyzeArgs, global: &GlobalArgs) -> Result<Exit> {
    let delivery = Delivery { folder: args.out.clone(), fail_on: args.fail_on.map(Into::into) };
    let processors = std::thread::available_parallelism().ok();
    let usual = processors.and_then(|count| NonZeroU32::try_from(count).ok());
    super::run::carry_out(&args.run(), delivery, usual, global)
}
