//! `ringfence policy show`: what holds after all layers, and whose word it is.

use super::Desk;
use super::given::given;
use crate::amounts::{dollars, span};
use crate::args::{GlobalArgs, PolicyShowArgs};
use crate::commands::tool::shape;
use crate::config::{Flags, Layer, Lowered, Origins, Setting, Source};
use crate::exit::Exit;
use crate::output::{out, out_json};
use crate::terminal::{one_line, plain};
use anyhow::Result;
use ringfence_engine::ToolFacts;
use ringfence_sandbox::{Grants, HostGrant, Limits, Tool};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// What holds for the calls of one tool.
struct Shown<'d> {
    name: &'d str,
    tool: &'d Tool,
    grants: &'d Grants,
    limits: &'d Limits,
    can: ToolFacts,
    settings: Vec<Setting>,
}

impl Shown<'_> {
    /// Whether two tools differ in nothing but their names.
    fn like(&self, other: &Self) -> bool {
        let env = |shown: &Self| shown.grants.env_of(shown.tool).clone();
        self.can == other.can && env(self) == env(other) && self.settings == other.settings
    }
}

/// Carries the command out.
pub(super) fn execute(args: &PolicyShowArgs, global: &GlobalArgs) -> Result<Exit> {
    let flags = Flags { limits: args.limits.clone(), ..Flags::from(&args.grants) };
    let desk = Desk::open(&args.project, flags, global)?;
    let origins = Origins::read(&desk.project, &desk.flags, &desk.folders)?;
    let run = origins.of_run()?;
    let lowered = origins.lowered()?;
    let mut tools = Vec::new();
    let settings_of = |tool: &Tool| -> Result<Vec<Setting>> {
        Ok(origins.of_tool(tool.name())?.into_iter().map(|setting| given(&desk, tool, setting)).collect())
    };
    for tool in desk.tools(args.tool.as_deref())? {
        let name = tool.name();
        tools.push(Shown {
            name,
            tool,
            grants: desk.toolbox.tree(name).grants(),
            limits: desk.toolbox.limits(name),
            can: desk.toolbox.facts(name),
            settings: settings_of(tool)?,
        });
    }
    match args.json {
        true => out_json(&as_json(&desk, &lowered, &run, &tools))?,
        false => out(&as_text(&desk, &lowered, &run, &tools))?,
    }
    Ok(Exit::Done)
}

fn as_json(desk: &Desk, lowered: &[Lowered], run: &[Setting], tools: &[Shown<'_>]) -> Value {
    let settings = |settings: &[Setting]| -> Map<String, Value> {
        let one = |setting: &Setting| {
            (setting.key.to_owned(), json!({ "value": setting.value, "from": setting.from }))
        };
        settings.iter().map(one).collect()
    };
    let tool = |tool: &Shown<'_>| {
        json!({
            "name": tool.name,
            "dirs": tool.grants.dirs,
            "hosts": if tool.can.egress { tool.grants.hosts.as_slice() } else { &[] },
            "secrets": if tool.can.egress { tool.grants.secrets.as_slice() } else { &[] },
            "env": tool.grants.env_of(tool.tool),
            "limits": tool.limits,
            "can": tool.can,
            "settings": settings(&tool.settings),
        })
    };
    let role = desk.resolved.role.as_ref();
    json!({
        "project": desk.project.path().to_string_lossy(),
        "role": role.map(|role| &role.name),
        "env_in_vain": desk.resolved.unanswered.names,
        "lowered": lowered,
        "run": settings(run),
        "tools": tools.iter().map(tool).collect::<Vec<_>>(),
    })
}

