//! `ringfence policy explain`: whether a tool could read or change something, and what decides it.
//!
//! The judgement is the sandbox's, on the trees that calls would have. Owns: saying it, and what
//! would allow it.

use super::{Desk, explain_url};
use crate::args::{GlobalArgs, PolicyExplainArgs};
use crate::config::Flags;
use crate::exit::Exit;
use crate::output::{out, out_json};
use crate::shell::quote;
use crate::terminal::{one_line, plain};
use anyhow::Result;
use ringfence_sandbox::{
    Access, Denial, DenialReason, DirGrant, Explanation, GrantPath, MaskPattern, Ruling, Thing,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// What is asked.
pub(super) struct Question<'a> {
    /// A path, or a URL.
    pub(super) what: &'a str,
    /// For changing it.
    pub(super) write: bool,
}

/// The answer for some tools that have the same one.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Answer {
    /// Yes or no.
    pub(super) allowed: bool,
    /// Where it leads; none for what is no path.
    pub(super) resolved: Option<String>,
    /// What decides it: `grant`, `mask`, `link`, `access`, `kind`, `project`, `nothing` or `network`.
    pub(super) decided_by: &'static str,
    /// The grant, pattern or link target that decides.
    pub(super) decider: Option<String>,
    /// In words.
    pub(super) why: String,
    /// What would allow it, if anything can.
    pub(super) would_allow: Option<Allowing>,
}

/// How something could be allowed.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Allowing {
    /// Flags, complete: together they grant what is granted now and what is missing. None where a
    /// file says less for this tool or role: a flag can't give more than that.
    pub(super) flags: Option<String>,
    /// Lines of a configuration file.
    pub(super) toml: String,
    /// Whether only the user's own file may have these lines.
    pub(super) own_file_only: bool,
}

/// Carries the command out.
pub(super) fn execute(args: &PolicyExplainArgs, global: &GlobalArgs) -> Result<Exit> {
    let desk = Desk::open(&args.project, Flags::from(&args.grants), global)?;
    let question = Question { what: &args.what, write: args.write };
    let mut groups: Vec<(Answer, Vec<&str>)> = Vec::new();
    for tool in desk.tools(args.tool.as_deref())? {
        let name = tool.name();
        let answer = match explain_url::is_url(&args.what) {
            true => explain_url::answer(&desk, name, &question)?,
            false => answer(&desk, name, &question),
        };
        match groups.iter_mut().find(|(known, _)| *known == answer) {
            Some((_, names)) => names.push(name),
            None => groups.push((answer, vec![name])),
        }
    }
    let allowed = groups.iter().all(|(answer, _)| answer.allowed);
    match args.json {
        true => out_json(&as_json(&desk, &question, &groups))?,
        false => out(&as_text(&question, &groups))?,
    }
    Ok(if allowed { Exit::Done } else { Exit::Failed })
}

fn answer(desk: &Desk, tool: &str, question: &Question<'_>) -> Answer {
    let tree = desk.toolbox.tree(tool);
    let told = tree.explain(question.what, question.write);
    let Explanation { asked: _, resolved, grant, through_link, ruling } = told;
    let verb = if question.write { "changed" } else { "read" };
    let granted = grant.as_ref().map(ToString::to_string);
    match ruling {
        Ruling::Allowed { thing } => {
            let place = if through_link { format!("leads to {resolved}, which") } else { "it".to_owned() };
            let why = match (thing, &granted) {
                (Thing::WayOnly, _) => {
                    "it is a folder above what is granted, and shows nothing but the way there".to_owned()
                }
                (Thing::Nothing, Some(grant)) => {
                    format!("{place} isn't there yet, and would be made in `{grant}`")
                }
                (Thing::File | Thing::Folder, Some(grant)) => {
                    format!("{place} lies in the granted `{grant}`, and nothing hides it; it can be {verb}")
                }
                (Thing::File | Thing::Folder | Thing::Nothing, None) => format!("it can be {verb}"),
            };
            Answer {
                allowed: true,
                resolved: Some(resolved),
                decided_by: "grant",
                decider: granted,
                why,
                would_allow: None,
            }
        }
        Ruling::Unavailable { why } => Answer {
            allowed: false,
            resolved: Some(resolved),
            decided_by: "nothing",
            decider: granted,
            why: format!("the fence has nothing against it, but {why}"),
            would_allow: None,
        },
        Ruling::Refused { denial, missing_dir, missing_mask, link_target } => {
            let (decided_by, decider) = match denial.reason {
                DenialReason::NotGranted => ("grant", None),
                DenialReason::LeavesRoot => ("project", None),
                DenialReason::LinkLeaves => ("link", link_target.clone()),
                DenialReason::SpecialFile => ("kind", None),
                DenialReason::Masked => ("mask", denial.mask.clone()),
                DenialReason::ReadOnly => ("access", granted),
                DenialReason::NotRead | DenialReason::ChangedSinceRead => ("read before", None),
                DenialReason::CrossesGrants | DenialReason::GrantItself | DenialReason::HoldsHidden => {
                    ("grant", granted)
                }
                DenialReason::NoLinks => ("kind", None),
                DenialReason::Network => ("network", None),
            };
            // What would allow it is said apart, and whole.
            let bare = Denial { would_allow: None, ..(*denial).clone() };
            let mut why = bare.message(tree.dirs());
            if let Some(target) = link_target {
                let _ = write!(why, "; {} points to {target}", denial.resolved);
            } else if through_link {
                let _ = write!(why, "; it leads to {resolved}");
            }
            let would_allow = denial.would_allow.as_ref().map(|_| {
                let missing = Missing {
                    dir: missing_dir.as_ref(),
                    mask: missing_mask.as_ref(),
                    within: grant.as_ref(),
                };
                allowing(desk, tool, question, &missing)
            });
            Answer { allowed: false, resolved: Some(resolved), decided_by, decider, why, would_allow }
        }
    }
}

