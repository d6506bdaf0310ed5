//! `ringfence policy explain`: whether a tool could read or change something, and what decides it.
//!
//! The judgement is the sandbox's, on the trees that calls would have. Owns: saying it, and what
//! would allow it.

use super::allowing::{Allowing, allowing};
use super::{Desk, explain_env, explain_url};
use crate::args::{GlobalArgs, PolicyExplainArgs};
use crate::config::Flags;
use crate::exit::Exit;
use crate::output::{out, out_json};
use crate::terminal::{one_line, plain};
use anyhow::Result;
use ringfence_sandbox::{Denial, DenialReason, Explanation, Ruling, Thing, Tool, without_user};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// What is asked.
pub(super) struct Question<'a> {
    /// A path, a URL, or a variable's name.
    pub(super) what: &'a str,
    pub(super) about: About,
    /// For changing it.
    pub(super) write: bool,
}

/// What is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    Path,
    Url,
    Variable,
}

impl About {
    fn of(args: &PolicyExplainArgs) -> Self {
        match (args.variable, explain_url::is_url(&args.what)) {
            (true, _) => Self::Variable,
            (false, true) => Self::Url,
            (false, false) => Self::Path,
        }
    }

    /// Whether a tool has anything to say, where nobody asks about it by name.
    fn concerns(self, tool: &Tool, desk: &Desk) -> bool {
        match self {
            Self::Path => desk.toolbox.opens_files(tool),
            Self::Url => true,
            Self::Variable => desk.toolbox.sees_variables(tool),
        }
    }
}

/// The answer for some tools that have the same one.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Answer {
    /// Yes or no.
    pub(super) allowed: bool,
    /// Where it leads; none for what is no path.
    pub(super) resolved: Option<String>,
    /// What decides it: `grant`, `mask`, `link`, `access`, `kind`, `project`, `nothing`, `network`,
    /// `component` or `deterministic`.
    pub(super) decided_by: &'static str,
    /// The grant, pattern or link target that decides.
    pub(super) decider: Option<String>,
    /// In words.
    pub(super) why: String,
    /// What would allow it, if anything can.
    pub(super) would_allow: Option<Allowing>,
}

/// Carries the command out.
pub(super) fn execute(args: &PolicyExplainArgs, global: &GlobalArgs) -> Result<Exit> {
    let desk = Desk::open(&args.project, Flags::from(&args.grants), global)?;
    let question = Question { what: &args.what, about: About::of(args), write: args.write };
    let mut groups: Vec<(Answer, Vec<&str>)> = Vec::new();
    let mut tools = desk.tools(args.tool.as_deref())?;
    if tools.iter().any(|tool| question.about.concerns(tool, &desk)) && args.tool.is_none() {
        tools.retain(|tool| question.about.concerns(tool, &desk));
    }
    for tool in tools {
        let name = tool.name();
        let answer = match question.about {
            About::Path => answer(&desk, name, &question)?,
            About::Url => explain_url::answer(&desk, name, &question)?,
            About::Variable => explain_env::answer(&desk, tool, question.what)?,
        };
        match groups.iter_mut().find(|(known, _)| *known == answer) {
            Some((_, names)) => names.push(name),
            None => groups.push((answer, vec![name])),
        }
    }
    // Who can comes first, and is what a script that names no tool asks for.
    groups.sort_by_key(|(answer, _)| !answer.allowed);
    let allowed = groups.iter().any(|(answer, _)| answer.allowed);
    // What is told again may be kept where others read it.
    let shown = without_user(&args.what);
    let told =
        Question { what: if explain_url::is_url(&args.what) { &shown } else { &args.what }, ..question };
    match args.json {
        true => out_json(&as_json(&desk, &told, &groups))?,
        false => out(&as_text(&told, &groups))?,
    }
    Ok(if allowed { Exit::Done } else { Exit::Failed })
}

fn answer(desk: &Desk, tool: &str, question: &Question<'_>) -> Result<Answer> {
    if !desk.toolbox.opens_files(desk.toolbox.tool(tool)?) {
        let why = "it is never given a folder: it asks hosts, or can't open files at all".to_owned();
        return Ok(Answer {
            allowed: false,
            resolved: None,
            decided_by: "component",
            decider: None,
            why,
            would_allow: None,
        });
    }
    let tree = desk.toolbox.tree(tool);
    let told = tree.explain(question.what, question.write);
    let Explanation { asked: _, resolved, grant, through_link, ruling } = told;
    let verb = if question.write { "changed" } else { "read" };
    let granted = grant.as_ref().map(ToString::to_string);
    Ok(match ruling {
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
            why: match question.what.starts_with('/') {
                true => format!("a tool's names begin at the project, and in it {why}"),
                false => format!("the fence has nothing against it, but {why}"),
            },
            would_allow: None,
        },
        Ruling::Refused { denial, missing_dir: _, missing_mask: _, link_target } => {
            let (decided_by, decider) = match denial.reason {
                DenialReason::NotGranted => ("grant", None),
                DenialReason::LeavesRoot => ("project", None),
                DenialReason::LinkLeaves => ("link", link_target.clone()),
                DenialReason::SpecialFile => ("kind", None),
                DenialReason::Masked => ("mask", denial.mask.clone()),
                DenialReason::ReadOnly => ("access", granted),
                DenialReason::NotRead | DenialReason::ChangedSinceRead | DenialReason::OtherSpelling => {
                    ("read before", None)
                }
                DenialReason::CrossesGrants | DenialReason::GrantItself | DenialReason::HoldsHidden => {
                    ("grant", granted)
                }
                DenialReason::NoLinks => ("kind", None),
                DenialReason::Network
                | DenialReason::UrlPath
                | DenialReason::Method
                | DenialReason::Address
                | DenialReason::Malformed => ("network", None),
            };
            // What would allow it is said apart, and whole.
            let bare = Denial { would_allow: None, ..(*denial).clone() };
            let mut why = bare.message(tree.dirs(), &tree.grants().hosts);
            if let Some(target) = link_target {
                let _ = write!(why, "; {} points to {target}", denial.resolved);
            } else if through_link && decided_by != "project" {
                let _ = write!(why, "; it leads to {resolved}");
            }
            let project = desk.project.path().to_string_lossy();
            let below = question.what.strip_prefix(&*project).and_then(|below| below.strip_prefix('/'));
            if let Some(below) = below {
                let _ = write!(why, "; a tool's names begin at the project: it would ask for {below}");
            }
            if let Some(lock) = desk.toolbox.lock_leaving_out(tool, &denial) {
                let _ = write!(why, "; {lock} leave it out");
            }
            let would_allow = allowing(desk, tool, question)?;
            Answer { allowed: false, resolved: Some(resolved), decided_by, decider, why, would_allow }
        }
    })
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
    let verb = match (question.about, question.write) {
        (About::Url, _) => "reach",
        (About::Variable, _) => "see",
        (About::Path, true) => "change",
        (About::Path, false) => "read",
    };
    for (answer, tools) in groups {
        let what = one_line(question.what, 300);
        let tools = match (groups.len(), tools.as_slice()) {
            (1, [_, _, ..]) => None,
            (_, tools) => Some(plain(&tools.join(", "))),
        };
        let _ = match (answer.allowed, tools) {
            (true, None) => writeln!(text, "yes: every tool can {verb} {what}"),
            (true, Some(tools)) => writeln!(text, "yes: {tools} can {verb} {what}"),
            (false, None) => writeln!(text, "no: no tool can {verb} {what}"),
            (false, Some(tools)) => writeln!(text, "no: {tools} can't {verb} {what}"),
        };
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
