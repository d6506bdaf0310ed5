//! Where each value that holds comes from: a flag, the user's file, the project's, or nobody.
//!
//! Nothing is layered a second time here: what one layer alone comes to is asked of the same
//! functions that make all of them into one.

use super::file::{ConfigFile, ExpertSection, ModelSection};
use super::lowered::{Lowered, lowered};
use super::project_files::ProjectFiles;
use super::{Flags, Resolved, user_file};
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_engine::ModelStage;
use ringfence_sandbox::{Limits as CallLimits, ProjectDir, RequestLimits};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Who can say something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The command line.
    Flag,
    /// The user's own file.
    User,
    /// The project's file.
    Project,
    /// Nobody: it is what holds anyway.
    Default,
}

/// Who said something, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Who.
    pub layer: Layer,
    /// The file with line and column, or the flag; none for what holds anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// One value that holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// Its name, as a file has it.
    pub key: &'static str,
    /// As it holds; durations in milliseconds, sizes in bytes, money in millionths.
    pub value: Value,
    /// Who says so; several where it comes of all of them together.
    pub from: Vec<Source>,
}

/// The three layers, each for itself.
pub struct Origins {
    project: ConfigFile,
    user: ConfigFile,
    flags: Flags,
}

impl Origins {
    /// Reads the layers. Whether the project's counts is asked elsewhere, before.
    pub fn read(project: &ProjectDir, flags: &Flags, folders: &Folders) -> Result<Self> {
        let project = ProjectFiles::read(project.path())?.config;
        Ok(Self { project, user: user_file::read(folders)?.config, flags: flags.clone() })
    }

    /// The project's limits that are above what holds.
    pub fn lowered(&self) -> Result<Vec<Lowered>> {
        let resolved = Resolved::of_layers(&self.project, &self.user, &self.flags)?;
        Ok(lowered(&self.project, &self.flags, &resolved))
    }

    /// The values of a whole run.
    pub fn of_run(&self) -> Result<Vec<Setting>> {
        self.sourced(of_run, &|key| vec![key.to_owned()])
    }

    /// The values of one tool's calls.
    pub fn of_tool(&self, tool: &str) -> Result<Vec<Setting>> {
        let said_as = |key: &str| {
            let general = match key {
                "dirs" | "hosts" | "env" | "secrets" | "entropy" | "deterministic" => format!("grants.{key}"),
                "timeout" => "limits.tool_timeout".to_owned(),
                "polling" | "description" | "provider" | "url" => return vec![format!("tools.{tool}.{key}")],
                other => format!("limits.{other}"),
            };
            let role = self.flags.role.as_ref().map(|role| format!("roles.{role}.{key}"));
            role.into_iter().chain([format!("tools.{tool}.{key}"), general]).collect()
        };
        self.sourced(|resolved| of_tool(resolved, tool), &said_as)
    }

    fn sourced(
        &self,
        values: impl Fn(&Resolved) -> Vec<(&'static str, Value)>,
        said_as: &dyn Fn(&str) -> Vec<String>,
    ) -> Result<Vec<Setting>> {
        let (none, no_flags) = (ConfigFile::default(), Flags::default());
        // A role is what a file says; only its choice is a flag's.
        let flags = Flags { role: None, ..self.flags.clone() };
        let whole = values(&Resolved::of_layers(&self.project, &self.user, &self.flags)?);
        let alone = |project: &ConfigFile, user: &ConfigFile, flags: &Flags| -> Map<String, Value> {
            let values = Resolved::of_layers(project, user, flags).map(|resolved| values(&resolved));
            values.unwrap_or_default().into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
        };
        // A project that asks for more than it can have is ignored.
        let without_project = alone(&none, &self.user, &flags);
        let layers = [
            (Layer::Flag, alone(&none, &none, &flags)),
            (Layer::User, alone(&none, &self.user, &no_flags)),
            (Layer::Project, alone(&self.project, &none, &no_flags)),
        ];
        let setting = |(key, value): (&'static str, Value)| {
            let names = said_as(key);
            let said: Vec<_> = layers
                .iter()
                .filter(|(layer, _)| *layer != Layer::Project || without_project.get(key) != Some(&value))
                .filter_map(|(layer, alone)| {
                    Some((alone.get(key) == Some(&value), self.said(*layer, &names)?))
                })
                .collect();
            let decides = said.iter().find(|(alone, _)| *alone).map(|(_, source)| vec![source.clone()]);
            let mut from = decides.unwrap_or_else(|| said.into_iter().map(|(_, source)| source).collect());
            if from.is_empty() {
                from.push(Source { layer: Layer::Default, at: None });
            }
            Setting { key, value, from }
        };
        Ok(whole.into_iter().map(setting).collect())
    }

    /// Whether a layer says any of these keys, and where.
    fn said(&self, layer: Layer, names: &[String]) -> Option<Source> {
        let in_file = |config: &ConfigFile| {
            let at = names.iter().find_map(|name| config.said_at.get(name))?;
            Some(format!("{}, {at}", config.named))
        };
        let at = match layer {
            Layer::Flag => names.iter().find_map(|name| self.flags.named_for(name)).map(str::to_owned),
            Layer::User => in_file(&self.user),
            Layer::Project => in_file(&self.project),
            Layer::Default => None,
        };
        at.map(|at| Source { layer, at: Some(at) })
    }
}

impl Flags {
    /// The flag that stands for a key of a file, where it is given.
    pub(super) fn named_for(&self, key: &str) -> Option<&'static str> {
        let limits = &self.limits;
        let given = match key {
            "grants.dirs" if !self.dirs.is_empty() => "--dir",
            "grants.dirs" if !self.masks.is_empty() => "--mask",
            "grants.hosts" if !self.hosts.is_empty() => "--allow-host",
            "grants.env" if !self.env.is_empty() => "--allow-env",
            "flow" if self.flow.is_some() => "--flow",
            "pause" if self.pause.is_some() => "--pause",
            "parallel" if self.parallel.is_some() => "--parallel",
            "on_stage_failure" if self.on_stage_failure.is_some() => "--on-stage-failure",
            "durability" if self.durability.is_some() => "--durability",
            "notify" if self.notify.is_some() => "--notify",
            "limits.iterations" if limits.max_iterations.is_some() => "--max-iterations",
            "limits.time" if limits.max_time.is_some() => "--max-time",
            "limits.tokens" if limits.max_tokens.is_some() => "--max-tokens",
            "limits.money" if limits.max_money.is_some() => "--max-money",
            "limits.tool_timeout" if limits.tool_timeout.is_some() => "--tool-timeout",
            "limits.model_timeout" if limits.model_timeout.is_some() => "--model-timeout",
            _ => return None,
        };
        Some(given)
    }
}