fn as_text(desk: &Desk, lowered: &[Lowered], run: &[Setting], tools: &[Shown<'_>]) -> String {
    let mut text = format!("project  {}\n", plain(&desk.project.path().display().to_string()));
    if let Some(role) = &desk.resolved.role {
        let _ = writeln!(text, "role     {}", one_line(&role.said_in, 300));
    }
    for told in desk.resolved.unanswered.told().into_iter().chain(lowered.iter().map(Lowered::told)) {
        let _ = writeln!(text, "note     {}", one_line(&told, 1_000));
    }
    text.push_str("\na run\n");
    lines(&mut text, run, false);
    let mut groups: Vec<(&Shown<'_>, Vec<&str>)> = Vec::new();
    for tool in tools {
        match groups.iter_mut().find(|(first, _)| first.like(tool)) {
            Some((_, names)) => names.push(tool.name),
            None => groups.push((tool, vec![tool.name])),
        }
    }
    for (tool, names) in groups {
        let _ = writeln!(text, "\n{}", plain(&names.join(", ")));
        let _ =
            writeln!(text, "  can          {}", plain(&shape::abilities(tool.tool, tool.can, tool.grants)));
        if let Some(hidden) = shape::hidden(&tool.grants.dirs) {
            let _ = writeln!(text, "  hidden       {}", plain(&hidden));
        }
        for secret in tool.grants.secrets.iter().filter(|_| tool.can.egress) {
            let (name, host) = (secret.name.as_str(), &secret.host);
            let _ = writeln!(text, "  secret       {}", plain(&format!("{name}, with requests to {host}")));
        }
        lines(&mut text, &tool.settings, tool.can.deterministic);
    }
    text
}

/// `deterministic`: whether it is so by itself, held to it or not.
fn lines(text: &mut String, settings: &[Setting], deterministic: bool) {
    let said = |setting: &Setting| match (setting.key, &setting.value) {
        ("deterministic", Value::Bool(false)) if deterministic => "it is anyway".to_owned(),
        _ => words(setting),
    };
    let shown: Vec<_> = settings.iter().map(|setting| (setting.key, said(setting), setting)).collect();
    let width = |of: &dyn Fn(&(&str, String, &Setting)) -> usize| shown.iter().map(of).max().unwrap_or(0);
    let (names, values) = (width(&|line| line.0.len()), width(&|line| line.1.chars().count()).min(40));
    for (key, value, setting) in &shown {
        let _ = writeln!(text, "  {key:names$}  {value:values$}  {}", sources(&setting.from));
    }
}

fn sources(from: &[Source]) -> String {
    let one = |source: &Source| match (&source.at, source.layer) {
        (Some(at), Layer::Flag | Layer::User | Layer::Project | Layer::Default) => one_line(at, 300),
        (None, Layer::Flag | Layer::User | Layer::Project | Layer::Default) => "default".to_owned(),
    };
    match from {
        [] => "default".to_owned(),
        from => from.iter().map(one).collect::<Vec<_>>().join(" and "),
    }
}

/// A value as a person reads it.
fn words(setting: &Setting) -> String {
    let key = setting.key.rsplit('.').next().unwrap_or_default();
    let text = match (&setting.value, key) {
        (Value::Null, "default") => "by what has a key".to_owned(),
        (Value::Null, _) => "no limit".to_owned(),
        (
            Value::Number(ms),
            "time" | "timeout" | "cpu" | "model_timeout" | "tool_timeout" | "request_timeout"
            | "connect_timeout",
        ) => span(ms.as_u64().unwrap_or(0)),
        (Value::Number(micro), "money") => dollars(micro.as_u64().unwrap_or(0)),
        (
            Value::Number(bytes),
            "memory" | "output" | "stdio" | "read_bytes" | "write_bytes" | "request_headers" | "request_body"
            | "response_body",
        ) => shape::size(bytes.as_u64().unwrap_or(0)),
        (Value::Bool(yes), _) => (if *yes { "yes" } else { "no" }).to_owned(),
        (Value::Array(items), _) if items.is_empty() => "none".to_owned(),
        (Value::Array(items), _) => items.iter().map(item).collect::<Vec<_>>().join(", "),
        (Value::Object(map), _) if map.is_empty() => "none".to_owned(),
        (Value::Object(map), "stage_timeouts") => {
            let one = |(stage, ms): (&String, &Value)| format!("{stage} {}", span(ms.as_u64().unwrap_or(0)));
            map.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        (Value::Object(map), _) => map.keys().cloned().collect::<Vec<_>>().join(", "),
        (Value::String(text), _) => text.clone(),
        (Value::Number(number), _) => number.to_string(),
    };
    one_line(&text, 400)
}

/// An entry of a list: a word, a granted folder, or a granted host.
fn item(value: &Value) -> String {
    if let Ok(host) = HostGrant::deserialize(value) {
        return host.to_string();
    }
    match (value.get("path").and_then(Value::as_str), value.get("access").and_then(Value::as_str)) {
        (Some(path), Some(access)) => format!("{path} ({access})"),
        _ => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}
