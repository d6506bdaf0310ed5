//! Limits of a project's file that don't count as they are, since the defaults or the user's own
//! file are below them.
//!
//! Nothing is layered here: what the file says is held against what came of all layers.

use super::enforceable::Unit;
use super::file::{Bytes, ConfigFile, Dollars, Span};
use super::layers::ms;
use super::reading::place;
use super::{Flags, Resolved};
use serde::Serialize;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lowered {
    /// Its name: `limits.memory`.
    pub key: String,
    /// What the file says: milliseconds, bytes, or millionths of a dollar, where it is no number.
    pub asked: u64,
    /// What holds instead.
    pub holds: u64,
    /// Where the file says it.
    pub at: String,
    #[serde(skip)]
    unit: Unit,
}

impl Lowered {
    /// In words.
    pub fn told(&self) -> String {
        let Self { key, asked, holds, at, unit } = self;
        let (asked, holds) = (unit.shown(*asked), unit.shown(*holds));
        format!("{at}: the project's `{key}` is {asked}; {holds} holds: more can be given in your own file")
    }
}

/// All of a project's file, as it came out under the other layers. A value that a flag stands in
/// place of isn't among them.
pub(super) fn lowered(project: &ConfigFile, flags: &Flags, resolved: &Resolved) -> Vec<Lowered> {
    let mut found = Found { project, flags, all: Vec::new() };
    let parallel = project.parallel.map(|count| count.get().into());
    found.add("parallel", "parallel", parallel, Some(resolved.parallel.into()), Unit::Count);
    of_run(&mut found, resolved);
    of_calls(&mut found, resolved);
    of_tools(&mut found, resolved);
    found.all
}

struct Found<'f> {
    project: &'f ConfigFile,
    flags: &'f Flags,
    all: Vec<Lowered>,
}

impl Found<'_> {
    /// Takes a value if it is lowered; `general` is the key whose flag would decide about it.
    fn add(&mut self, key: &str, general: &str, asked: Option<u64>, holds: Option<u64>, unit: Unit) {
        if let (Some(asked), Some(holds), None) = (asked, holds, self.flags.named_for(general))
            && asked > holds
        {
            self.all.push(Lowered { key: key.to_owned(), asked, holds, at: place(self.project, key), unit });
        }
    }
}

fn time(span: Option<Span>) -> Option<u64> {
    span.map(|Span(time)| ms(time))
}

fn size(bytes: Option<Bytes>) -> Option<u64> {
    bytes.map(|Bytes(bytes)| bytes)
}

fn of_run(found: &mut Found<'_>, resolved: &Resolved) {
    let (asked, held) = (&found.project.limits, &resolved.limits);
    let count = |count: Option<std::num::NonZeroU32>| count.map(|count| u64::from(count.get()));
    let money = asked.money.map(|Dollars(micro)| micro);
    let values = [
        ("limits.iterations", count(asked.iterations), Some(held.iterations.into()), Unit::Count),
        ("limits.time", time(asked.time), held.wall_clock_ms, Unit::Time),
        ("limits.tokens", asked.tokens.map(u64::from), held.tokens, Unit::Count),
        ("limits.money", money, held.money, Unit::Money),
        ("limits.model_timeout", time(asked.model_timeout), Some(held.model_call_ms), Unit::Time),
        ("limits.stagnation", count(asked.stagnation), Some(held.stagnation.into()), Unit::Count),
        ("limits.reflect_after", count(asked.reflect_after), held.reflect_after.map(u64::from), Unit::Count),
    ];
    for (key, asked, held, unit) in values {
        found.add(key, key, asked, held, unit);
    }
    for (stage, asked) in &found.project.limits.stage_timeouts {
        let key = format!("limits.stage_timeouts.{}", stage.name());
        let held = held.stage_ms.get(stage).copied();
        found.add(&key, "limits.model_timeout", time(Some(*asked)), held, Unit::Time);
    }
}