/// What holds for a run, by the keys that say it.
fn of_run(resolved: &Resolved) -> Vec<(&'static str, Value)> {
    let limits = &resolved.limits;
    let mut values = vec![
        ("flow", json!(resolved.flow)),
        ("pause", json!(resolved.pause)),
        ("parallel", json!(resolved.parallel)),
        ("on_stage_failure", json!(resolved.on_stage_failure)),
        ("durability", json!(format!("{:?}", resolved.durability).to_lowercase())),
        // What it says may hold a secret.
        ("notify", json!(resolved.notify.is_some())),
        ("limits.iterations", json!(limits.iterations)),
        ("limits.time", json!(limits.wall_clock_ms)),
        ("limits.tokens", json!(limits.tokens)),
        ("limits.money", json!(limits.money)),
        ("limits.model_timeout", json!(limits.model_call_ms)),
        ("limits.stage_timeouts", json!(limits.stage_ms)),
        ("limits.tool_timeout", json!(limits.tool_call_ms)),
        ("limits.stagnation", json!(limits.stagnation)),
        ("limits.reflect_after", json!(limits.reflect_after)),
    ];
    values.push(("models.default", json!(resolved.models.default.as_ref().map(model))));
    for (stage, section) in resolved.models.by_stage() {
        values.push((stage_key(stage), model(section)));
    }
    if !resolved.experts.is_empty() {
        let expert = |section: &ExpertSection| section.model_section().map(|own| model(&own));
        let experts = resolved.experts.iter().map(|(name, section)| (name.clone(), json!(expert(section))));
        values.push(("experts", Value::Object(experts.collect())));
    }
    values
}

fn stage_key(stage: &str) -> &'static str {
    const KEYS: [(ModelStage, &str); 6] = [
        (ModelStage::Plan, "models.plan"),
        (ModelStage::Decide, "models.decide"),
        (ModelStage::Evaluate, "models.evaluate"),
        (ModelStage::Reason, "models.reason"),
        (ModelStage::Converse, "models.converse"),
        (ModelStage::Reflect, "models.reflect"),
    ];
    KEYS.into_iter().find(|(known, _)| known.name() == stage).map_or("models", |(_, key)| key)
}

/// `anthropic:claude-sonnet-5-5`, or the provider alone. Its address may hold a secret.
fn model(section: &ModelSection) -> Value {
    let provider = format!("{:?}", section.provider).to_lowercase();
    json!(section.model.as_ref().map_or_else(|| provider.clone(), |model| format!("{provider}:{model}")))
}

