//! Whether a component can be loaded besides all the others of its project, as every later command
//! would: what can't isn't pinned.

use super::desk::Desk;
use super::found::Found;
use super::renames;
use crate::config::{CONFIG, ComponentName, Entry, Here, LOCK, LockCommands, Locked};
use crate::exit::Refusal;
use crate::toolset::load;
use anyhow::Result;
use ringfence_sandbox::reflect::ToolName;
use ringfence_sandbox::{Toolset, ToolsetError, standard};

/// Refuses a component that is there already, or has a tool whose name is taken.
pub(super) fn check(desk: &Desk, found: &Found) -> Result<()> {
    let entry = &found.entry;
    is_new(desk, entry)?;
    // What it stands in place of doesn't count.
    let others = || desk.resolved.locked.iter().filter(|locked| locked.entry.name != entry.name);
    let ready = others().filter_map(Locked::source).chain(desk.resolved.configured()).cloned();
    let all = load(&desk.sandbox, &ready.collect::<Vec<_>>())?;
    let taken = |tool: &str| {
        let is_it = |known: &str| known.eq_ignore_ascii_case(tool);
        all.iter().any(|known| is_it(known.name()))
            || others().any(|other| other.entry.tools.iter().any(|known| is_it(known)))
    };
    let both = Toolset::new(all.components().iter().cloned().chain([found.component.clone()]));
    if let Err(ToolsetError::SameName { tool, first, second }) = both {
        return Err(clash(entry, &tool, &first, &second, taken));
    }
    // Those that aren't here yet come along once they are fetched.
    for Locked { entry: other, here, .. } in others() {
        let of_both = |tool: &&String| other.tools.iter().any(|known| known.eq_ignore_ascii_case(tool));
        if let (Here::Not(_), Some(tool)) = (here, entry.tools.iter().find(of_both)) {
            return Err(clash(entry, tool, other.name.as_str(), entry.name.as_str(), taken));
        }
    }
    Ok(())
}

/// Refuses bytes that are a component of this project already: what is approved goes by them.
fn is_new(desk: &Desk, entry: &Entry) -> Result<()> {
    let Entry { name, digest, .. } = entry;
    if let Some(known) = desk.files.lock.of_digest(*digest).filter(|known| known.name != *name) {
        let update = LockCommands::of(desk.project.path(), &desk.folders).update(known.name.as_str());
        return Err(Refusal::usage(format!("this component is pinned already, as `{}`", known.name))
            .hint(format!("to approve more for it, or rename its tools: {update}"))
            .into());
    }
    if let Some(standard) = standard::by_digest(*digest) {
        let what =
            format!("this component is built in, as `{}`: its tools are there already", standard.name());
        return Err(Refusal::usage(what).into());
    }
    match desk.resolved.configured().find(|known| known.digest() == *digest) {
        None => Ok(()),
        Some(known) => Err(Refusal::usage(format!(
            "`components` of {CONFIG} or your own configuration names this component already: {}",
            known.name()
        ))
        .hint(format!("take it out there, then {LOCK} decides what it may touch"))
        .into()),
    }
}

fn clash(
    entry: &Entry,
    tool: &str,
    first: &str,
    second: &str,
    taken: impl Fn(&str) -> bool,
) -> anyhow::Error {
    let own = entry.names.iter().find(|(_, name)| name.as_str() == tool);
    let own = own.map_or(tool, |(own, _)| own.as_str());
    let refusal = Refusal::usage(format!("two components have a tool named `{tool}`: {first} and {second}"));
    let free = |name: &String| {
        ToolName::parse(name).is_some() && !taken(name) && !entry.tools.iter().any(|known| known == name)
    };
    let hint = match other_names(&entry.name, own).find(free) {
        Some(name) => format!("give it another name:\n{}", renames::this_command(own, &name)),
        None => format!("give it another name: --rename {own}=NEW"),
    };
    refusal.hint(hint).into()
}

/// Names that a tool of a component could have.
fn other_names(component: &ComponentName, own: &str) -> impl Iterator<Item = String> {
    let prefix = component.as_str().replace(['-', '.'], "_");
    std::iter::once(format!("{prefix}_{own}")).chain((2..100).map(move |number| format!("{own}_{number}")))
}
