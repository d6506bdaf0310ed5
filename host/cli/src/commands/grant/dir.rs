//! A folder or file that is to be granted during a run.

use crate::args::DirSpec;
use crate::exit::Refusal;
use ringfence_engine::LaterGrant;
use ringfence_sandbox::{DirGrant, Grants};

/// The grant that is to be journaled, if it gives anything that isn't there.
///
/// What is hidden in every granted folder is hidden in this one as well.
pub(super) fn wanted(asked: &DirSpec, now: &Grants) -> Result<LaterGrant, Refusal> {
    let holds = |dir: &&DirGrant| asked.path.names().starts_with(dir.path.names());
    let holder = now.dirs.iter().filter(holds).max_by_key(|dir| dir.path.names().len());
    if let Some(holder) = holder.filter(|holder| holder.access >= asked.access) {
        let what = if holder.path == asked.path {
            format!("`{}` is granted already", asked.path)
        } else {
            format!("`{}` lies in `{}`, which is granted already", asked.path, holder.path)
        };
        return Err(Refusal::usage(what)
            .hint(format!("ask what decides about a path: ringfence policy explain {}", asked.path)));
    }
    let masks = match now.dirs.split_first() {
        None => Vec::new(),
        Some((first, others)) => {
            let everywhere = |mask: &&_| others.iter().all(|dir| dir.masks.patterns.contains(*mask));
            let hides = first.masks.patterns.iter().filter(everywhere);
            hides.filter(|mask| !mask.brings_back()).map(|mask| mask.as_str().to_owned()).collect()
        }
    };
    Ok(LaterGrant::Dir { path: asked.path.to_string(), access: asked.access.to_string(), masks })
}
