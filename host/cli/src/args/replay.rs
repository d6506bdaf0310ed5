//! `ringfence replay`

use clap::Args;

/// `ringfence replay`
#[derive(Debug, Clone, Args)]
pub struct ReplayArgs {
    /// The run: its id, or as much of it as is unambiguous
    #[arg(value_name = "RUN")]
    pub run: String,
    /// Make also those tool calls again that need not give equal answers; never one that can write
    /// or send
    #[arg(long)]
    pub all: bool,
    /// Print JSON: what was compared, and every difference
    #[arg(long)]
    pub json: bool,
}