fn of_calls(found: &mut Found<'_>, resolved: &Resolved) {
    let (asked, held) = (&found.project.limits, &resolved.grants.limits);
    let count = |count: Option<std::num::NonZeroU32>| count.map(|count| u64::from(count.get()));
    let requests = &held.requests;
    let values = [
        ("limits.tool_timeout", time(asked.tool_timeout), Some(held.time_ms), Unit::Time),
        ("limits.cpu", time(asked.cpu), held.cpu_ms, Unit::Time),
        ("limits.fuel", asked.fuel.map(u64::from), held.fuel, Unit::Count),
        ("limits.memory", size(asked.memory), Some(held.memory_bytes), Unit::Bytes),
        ("limits.output", size(asked.output), Some(held.output_bytes), Unit::Bytes),
        ("limits.stdio", size(asked.stdio), Some(held.stdio_bytes), Unit::Bytes),
        ("limits.open_files", count(asked.open_files), Some(held.open_files), Unit::Count),
        ("limits.dir_entries", asked.dir_entries.map(u64::from), Some(held.dir_entries), Unit::Count),
        ("limits.read_bytes", size(asked.read_bytes), Some(held.read_bytes), Unit::Bytes),
        ("limits.write_bytes", size(asked.write_bytes), Some(held.write_bytes), Unit::Bytes),
        ("limits.write_entries", asked.write_entries.map(u64::from), Some(held.write_entries), Unit::Count),
        ("limits.requests", count(asked.requests), Some(requests.count), Unit::Count),
        ("limits.request_headers", size(asked.request_headers), Some(requests.header_bytes), Unit::Bytes),
        ("limits.request_body", size(asked.request_body), Some(requests.sent_bytes), Unit::Bytes),
        ("limits.response_body", size(asked.response_body), Some(requests.received_bytes), Unit::Bytes),
        ("limits.request_timeout", time(asked.request_timeout), Some(requests.time_ms), Unit::Time),
        ("limits.connect_timeout", time(asked.connect_timeout), Some(requests.connect_ms), Unit::Time),
    ];
    for (key, asked, held, unit) in values {
        found.add(key, key, asked, held, unit);
    }
}

fn of_tools(found: &mut Found<'_>, resolved: &Resolved) {
    for (tool, section) in &found.project.tools {
        let Some(policy) = resolved.tools.get(tool) else { continue };
        let held = &policy.limits;
        let values = [
            ("timeout", "limits.tool_timeout", time(section.timeout), Some(held.time_ms), Unit::Time),
            ("cpu", "limits.cpu", time(section.cpu), held.cpu_ms, Unit::Time),
            ("memory", "limits.memory", size(section.memory), Some(held.memory_bytes), Unit::Bytes),
            ("output", "limits.output", size(section.output), Some(held.output_bytes), Unit::Bytes),
        ];
        for (key, general, asked, held, unit) in values {
            found.add(&format!("tools.{tool}.{key}"), general, asked, held, unit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::read;
    use super::*;
    use crate::args::LimitArgs;

    fn told(project: &str, user: &str, flags: &Flags) -> Vec<String> {
        let (project, user) = (read("ringfence.toml", project).unwrap(), read("config.toml", user).unwrap());
        let resolved = Resolved::of_layers(&project, &user, flags).unwrap();
        lowered(&project, flags, &resolved).iter().map(Lowered::told).collect()
    }

    #[test]
    fn a_project_s_limits_above_what_holds_are_told_with_what_holds() {
        let project = "parallel = 4\n[limits]\nmemory = '4GiB'\ntool_timeout = '5m'\niterations = 100\nmoney = 3\nstage_timeouts = { plan = '9h' }\nfuel = 5\noutput = '1KiB'\n[tools.read_file]\ntimeout = '60s'";
        assert_eq!(
            told(project, "", &Flags::default()),
            [
                "ringfence.toml, line 5, column 1: the project's `limits.iterations` is 100; 50 holds: more can be given in your own file",
                "ringfence.toml, line 7, column 20: the project's `limits.stage_timeouts.plan` is 9h; 120s holds: more can be given in your own file",
                "ringfence.toml, line 4, column 1: the project's `limits.tool_timeout` is 300s; 30s holds: more can be given in your own file",
                "ringfence.toml, line 3, column 1: the project's `limits.memory` is 4GiB; 256MiB holds: more can be given in your own file",
                "ringfence.toml, line 11, column 1: the project's `tools.read_file.timeout` is 60s; 30s holds: more can be given in your own file",
            ]
        );
        let user = "parallel = 2\n[limits]\nmemory = '4GiB'\ntool_timeout = '10m'\niterations = 100\nmoney = 1.5\nstage_timeouts = { plan = '9h' }\nmodel_timeout = '9h'";
        assert_eq!(
            told(project, user, &Flags::default()),
            [
                "ringfence.toml, line 1, column 1: the project's `parallel` is 4; 2 holds: more can be given in your own file",
                "ringfence.toml, line 6, column 1: the project's `limits.money` is $3; $1.5 holds: more can be given in your own file",
            ]
        );
    }

    #[test]
    fn a_limit_that_a_flag_decides_is_no_matter() {
        let limits = LimitArgs { max_iterations: std::num::NonZero::new(5), ..LimitArgs::default() };
        let flags = Flags { limits, ..Flags::default() };
        assert_eq!(told("limits.iterations = 100", "", &flags), [""; 0]);
    }
}
