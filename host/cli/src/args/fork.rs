//! `ringfence fork`

use super::{GoingOnArgs, LimitArgs};
use clap::Args;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// `ringfence fork`
#[derive(Debug, Clone, Args)]
pub struct ForkArgs {
    /// The run to begin like: its id, or as much of it as is unambiguous
    #[arg(value_name = "RUN")]
    pub run: String,
    /// Begin with the first N events of the run; it must not have ended by then, unless with new
    /// limits it wouldn't have
    #[arg(long, value_name = "N")]
    pub at: NonZeroU64,
    /// Go on with this plan (TOML) instead of the one there is
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Only make the new run, and print its id
    #[arg(long, conflicts_with_all = ["yes", "model", "record", "replay", "notify"])]
    pub no_run: bool,
    /// How it goes on.
    #[command(flatten)]
    pub going_on: GoingOnArgs,
    /// Where it stops, instead of where the other run did.
    #[command(flatten)]
    pub limits: LimitArgs,
}
