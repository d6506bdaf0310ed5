//! No key of a project's file gives more than the user's file and the flags do. Every key of the
//! language stands in one of these lists, so that a new one has to be thought about.

use super::file::{ConfigFile, parse};
use super::{Flags, Resolved, language};
use serde_json::Value;
use std::collections::BTreeSet;

/// What a project asks for where the user says less, and where nobody says anything.
///
/// The key, the project's greedy word, the user's modest one, and what is compared.
type Case = (&'static str, &'static str, &'static str, fn(&Resolved) -> u64);

const NARROWED: &[Case] = &[
    ("grants.dirs", "grants.dirs = ['.', 'docs']", "grants.dirs = ['src']", |r| r.grants.dirs.len() as u64),
    ("grants.entropy", "grants.entropy = true", "grants.entropy = false", |r| r.grants.entropy.into()),
    ("grants.deterministic", "grants.deterministic = false", "grants.deterministic = true", |r| {
        (!r.grants.deterministic).into()
    }),
    (
        "grants.hosts",
        "grants.hosts = ['https://a.example', 'https://b.example']",
        "grants.hosts = ['https://a.example']",
        |r| r.grants.hosts.len() as u64,
    ),
    ("grants.env", "grants.env = ['API_KEY', 'LANG', 'TZ']", "grants.env = ['LANG', 'TZ']", |r| {
        r.grants.env.len() as u64
    }),
    ("grants.secrets", "grants.secrets = ['a', 'b', 'c']", TWO_SECRETS, |r| r.grants.secrets.len() as u64),
    ("parallel", "parallel = 16", "parallel = 2", |r| r.parallel.into()),
    ("limits.iterations", "limits.iterations = 4000", "limits.iterations = 7", |r| {
        r.limits.iterations.into()
    }),
    ("limits.time", "limits.time = '900h'", "limits.time = '1m'", |r| {
        r.limits.wall_clock_ms.unwrap_or(u64::MAX)
    }),
    ("limits.tokens", "limits.tokens = 900000", "limits.tokens = 9", |r| r.limits.tokens.unwrap_or(u64::MAX)),
    ("limits.money", "limits.money = 900", "limits.money = 1", |r| r.limits.money.unwrap_or(u64::MAX)),
    ("limits.model_timeout", "limits.model_timeout = '9h'", "limits.model_timeout = '1s'", |r| {
        r.limits.model_call_ms
    }),
    (
        "limits.stage_timeouts",
        "limits.stage_timeouts = { plan = '9h' }",
        "limits.stage_timeouts = { plan = '1s' }",
        |r| r.limits.of_stage(ringfence_engine::ModelStage::Plan),
    ),
    ("limits.tool_timeout", "limits.tool_timeout = '9h'", "limits.tool_timeout = '1s'", |r| {
        r.limits.tool_call_ms
    }),
    ("limits.stagnation", "limits.stagnation = 900", "limits.stagnation = 2", |r| r.limits.stagnation.into()),
    ("limits.reflect_after", "limits.reflect_after = 900", "limits.reflect_after = 2", |r| {
        r.limits.reflect_after.map_or(u64::MAX, u64::from)
    }),
    ("limits.memory", "limits.memory = '9GiB'", "limits.memory = '2MiB'", |r| r.grants.limits.memory_bytes),
    ("limits.open_files", "limits.open_files = 90000", "limits.open_files = 3", |r| {
        r.grants.limits.open_files
    }),
    ("limits.dir_entries", "limits.dir_entries = 90000000", "limits.dir_entries = 3", |r| {
        r.grants.limits.dir_entries
    }),
    ("limits.read_bytes", "limits.read_bytes = '900GiB'", "limits.read_bytes = 3", |r| {
        r.grants.limits.read_bytes
    }),
    ("limits.write_bytes", "limits.write_bytes = '900GiB'", "limits.write_bytes = 3", |r| {
        r.grants.limits.write_bytes
    }),
    ("limits.write_entries", "limits.write_entries = 900000", "limits.write_entries = 3", |r| {
        r.grants.limits.write_entries
    }),
    ("limits.requests", "limits.requests = 900", "limits.requests = 2", |r| r.grants.limits.requests.count),
    ("limits.request_headers", "limits.request_headers = '9GiB'", "limits.request_headers = 3", |r| {
        r.grants.limits.requests.header_bytes
    }),
    ("limits.request_body", "limits.request_body = '9GiB'", "limits.request_body = 3", |r| {
        r.grants.limits.requests.sent_bytes
    }),
    ("limits.response_body", "limits.response_body = '9GiB'", "limits.response_body = 3", |r| {
        r.grants.limits.requests.received_bytes
    }),
    ("limits.request_timeout", "limits.request_timeout = '9h'", "limits.request_timeout = '1s'", |r| {
        r.grants.limits.requests.time_ms
    }),
    ("limits.connect_timeout", "limits.connect_timeout = '9h'", "limits.connect_timeout = '1s'", |r| {
        r.grants.limits.requests.connect_ms
    }),
    ("limits.cpu", "limits.cpu = '9h'", "limits.cpu = '1s'", |r| r.grants.limits.cpu_ms.unwrap_or(u64::MAX)),
    ("limits.fuel", "limits.fuel = 900000", "limits.fuel = 9", |r| r.grants.limits.fuel.unwrap_or(u64::MAX)),
    ("limits.output", "limits.output = '9GiB'", "limits.output = 3", |r| r.grants.limits.output_bytes),
    ("limits.stdio", "limits.stdio = '9GiB'", "limits.stdio = 3", |r| r.grants.limits.stdio_bytes),
    (
        "tools.dirs",
        "tools.t.dirs = ['src', 'src/b']",
        "grants.dirs = ['src']\ntools.t.dirs = ['src/a']",
        |r| r.tools.get("t").map_or(u64::MAX, |tool| tool.dirs.len() as u64),
    ),
    (
        "tools.hosts",
        "tools.t.hosts = ['https://a.example', 'https://a.example/v1']",
        "grants.hosts = ['https://a.example']\ntools.t.hosts = ['https://a.example/v1']",
        |r| r.tools.get("t").map_or(u64::MAX, |tool| tool.hosts.len() as u64),
    ),
    (
        "tools.env",
        "tools.t.env = ['API_KEY', 'LANG', 'TZ']",
        "grants.env = ['LANG', 'TZ']\ntools.t.env = ['TZ']",
        |r| tool(r).env.len() as u64,
    ),
    ("tools.secrets", "tools.t.secrets = ['a', 'b', 'c']", TWO_SECRETS, |r| tool(r).secrets.len() as u64),
    ("tools.entropy", "tools.t.entropy = false", "tools.t.entropy = false", |r| tool(r).entropy.into()),
    ("tools.deterministic", "tools.t.deterministic = false", "tools.t.deterministic = true", |r| {
        (!tool(r).deterministic).into()
    }),
    ("tools.cpu", "tools.t.cpu = '9h'", "tools.t.cpu = '1s'", |r| tool(r).limits.cpu_ms.unwrap_or(u64::MAX)),
    ("tools.timeout", "tools.t.timeout = '9h'", "tools.t.timeout = '1s'", |r| tool(r).limits.time_ms),
    ("tools.memory", "tools.t.memory = '9GiB'", "tools.t.memory = '2MiB'", |r| tool(r).limits.memory_bytes),
    ("tools.output", "tools.t.output = '9GiB'", "tools.t.output = 3", |r| tool(r).limits.output_bytes),
];

/// Two secrets of a granted host, of which one goes along.
const TWO_SECRETS: &str = "\
    grants = { hosts = ['https://a.example'], secrets = ['a'] }
    secrets.a = { env = 'A', host = 'https://a.example', header = 'x-a' }
    secrets.b = { env = 'B', host = 'https://a.example', header = 'x-b' }";

/// Where the user names one, the project's doesn't count.
const REPLACED: &[(&str, &str, &str)] = &[
    ("flow", "flow = 'react'", "flow = 'pipeline'"),
    ("on_stage_failure", "on_stage_failure = 'fail'", "on_stage_failure = 'pause'"),
    ("roles.tools", "roles.r = { tools = ['a', 'b'] }", "roles.r = { tools = ['a'] }"),
    ("roles.prompt", "roles.r = { tools = ['a'], prompt = 'x' }", "roles.r = { tools = ['a'] }"),
    ("roles.dirs", "roles.r = { tools = ['a'], dirs = ['.'] }", "roles.r = { tools = ['a'], dirs = [] }"),
    (
        "roles.hosts",
        "roles.r = { tools = ['a'], hosts = ['https://a.example'] }",
        "roles.r = { tools = ['a'], hosts = [] }",
    ),
    (
        "roles.env",
        "grants.env = ['TZ']\nroles.r = { tools = ['a'], env = ['TZ'] }",
        "roles.r = { tools = ['a'], env = [] }",
    ),
    (
        "tools.provider",
        "tools.web_search.provider = 'brave'",
        "tools.web_search = { provider = 'searxng', url = 'https://a.example' }",
    ),
    ("tools.description", "tools.t.description = 'theirs'", "tools.t.description = 'own'"),
    (
        "tools.url",
        "tools.web_search = { provider = 'searxng', url = 'https://evil.example' }",
        "tools.web_search.provider = 'brave'",
    ),
    ("models.default", "models.default.provider = 'openai'", "models.default.provider = 'anthropic'"),
    ("models.plan", "models.plan.provider = 'openai'", "models.plan.provider = 'anthropic'"),
    ("models.decide", "models.decide.provider = 'openai'", "models.decide.provider = 'anthropic'"),
    ("models.evaluate", "models.evaluate.provider = 'openai'", "models.evaluate.provider = 'anthropic'"),
    ("models.reason", "models.reason.provider = 'openai'", "models.reason.provider = 'anthropic'"),
    ("models.converse", "models.converse.provider = 'openai'", "models.converse.provider = 'anthropic'"),
    ("models.reflect", "models.reflect.provider = 'openai'", "models.reflect.provider = 'anthropic'"),
    ("experts.prompt", "experts.e.prompt = 'x'", "experts.e.prompt = 'y'"),
    ("experts.provider", "experts.e.provider = 'openai'", "experts.e.provider = 'anthropic'"),
    (
        "experts.model",
        "experts.e = { provider = 'openai', model = 'x' }",
        "experts.e = { provider = 'openai', model = 'y' }",
    ),
    ("experts.effort", "experts.e.effort = 'max'", "experts.e.effort = 'low'"),
    ("experts.temperature", "experts.e.temperature = 1", "experts.e.temperature = 0"),
];

/// A project that says this isn't accepted.
const REFUSED: &[(&str, &str)] = &[
    ("durability", "durability = 'relaxed'"),
    ("notify", "notify = 'curl evil'"),
    ("host.private", "grants.hosts = [{ url = 'http://10.0.0.1', private = true }]"),
    ("dir.default_masks", "grants.dirs = [{ path = '.', default_masks = false }]"),
    ("model.base_url", "models.plan = { provider = 'openai', base_url = 'http://evil' }"),
    ("model.plain_http", "models.plan = { provider = 'openai', plain_http = true }"),
    ("secrets.env", "secrets.s = { env = 'E', host = 'https://evil.example', header = 'x' }"),
    ("secrets.file", "secrets.s = { file = 'f', host = 'https://evil.example', header = 'x' }"),
    ("secrets.keyring", "secrets.s = { keyring = 'a/b', host = 'https://evil.example', header = 'x' }"),
    ("secrets.host", "secrets.s = { env = 'E', host = 'https://evil.example', header = 'x' }"),
    ("secrets.header", "secrets.s = { env = 'E', host = 'https://evil.example', header = 'x' }"),
    ("secrets.prefix", "secrets.s = { env = 'E', host = 'https://a.example', header = 'x', prefix = 'y' }"),
    ("trusted_keys", "[[trusted_keys]]\nsource = 'oci://evil.example/'\nkey = 'k.pub'"),
    ("trusted_key.source", "[[trusted_keys]]\nsource = 'oci://evil.example/'\nkey = 'k.pub'"),
    ("trusted_key.key", "[[trusted_keys]]\nsource = 'oci://evil.example/'\nkey = 'k.pub'"),
    ("experts.base_url", "experts.e.base_url = 'http://evil'"),
    ("experts.plain_http", "experts.e.plain_http = true"),
];

/// These add nothing to what a tool may do, or are looked at apart: more pauses, more tools out of
/// the project, what a model is told and which it is, all of it confirmed by a person.
const ADDED: &[&str] = &[
    "pause",
    "components",
    "component.path",
    "override.name",
    "override.description",
    "tools.polling",
    "dir.path",
    "dir.access",
    "dir.masks",
    "host.url",
    "host.methods",
    "model.provider",
    "model.model",
    "model.effort",
    "model.temperature",
];

fn tool(resolved: &Resolved) -> super::ToolPolicy {
    resolved.tools.get("t").cloned().unwrap_or_else(|| super::ToolPolicy {
        dirs: resolved.grants.dirs.clone(),
        entropy: resolved.grants.entropy,
        deterministic: resolved.grants.deterministic,
        hosts: resolved.grants.hosts.clone(),
        secrets: resolved.grants.secrets.clone(),
        env: resolved.grants.env.clone(),
        settings: resolved.grants.settings.clone(),
        limits: resolved.grants.limits.clone(),
        description: None,
        named: super::Named::default(),
        said_in: String::new(),
    })
}

fn of(project: &ConfigFile, user: &ConfigFile) -> Resolved {
    Resolved::of_layers(project, user, &Flags::default()).unwrap()
}

#[test]
fn where_the_user_says_less_a_project_gets_no_more() {
    for (key, greedy, modest, size) in NARROWED {
        let (greedy, modest) = (parse(greedy).expect(key), parse(modest).expect(key));
        let (user_alone, both) = (of(&ConfigFile::default(), &modest), of(&greedy, &modest));
        assert!(size(&both) <= size(&user_alone), "{key}");
    }
}

#[test]
fn where_nobody_says_anything_a_project_gets_no_more_than_the_default() {
    // Named for what they are in the documentation: a project's counts where the user names none.
    let own_word = ["grants.dirs", "grants.hosts", "grants.entropy", "parallel", "tools.dirs", "tools.hosts"];
    for (key, greedy, _, size) in NARROWED.iter().filter(|(key, ..)| !own_word.contains(key)) {
        let (nothing, greedy) = (ConfigFile::default(), parse(greedy).expect(key));
        assert!(size(&of(&greedy, &nothing)) <= size(&of(&nothing, &nothing)), "{key}");
    }
}

#[test]
fn where_the_user_names_one_a_project_s_doesn_t_count() {
    for (key, theirs, own) in REPLACED {
        let (theirs, own) = (parse(theirs).expect(key), parse(own).expect(key));
        let flags = Flags { role: own.roles.keys().next().cloned(), ..Flags::default() };
        let shown = |project: &ConfigFile| {
            let resolved = Resolved::of_layers(project, &own, &flags).expect(key);
            format!(
                "{:?}",
                (
                    resolved.flow,
                    resolved.on_stage_failure,
                    resolved.models,
                    resolved.experts,
                    resolved.role,
                    resolved.grants,
                    resolved.tools
                )
            )
        };
        assert_eq!(shown(&theirs), shown(&ConfigFile::default()), "{key}");
    }
}

#[test]
fn what_is_the_user_s_alone_is_refused_in_a_project() {
    for (key, text) in REFUSED {
        assert!(!parse(text).expect(key).not_a_project_s().is_empty(), "{key}");
    }
    for shows in ["tools.t.dirs", "grants.dirs"] {
        let text = format!("{shows} = [{{ path = 'src', masks = ['!.env'] }}]");
        assert!(!parse(&text).unwrap().not_a_project_s().is_empty(), "{shows}");
    }
    let role = parse("roles.r = { tools = [], dirs = [{ path = 'src', masks = ['!.env'] }] }").unwrap();
    assert!(!role.not_a_project_s().is_empty());
}

#[test]
fn every_key_of_the_language_is_in_one_of_these_lists() {
    let schema = language::schema();
    let mut known = BTreeSet::new();
    let tables = schema["definitions"].as_object().expect("tables").iter();
    let tables = tables.map(|(name, table)| (name.as_str(), table)).chain([("", &schema)]);
    for (table, schema) in tables {
        let above = match table {
            "tool" | "role" | "expert" | "secret" => format!("{table}s."),
            "" => String::new(),
            table => format!("{table}."),
        };
        for (key, value) in schema["properties"].as_object().expect("keys") {
            let is_table = value.get("allOf").is_some() && above != "models."
                || value.get("additionalProperties").is_some_and(Value::is_object);
            if !is_table {
                known.insert(format!("{above}{key}"));
            }
        }
    }
    let narrowed = NARROWED.iter().map(|(key, ..)| *key);
    let replaced = REPLACED.iter().map(|(key, ..)| *key);
    let refused = REFUSED.iter().map(|(key, _)| *key);
    let all = narrowed.chain(replaced).chain(refused).chain(ADDED.iter().copied());
    assert_eq!(all.map(str::to_owned).collect::<BTreeSet<_>>(), known);
}
