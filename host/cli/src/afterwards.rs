//! What can still be done when a run was ended by a limit or a failure: another run from where it
//! was.

use crate::session::own_command;
use crate::state_dir::Folders;
use ringfence_engine::{Ending, State};

/// The complete command that goes on, if there is one. `events` is the number of the last event.
pub fn way_on(state: &State, events: u64, folders: &Folders) -> Option<String> {
    let words = match state.stage.ending()? {
        Ending::Achieved | Ending::Aborted => return None,
        // Under wider limits the last event didn't end it.
        Ending::Limit { .. } => format!("fork {} --at {events}{}", state.run, wider(state)),
        Ending::Failed { .. } => format!("fork {} --at {}", state.run, events.checked_sub(1)?),
    };
    Some(own_command(&words, folders))
}

/// Twice of each limit that is used up, or nearly.
fn wider(state: &State) -> String {
    let (limits, spent) = (&state.settings.limits, &state.spent);
    let mut flags = String::new();
    if state.iterations >= limits.iterations {
        flags.push_str(&format!(" --max-iterations {}", u64::from(limits.iterations) * 2));
    }
    if let Some(cap) = limits.wall_clock_ms.filter(|cap| state.clock.active_ms >= *cap) {
        flags.push_str(&format!(" --max-time {}ms", cap.saturating_mul(2)));
    }
    // These end a run before they are crossed: the next call may have been too large by any amount.
    if flags.is_empty() {
        if let Some(cap) = limits.tokens {
            let used = spent.tokens.total();
            flags.push_str(&format!(" --max-tokens {}", cap.saturating_mul(2).max(used.saturating_mul(2))));
        }
        if let Some(cap) = limits.money {
            let dollars = cap.saturating_mul(2) as f64 / 1e6;
            flags.push_str(&format!(" --max-money {dollars}"));
        }
    }
    flags
}
