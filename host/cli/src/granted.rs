//! What a person allowed during a run, in words.

use crate::amounts::moment;
use crate::terminal::one_line;
use ringfence_engine::{GrantedLater, LaterGrant, State};

/// Characters of a path or a user's name.
const TEXT: usize = 200;

/// `docs (read)`
pub fn granted_words(grant: &LaterGrant) -> String {
    match grant {
        LaterGrant::Dir { path, access, masks: _ } => {
            format!("{} ({})", one_line(path, TEXT), one_line(access, 20))
        }
        LaterGrant::Host { url } => one_line(url, TEXT),
        LaterGrant::Variable { name } => format!("{} of the environment", one_line(name, TEXT)),
    }
}

/// One line for each grant: what, who, when.
pub fn granted_lines(state: &State) -> Vec<String> {
    let line = |granted: &GrantedLater| {
        let what = granted_words(&granted.grant);
        format!("{what}, by {}, {} UTC", one_line(&granted.by, TEXT), moment(granted.at))
    };
    state.granted.iter().map(line).collect()
}
