//! A variable of the environment that is to be granted during a run.

use crate::exit::Refusal;
use ringfence_engine::LaterGrant;
use ringfence_sandbox::{Grants, MAX_VARIABLES, VariableName};

/// The grant that is to be journaled, if it gives anything that isn't there.
pub(super) fn wanted(asked: &VariableName, now: &Grants) -> Result<LaterGrant, Refusal> {
    if now.deterministic {
        let what = format!("`{asked}` can't be granted: the run's tools are deterministic");
        return Err(Refusal::usage(what).hint("start a run without `deterministic`"));
    }
    if now.env.contains(asked) {
        return Err(Refusal::usage(format!("`{asked}` is granted already")));
    }
    if now.env.len() >= MAX_VARIABLES {
        return Err(Refusal::usage(format!("`{asked}` can't be granted: {MAX_VARIABLES} variables are")));
    }
    Ok(LaterGrant::Variable { name: asked.to_string() })
}