/// What holds for the calls of one tool, by the keys of `[tools.NAME]`.
fn of_tool(resolved: &Resolved, tool: &str) -> Vec<(&'static str, Value)> {
    let grants = resolved.tools.get(tool).map_or_else(|| resolved.grants.clone(), |policy| policy.grants());
    let CallLimits {
        memory_bytes,
        time_ms,
        output_bytes,
        stdio_bytes,
        open_files,
        dir_entries,
        read_bytes,
        write_bytes,
        write_entries,
        cpu_ms,
        fuel,
        requests,
    } = grants.limits;
    let RequestLimits { count, header_bytes, sent_bytes, received_bytes, time_ms: request_ms, connect_ms } =
        requests;
    let mut values = vec![
        ("dirs", json!(grants.dirs)),
        ("hosts", json!(grants.hosts)),
        ("env", json!(grants.env)),
        ("secrets", json!(grants.secrets.iter().map(|secret| &secret.name).collect::<Vec<_>>())),
        ("entropy", json!(grants.entropy)),
        ("deterministic", json!(grants.deterministic)),
        ("polling", json!(resolved.polling.contains(tool))),
        ("timeout", json!(time_ms)),
        ("memory", json!(memory_bytes)),
        ("output", json!(output_bytes)),
        ("stdio", json!(stdio_bytes)),
        ("open_files", json!(open_files)),
        ("dir_entries", json!(dir_entries)),
        ("read_bytes", json!(read_bytes)),
        ("write_bytes", json!(write_bytes)),
        ("write_entries", json!(write_entries)),
        ("cpu", json!(cpu_ms)),
        ("fuel", json!(fuel)),
        ("requests", json!(count)),
        ("request_headers", json!(header_bytes)),
        ("request_body", json!(sent_bytes)),
        ("response_body", json!(received_bytes)),
        ("request_timeout", json!(request_ms)),
        ("connect_timeout", json!(connect_ms)),
    ];
    let policy = resolved.tools.get(tool);
    let description = policy.and_then(|policy| policy.description.as_ref());
    values.extend(description.map(|text| ("description", json!(text))));
    // Keys that one tool has.
    for (key, setting) in [("provider", "search.provider"), ("url", "search.url")] {
        values.extend(grants.settings.get(setting).map(|value| (key, json!(value))));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::super::reading::read;
    use super::*;
    use crate::args::LimitArgs;

    fn origins(project: &str, user: &str, flags: Flags) -> Origins {
        Origins {
            project: read("ringfence.toml", project).unwrap(),
            user: read("config.toml", user).unwrap(),
            flags,
        }
    }

    fn from(settings: &[Setting], key: &str) -> String {
        let setting = settings.iter().find(|setting| setting.key == key).expect(key);
        let from: Vec<_> = setting
            .from
            .iter()
            .map(|source| match &source.at {
                Some(at) => format!("{:?} {at}", source.layer),
                None => format!("{:?}", source.layer),
            })
            .collect();
        format!("{} {}", setting.value, from.join(" & "))
    }

    #[test]
    fn every_value_of_a_run_says_whose_it_is() {
        let limits = LimitArgs { max_tokens: std::num::NonZero::new(5), ..LimitArgs::default() };
        let run = origins(
            "flow = 'react'\npause = ['before_tool']\n[limits]\niterations = 4000\nstagnation = 3\ntool_timeout = '5s'",
            "flow = 'pipeline'\n[limits]\ntokens = 100\ntool_timeout = '10s'\nmodel_timeout = '120s'",
            Flags { limits, ..Flags::default() },
        );
        let run = run.of_run().unwrap();
        for (key, told) in [
            ("flow", "\"pipeline\" User config.toml, line 1, column 1"),
            ("pause", "[\"after_plan\",\"before_tool\"] Project ringfence.toml, line 2, column 1"),
            ("limits.iterations", "15 Default"),
            ("limits.stagnation", "3 Project ringfence.toml, line 5, column 1"),
            ("limits.tool_timeout", "5000 Project ringfence.toml, line 6, column 1"),
            ("limits.model_timeout", "120000 User config.toml, line 5, column 1"),
            ("limits.tokens", "5 Flag --max-tokens"),
            ("limits.money", "null Default"),
            ("notify", "false Default"),
        ] {
            assert_eq!(from(&run, key), told, "{key}");
        }
    }

    #[test]
    fn every_value_of_a_tool_says_whose_it_is() {
        let project = "[grants]\ndirs = ['src', 'docs']\n[tools.t]\ndirs = ['src']\ntimeout = '1s'";
        let told = |tool: &str, key: &str, user: &str, flags: Flags| {
            from(&origins(project, user, flags).of_tool(tool).unwrap(), key)
        };
        assert!(
            told("t", "dirs", "", Flags::default()).ends_with("Project ringfence.toml, line 4, column 1")
        );
        assert!(
            told("u", "dirs", "", Flags::default()).ends_with("Project ringfence.toml, line 2, column 1")
        );
        assert_eq!(told("u", "timeout", "", Flags::default()), "30000 Default");
        assert_eq!(
            told("t", "timeout", "", Flags::default()),
            "1000 Project ringfence.toml, line 5, column 1"
        );
        assert!(told("u", "dirs", "grants.dirs = ['src']", Flags::default()).contains("User config.toml"));
        let flags = Flags { dirs: vec!["docs".parse().unwrap()], ..Flags::default() };
        assert!(told("u", "dirs", "", flags).ends_with("Flag --dir"));
    }
}