/// What is missing beside a grant.
struct Missing<'m> {
    dir: Option<&'m GrantPath>,
    mask: Option<&'m MaskPattern>,
    /// The grant that the pattern is for, where it is there already.
    within: Option<&'m GrantPath>,
}

impl Missing<'_> {
    /// These folders, and with them what is missing.
    fn added_to(&self, granted: &[DirGrant]) -> Vec<DirGrant> {
        let mut dirs = granted.to_vec();
        dirs.extend(self.dir.cloned().map(DirGrant::read));
        let holder = self.dir.or(self.within);
        for dir in dirs.iter_mut().filter(|dir| holder == Some(&dir.path)) {
            dir.masks.patterns.extend(self.mask.cloned());
        }
        dirs
    }
}

/// What is granted now together with what is missing, as flags and as lines of a file.
fn allowing(desk: &Desk, tool: &str, question: &Question<'_>, missing: &Missing<'_>) -> Allowing {
    let dirs = missing.added_to(&desk.toolbox.tree(tool).grants().dirs);
    let grants = &desk.resolved.grants;
    let narrowed = desk.resolved.tools.get(tool).is_some_and(|policy| policy.dirs != grants.dirs);
    let role = desk.resolved.role.as_ref().filter(|role| role.names_dirs());
    let mut tables = Vec::new();
    if narrowed {
        tables.push(table(&format!("tools.{tool}"), &dirs));
    }
    if let Some(role) = role {
        tables.push(table(&format!("roles.{}", role.name), &dirs));
    } else {
        let all = desk.toolbox.common_tree().explain(question.what, question.write);
        if !matches!(all.ruling, Ruling::Allowed { .. }) {
            tables.push(table("grants", &missing.added_to(&grants.dirs)));
        }
    }
    let mut flags: Vec<String> = Vec::new();
    // Without a folder that is missing, flags can leave the folders to whoever names them.
    if missing.dir.is_some() {
        flags.extend(dirs.iter().map(|dir| format!("--dir {}", quote(&dir.path.to_string()))));
    }
    flags.extend(missing.mask.map(|mask| format!("--mask {}", quote(mask.as_str()))));
    Allowing {
        flags: (!narrowed && role.is_none()).then(|| flags.join(" ")),
        toml: tables.join("\n"),
        own_file_only: missing.mask.is_some(),
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
    if dir.masks.is_default() && dir.access == Access::Read {
        return path;
    }
    let access = serde_json::to_value(dir.access).unwrap_or_default();
    let mut keys =
        vec![format!("path = {path}"), format!("access = {}", text(access.as_str().unwrap_or("read")))];
    if !dir.masks.patterns.is_empty() {
        let masks: Vec<_> = dir.masks.patterns.iter().map(|mask| text(mask.as_str())).collect();
        keys.push(format!("masks = [{}]", masks.join(", ")));
    }
    if !dir.masks.defaults {
        keys.push("default_masks = false".to_owned());
    }
    format!("{{ {} }}", keys.join(", "))
}

fn as_json(desk: &Desk, question: &Question<'_>, groups: &[(Answer, Vec<&str>)]) -> Value {
    let answers = groups.iter().map(|(answer, tools)| {
        let mut value = json!(answer);
        value["tools"] = json!(tools);
        value
    });
    json!({
        "project": desk.project.path().to_string_lossy(),
        "asked": question.what,
        "for": if question.write { "write" } else { "read" },
        "answers": answers.collect::<Vec<_>>(),
    })
}

fn as_text(question: &Question<'_>, groups: &[(Answer, Vec<&str>)]) -> String {
    let mut text = String::new();
    let verb = match (explain_url::is_url(question.what), question.write) {
        (true, _) => "reach",
        (false, true) => "change",
        (false, false) => "read",
    };
    for (answer, tools) in groups {
        let who = match (groups.len(), tools.as_slice()) {
            (1, [_, _, ..]) => "any tool".to_owned(),
            (_, tools) => plain(&tools.join(", ")),
        };
        let verdict = if answer.allowed { "yes" } else { "no" };
        let what = one_line(question.what, 300);
        let _ = writeln!(text, "{verdict}: {who}, to {verb} {what}");
        let _ = writeln!(text, "  {}", one_line(&answer.why, 1_000));
        if let Some(allowing) = &answer.would_allow {
            let file = if allowing.own_file_only { "your own configuration" } else { "a configuration" };
            let _ = match &allowing.flags {
                Some(flags) => writeln!(text, "  would allow it: {}\n  or, in {file}:", plain(flags)),
                None => writeln!(text, "  would allow it, in {file}:"),
            };
            for line in plain(&allowing.toml).lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    text
}
