//! Refuses what a file says and nothing could hold it to: limits out of range, and wishes that
//! contradict each other.
//!
//! Each file is judged by itself, before the layers are put together: a mistake is told where it
//! was made, even where another file says less.

use super::file::{Bytes, ConfigFile, LimitsSection, Span, ToolSection};
use super::language::{Position, Problem};
use super::{env, hosts::Host, search};
use crate::amounts::dollars;
use ringfence_sandbox::reflect::clean_description;
use ringfence_sandbox::{Limits, RequestLimits};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Everything in a file that can't be honoured, each at its key.
pub(super) fn check(file: &ConfigFile) -> Vec<Problem> {
    let mut wrong: Vec<Wrong> =
        of_limits(&file.limits).iter().filter_map(|limit| limit.check("limits")).collect();
    let parallel = Given {
        key: "parallel",
        value: file.parallel.map(|it| it.get().into()),
        allowed: PARALLEL,
        unit: Unit::Count,
    };
    wrong.extend(parallel.check(""));
    let grants = &file.grants;
    wrong.extend(contradiction(
        "grants",
        grants.deterministic,
        grants.entropy,
        grants.hosts.as_deref(),
        grants.env.as_ref(),
    ));
    wrong.extend(more_variables("grants", grants.env.as_ref()));
    for (tool, section) in &file.tools {
        let table = format!("tools.{tool}");
        wrong.extend(of_tool(section).iter().filter_map(|limit| limit.check(&table)));
        wrong.extend(contradiction(
            &table,
            section.deterministic,
            section.entropy,
            section.hosts.as_deref(),
            section.env.as_ref(),
        ));
        wrong.extend(more_variables(&table, section.env.as_ref()));
        wrong.extend(search::check(tool, section));
        wrong.extend(no_words(tool, section));
    }
    for (role, section) in &file.roles {
        wrong.extend(more_variables(&format!("roles.{role}"), section.env.as_ref()));
    }
    let problem = |Wrong { key, what, hint }| Problem {
        at: file.said_at.get(&key).copied().unwrap_or(Position { line: 1, column: 1 }),
        what: format!("{what}; {hint}"),
    };
    wrong.into_iter().map(problem).collect()
}

/// Something that can't be honoured, and what to do about it.
pub(super) struct Wrong {
    /// The key that says it: `limits.memory`.
    pub(super) key: String,
    pub(super) what: String,
    pub(super) hint: String,
}

/// Equal calls that can be told.
const STAGNATION: RangeInclusive<u64> = 2..=1_000;
/// Tasks at the same time.
const PARALLEL: RangeInclusive<u64> = 1..=16;

/// A limit as a file has it.
struct Given {
    key: &'static str,
    value: Option<u64>,
    allowed: RangeInclusive<u64>,
    unit: Unit,
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes,
    /// Milliseconds.
    Time,
    Count,
    /// Millionths of a US dollar.
    Money,
}

fn of_limits(limits: &LimitsSection) -> Vec<Given> {
    let count = |key, value: Option<u64>, allowed| Given { key, value, allowed, unit: Unit::Count };
    vec![
        time("tool_timeout", limits.tool_timeout, Limits::TIME_MS),
        time("cpu", limits.cpu, Limits::CPU_MS),
        size("memory", limits.memory, Limits::MEMORY_BYTES),
        size("output", limits.output, Limits::OUTPUT_BYTES),
        size("stdio", limits.stdio, Limits::STDIO_BYTES),
        size("read_bytes", limits.read_bytes, Limits::READ_BYTES),
        size("write_bytes", limits.write_bytes, Limits::WRITE_BYTES),
        count("write_entries", limits.write_entries.map(u64::from), Limits::WRITE_ENTRIES),
        count("open_files", limits.open_files.map(|count| count.get().into()), Limits::OPEN_FILES),
        count("dir_entries", limits.dir_entries.map(u64::from), Limits::DIR_ENTRIES),
        count("stagnation", limits.stagnation.map(|count| count.get().into()), STAGNATION),
        count("fuel", limits.fuel.map(u64::from), Limits::FUEL),
        count("requests", limits.requests.map(|count| count.get().into()), RequestLimits::COUNT),
        size("request_headers", limits.request_headers, RequestLimits::HEADER_BYTES),
        size("request_body", limits.request_body, RequestLimits::SENT_BYTES),
        size("response_body", limits.response_body, RequestLimits::RECEIVED_BYTES),
        time("request_timeout", limits.request_timeout, RequestLimits::TIME_MS),
        time("connect_timeout", limits.connect_timeout, RequestLimits::TIME_MS),
    ]
}

