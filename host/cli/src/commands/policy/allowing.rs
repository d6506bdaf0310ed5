//! What would allow what was refused: flags, and lines of a file, complete.
//!
//! Where a file says less for a tool or a role, a flag can't give more: then only lines can.

use super::Desk;
use super::explain::Question;
use crate::config::Role;
use crate::exit::OrUsage;
use crate::shell::quote;
use anyhow::Result;
use ringfence_sandbox::{
    Access, DenialReason, DirGrant, GrantPath, GrantedTree, Grants, MaskPattern, Ruling,
};
use serde::Serialize;

/// How something could be allowed.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Allowing {
    /// Flags: together they grant what is granted now and what is missing. None where a file says
    /// less for this tool or role.
    pub(super) flags: Option<String>,
    /// Lines of a configuration file.
    pub(super) toml: String,
    /// Whether only the user's own file may have these lines.
    pub(super) own_file_only: bool,
}

/// What is missing beside some granted folders.
struct Missing {
    /// A folder that isn't granted, or not with this access.
    dir: Option<DirGrant>,
    mask: Option<MaskPattern>,
    /// The grant that the pattern is for, where it is there already.
    within: Option<GrantPath>,
}

impl Missing {
    /// Of a tree, for a question; none where it says yes, or where no grant would help.
    fn of(tree: &GrantedTree, question: &Question<'_>) -> Option<Self> {
        let told = tree.explain(question.what, question.write);
        match told.ruling {
            Ruling::Refused { missing_dir, missing_mask, denial, .. } => {
                let access = if question.write { Access::Write } else { Access::Read };
                let path = match denial.reason {
                    DenialReason::ReadOnly => told.grant.clone(),
                    DenialReason::NotGranted
                    | DenialReason::LeavesRoot
                    | DenialReason::LinkLeaves
                    | DenialReason::SpecialFile
                    | DenialReason::Masked
                    | DenialReason::NotRead
                    | DenialReason::ChangedSinceRead
                    | DenialReason::OtherSpelling
                    | DenialReason::CrossesGrants
                    | DenialReason::GrantItself
                    | DenialReason::HoldsHidden
                    | DenialReason::NoLinks
                    | DenialReason::Network
                    | DenialReason::UrlPath
                    | DenialReason::Method
                    | DenialReason::Address
                    | DenialReason::Malformed => missing_dir,
                };
                let dir = path.map(|path| DirGrant { access, ..DirGrant::read(path) });
                let helps = dir.is_some() || missing_mask.is_some();
                helps.then_some(Self { dir, mask: missing_mask, within: told.grant })
            }
            Ruling::Allowed { .. } | Ruling::Unavailable { .. } => None,
        }
    }

    /// These folders, and with them what is missing.
    fn added_to(&self, granted: &[DirGrant]) -> Vec<DirGrant> {
        let mut dirs = granted.to_vec();
        if let Some(missing) = &self.dir {
            with(&mut dirs, missing);
        }
        let holder = self.dir.as_ref().map(|dir| &dir.path).or(self.within.as_ref());
        for dir in dirs.iter_mut().filter(|dir| holder == Some(&dir.path)) {
            dir.masks.patterns.extend(self.mask.clone());
        }
        dirs
    }

    fn flags(&self, granted: &[DirGrant]) -> String {
        let mut flags: Vec<String> = Vec::new();
        // Where no folder is missing, they stay with whoever names them.
        if self.dir.is_some() {
            let dirs = self.added_to(granted);
            flags.extend(dirs.iter().map(|dir| format!("--dir {}", quote(&in_flag(dir)))));
        }
        flags.extend(self.mask.as_ref().map(|mask| format!("--mask {}", quote(mask.as_str()))));
        flags.join(" ")
    }
}

/// What would allow a tool what it was refused; none if nothing can, or if a file would have to
/// say less.
pub(super) fn allowing(desk: &Desk, tool: &str, question: &Question<'_>) -> Result<Option<Allowing>> {
    let tree = desk.toolbox.tree(tool);
    let Some(own) = Missing::of(tree, question) else { return Ok(None) };
    let role = desk.resolved.role.as_ref();
    let granted = role.map_or(&desk.resolved.grants.dirs, Role::within);
    let all = Grants { dirs: granted.clone(), ..desk.resolved.grants.clone() };
    let all = GrantedTree::open(&desk.project, &all).or_usage()?;
    let of_all = Missing::of(&all, question);
    let mut tables = Vec::new();
    if let Some(dir) = &own.dir {
        let mut dirs = tree.grants().dirs.clone();
        with(&mut dirs, dir);
        let place = GrantPath::parse(&tree.explain(question.what, question.write).resolved);
        let place = place.unwrap_or_else(|_| dir.path.clone());
        let policy = desk.resolved.tools.get(tool);
        if policy.is_some_and(|policy| !policy.named.reaches(&place, dir.access)) {
            tables.push(table(&format!("tools.{tool}"), &dirs));
        }
        if let Some(role) = role.filter(|role| !role.named().reaches(&place, dir.access)) {
            tables.push(table(&format!("roles.{}", role.name), &dirs));
        }
    }
    let flags = of_all.as_ref().filter(|_| tables.is_empty()).map(|missing| missing.flags(granted));
    tables.extend(of_all.as_ref().map(|missing| table("grants", &missing.added_to(granted))));
    let shows = of_all.is_some_and(|missing| missing.mask.is_some());
    Ok((!tables.is_empty()).then(|| Allowing { flags, toml: tables.join("\n"), own_file_only: shows }))
}

/// Adds a folder, or more access to one that is there.
fn with(dirs: &mut Vec<DirGrant>, dir: &DirGrant) {
    match dirs.iter_mut().find(|known| known.path == dir.path) {
        Some(known) => known.access = known.access.max(dir.access),
        None => dirs.push(dir.clone()),
    }
}

/// A folder as a flag names it.
fn in_flag(dir: &DirGrant) -> String {
    match dir.access {
        Access::Read => dir.path.to_string(),
        Access::Write => format!("{}:write", dir.path),
    }
}

fn table(name: &str, dirs: &[DirGrant]) -> String {
    let dirs: Vec<_> = dirs.iter().map(in_toml).collect();
    format!("[{name}]\ndirs = [{}]", dirs.join(", "))
}

/// A folder as a file names it.
fn in_toml(dir: &DirGrant) -> String {
    let text = |text: &str| toml::Value::from(text).to_string();
    let path = text(&dir.path.to_string());
    if *dir == DirGrant::read(dir.path.clone()) {
        return path;
    }
    let access = text(&dir.access.to_string());
    let mut keys = vec![format!("path = {path}"), format!("access = {access}")];
    if !dir.masks.patterns.is_empty() {
        let masks: Vec<_> = dir.masks.patterns.iter().map(|mask| text(mask.as_str())).collect();
        keys.push(format!("masks = [{}]", masks.join(", ")));
    }
    if !dir.masks.defaults {
        keys.push("default_masks = false".to_owned());
    }
    format!("{{ {} }}", keys.join(", "))
}
