//! `ringfence supervise`

use super::parse_duration;
use clap::Args;
use std::ffi::OsString;
use std::time::Duration;

/// `ringfence supervise`
#[derive(Debug, Clone, Args)]
pub struct SuperviseArgs {
    /// Take the run for hanging when it gives no sign of life for this long: 10s, 5m; at least 3s
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = patience)]
    pub hang_after: Duration,
    /// Give up after so many restarts without a long healthy time between them
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub max_restarts: u32,
    /// What to supervise: run, resume or fork with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// A run gives a sign of life each second; a late one or two is no reason to kill it.
fn patience(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text)?;
    if time < Duration::from_secs(3) {
        return Err("the time must be at least 3s: a run gives a sign of life each second".to_owned());
    }
    Ok(time)
}