fn of_tool(tool: &ToolSection) -> Vec<Given> {
    vec![
        time("timeout", tool.timeout, Limits::TIME_MS),
        time("cpu", tool.cpu, Limits::CPU_MS),
        size("memory", tool.memory, Limits::MEMORY_BYTES),
        size("output", tool.output, Limits::OUTPUT_BYTES),
    ]
}

fn time(key: &'static str, value: Option<Span>, allowed: RangeInclusive<u64>) -> Given {
    let ms = |Span(time): Span| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Given { key, value: value.map(ms), allowed, unit: Unit::Time }
}

fn size(key: &'static str, value: Option<Bytes>, allowed: RangeInclusive<u64>) -> Given {
    Given { key, value: value.map(|Bytes(bytes)| bytes), allowed, unit: Unit::Bytes }
}

impl Given {
    fn check(&self, table: &str) -> Option<Wrong> {
        let value = self.value.filter(|value| !self.allowed.contains(value))?;
        let shown = |amount| self.unit.shown(amount);
        let (least, most) = (shown(*self.allowed.start()), *self.allowed.end());
        let hint = match most {
            u64::MAX => format!("it must be {least} or more"),
            most => format!("it can be {least} to {}", shown(most)),
        };
        let key = self.key;
        let (whole, said) = match table {
            "" => (key.to_owned(), key.to_owned()),
            table => (format!("{table}.{key}"), format!("[{table}] {key}")),
        };
        Some(Wrong { key: whole, what: format!("{said} is {}, which can't be kept", shown(value)), hint })
    }
}

impl Unit {
    /// As a file writes it.
    pub(super) fn shown(self, amount: u64) -> String {
        match self {
            Self::Count => amount.to_string(),
            Self::Money => dollars(amount),
            Self::Bytes => {
                let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
                match units.into_iter().find(|(unit, _)| amount >= *unit && amount.is_multiple_of(*unit)) {
                    Some((unit, name)) => format!("{}{name}", amount / unit),
                    None if amount == 1 => "1 byte".to_owned(),
                    None => format!("{amount} bytes"),
                }
            }
            Self::Time if amount.is_multiple_of(3_600_000) && amount > 0 => {
                format!("{}h", amount / 3_600_000)
            }
            Self::Time => format!("{:?}", Duration::from_millis(amount)),
        }
    }
}

fn no_words(tool: &str, section: &ToolSection) -> Option<Wrong> {
    section.description.as_deref().filter(|text| clean_description(text).is_none())?;
    Some(Wrong {
        key: format!("tools.{tool}.description"),
        what: format!("the description of `{tool}` is empty"),
        hint: "say what the tool does, or leave it out".to_owned(),
    })
}

fn more_variables(table: &str, named: Option<&env::Names>) -> Option<Wrong> {
    let (what, hint) = env::more_than_possible(&format!("[{table}]"), named)?;
    Some(Wrong { key: format!("{table}.env"), what, hint: hint.to_owned() })
}

