//! Diagnostics on standard error: warnings always, more with `-v` and `-vv`, only errors with
//! `--quiet`. `RINGFENCE_LOG` overrides it with a filter of its own.

use crate::args::GlobalArgs;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Starts printing diagnostics. Does nothing if somebody did before.
pub fn start(global: &GlobalArgs) {
    let level = match (global.quiet, global.verbose) {
        // Why a certificate is refused is told by the error.
        (true, _) => "error,rustls_platform_verifier=off",
        // Another try at a busy server is told with -v; that all tries failed is told by the run.
        (false, 0) => "warn,ringfence_models=error,rustls_platform_verifier=off",
        (false, 1) => "warn,ringfence=info,ringfence_sandbox=info,ringfence_models=info",
        (false, _) => "info,ringfence=debug,ringfence_sandbox=debug,ringfence_models=debug",
    };
    let filter = EnvFilter::try_from_env("RINGFENCE_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    // Someone may have started it in a test; theirs will do.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(global.verbose > 0)
        .without_time()
        .try_init();
}