fn contradiction(
    table: &str,
    deterministic: Option<bool>,
    entropy: Option<bool>,
    hosts: Option<&[Host]>,
    env: Option<&env::Names>,
) -> Option<Wrong> {
    if deterministic != Some(true) {
        return None;
    }
    let names_env = env.is_some_and(|names| !names.is_empty());
    let other = match (entropy, hosts) {
        (Some(true), _) => "entropy",
        (_, Some([_, ..])) => "hosts",
        (None | Some(false), None | Some([])) if names_env => "env",
        (None | Some(false), None | Some([])) => return None,
    };
    Some(Wrong {
        key: format!("{table}.deterministic"),
        what: format!("[{table}] says `deterministic` and `{other}`, which exclude each other"),
        hint: "leave one of them out".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::*;

    fn said(text: &str) -> String {
        let problems = check(&parse(text).unwrap());
        problems.into_iter().map(|problem| problem.what).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_limit_that_can_t_be_kept_is_refused_with_key_and_range() {
        for (text, wanted) in [
            ("limits.memory = '8GiB'", "[limits] memory is 8GiB, which can't be kept"),
            ("limits.memory = 0", "[limits] memory is 0 bytes"),
            ("limits.memory = '64KiB'", "1MiB to 4GiB"),
            ("limits.output = 0", "1 byte to 64MiB"),
            ("limits.output = '1GiB'", "[limits] output is 1GiB"),
            ("limits.stdio = 0", "[limits] stdio is 0 bytes"),
            ("limits.read_bytes = 0", "must be 1 byte or more"),
            ("limits.open_files = 100000", "1 to 65000"),
            ("limits.request_headers = '1MiB'", "1 byte to 128KiB"),
            ("[tools.x]\nmemory = '5GiB'", "[tools.x] memory is 5GiB"),
            ("[tools.x]\noutput = 0", "[tools.x] output is 0 bytes"),
        ] {
            let said = said(text);
            assert!(said.contains(wanted), "{text}: {said}");
        }
    }

    #[test]
    fn a_limit_within_its_range_is_no_matter() {
        for text in [
            "",
            "limits = { memory = '4GiB', output = '64MiB', cpu = '1s', fuel = 1, open_files = 65000, tool_timeout = '8760h' }",
            "[tools.x]\nmemory = '1MiB'\ncpu = '1ms'",
        ] {
            assert_eq!(said(text), "", "{text}");
        }
    }

    #[test]
    fn chance_that_is_made_up_and_real_at_once_is_refused() {
        assert!(said("[grants]\ndeterministic = true\nentropy = true").contains("[grants] says"));
        assert!(said("[tools.x]\ndeterministic = true\nentropy = true").contains("[tools.x] says"));
        assert_eq!(said("[grants]\nentropy = true\n[tools.x]\ndeterministic = true"), "");
    }

    #[test]
    fn answers_that_depend_on_the_network_and_don_t_at_once_are_refused() {
        let hosts = "deterministic = true\nhosts = ['https://a.example']";
        assert!(said(&format!("[grants]\n{hosts}")).contains("`deterministic` and `hosts`"));
        assert!(said(&format!("[tools.x]\n{hosts}")).contains("[tools.x] says"));
        assert_eq!(said("[grants]\nhosts = ['https://a.example']\n[tools.x]\ndeterministic = true"), "");
        assert_eq!(said("[grants]\ndeterministic = true\nhosts = []"), "");
    }

    #[test]
    fn answers_that_depend_on_the_environment_and_don_t_at_once_are_refused() {
        assert!(said("[grants]\ndeterministic = true\nenv = ['TZ']").contains("`deterministic` and `env`"));
        assert!(said("[tools.x]\ndeterministic = true\nenv = ['TZ']").contains("[tools.x] says"));
        assert_eq!(said("[grants]\nenv = ['TZ']\n[tools.x]\ndeterministic = true"), "");
        assert_eq!(said("[grants]\ndeterministic = true\nenv = []"), "");
    }

    #[test]
    fn more_variables_than_a_call_can_have_are_refused() {
        let many: Vec<_> = (0..65).map(|at| format!("'V{at}'")).collect();
        for table in ["[grants]", "[tools.x]", "[roles.x]\ntools = []"] {
            let said = said(&format!("{table}\nenv = [{}]", many.join(", ")));
            assert!(said.contains("names 65 variables of the environment"), "{table}: {said}");
        }
    }

    #[test]
    fn whom_to_search_with_is_said_only_to_the_tool_that_searches_and_whole() {
        for (text, wanted) in [
            ("[tools.read_file]\nprovider = 'brave'", "[tools.read_file] says whom to search with"),
            ("[tools.web_search]\nurl = 'https://a.example'", "says `url` and no `provider`"),
            ("[tools.web_search]\nprovider = 'searxng'", "says no `url`"),
        ] {
            assert!(said(text).contains(wanted), "{text}: {}", said(text));
        }
        for text in ["provider = 'brave'", "provider = 'searxng'\nurl = 'https://a.example'"] {
            assert_eq!(said(&format!("[tools.web_search]\n{text}")), "", "{text}");
        }
    }
}
