//! The tables of the language.

use super::{Key, Kind, Table};

const STAGES: &[&str] = &["plan", "decide", "evaluate", "reason", "converse", "reflect"];
const POINTS: &[&str] = &[
    "after_plan",
    "before_tool",
    "before_write",
    "before_egress",
    "after_evaluate",
    "before_finish",
    "on_low_confidence",
];
const ACCESS: &[&str] = &["read", "write"];
const SEARCH_PROVIDERS: &[&str] = &["brave", "searxng"];
const PROVIDERS: &[&str] = &["anthropic", "openai", "playbook"];
const EFFORTS: &[&str] = &["low", "medium", "high", "xhigh", "max"];
/// The largest number that TOML can write.
const ANY: u64 = i64::MAX as u64;

const fn key(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, about, usual: None, required: false, user_only: false, alternative: false }
}

impl Key {
    const fn usually(mut self, usual: &'static str) -> Self {
        self.usual = Some(usual);
        self
    }

    const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    const fn user_only(mut self) -> Self {
        self.user_only = true;
        self
    }

    const fn alternative(mut self) -> Self {
        self.alternative = true;
        self
    }
}

pub(super) static ROOT: Table = Table {
    name: "root",
    keys: &[
        key(
            "flow",
            Kind::OneOf(&["staged", "pipeline", "react"]),
            "The loop: plan, decide, execute, evaluate; or another one.",
        )
        .usually("\"staged\""),
        key("pause", Kind::List(&Kind::OneOf(POINTS)), "Where a run waits for a person.")
            .usually("[\"after_plan\"]"),
        key("parallel", Kind::Count(1, U32), "Independent tasks at the same time, 16 at most.").usually("1"),
        key(
            "on_stage_failure",
            Kind::OneOf(&["pause", "fail"]),
            "What becomes of a stage that failed, and whose recovery did.",
        )
        .usually("\"pause\""),
        key(
            "components",
            Kind::List(&Kind::FileOr(&COMPONENT)),
            "Files of more tools, relative to this one; a project's lie inside it.",
        )
        .usually("[]"),
        key(
            "durability",
            Kind::OneOf(&["full", "relaxed"]),
            "What a step survives: the machine's death or the process's.",
        )
        .usually("\"full\"")
        .user_only(),
        key("notify", Kind::Text, "A command that is told what becomes of runs.").user_only(),
        key("grants", Kind::Table(&GRANTS), "What tools may touch."),
        key("limits", Kind::Table(&LIMITS), "Bounds of runs and of tool calls."),
        key("tools", Kind::Named("tool", &TOOL), "What single tools may do, where it is less."),
        key("roles", Kind::Named("role", &ROLE), "Who a run works as: `--role NAME`."),
        key("secrets", Kind::Named("secret", &SECRET), "Keys that go with some requests.").user_only(),
        key(
            "trusted_keys",
            Kind::List(&Kind::Table(&TRUSTED_KEY)),
            "Sources whose components must be signed, and by whom.",
        )
        .user_only(),
        key("models", Kind::Table(&MODELS), "Which model serves which stage."),
        key("experts", Kind::Named("kind of task", &EXPERT), "Who works on tasks of which kind."),
    ],
};

const U32: u64 = u32::MAX as u64;

static GRANTS: Table = Table {
    name: "grants",
    keys: &[
        key("dirs", Kind::List(&Kind::PathOr(&DIR)), "Folders and files of the project.").usually("[\".\"]"),
        key("entropy", Kind::Bool, "Real clocks and random numbers for tools.").usually("false"),
        key("deterministic", Kind::Bool, "Equal calls on equal files have one answer.").usually("false"),
        key("hosts", Kind::List(&Kind::HostOr(&HOST)), "Hosts that tools may make requests to.")
            .usually("[]"),
        key(
            "env",
            Kind::List(&Kind::Variable),
            "Variables of the environment that tools see; a project can only name fewer.",
        )
        .usually("[]"),
        key("secrets", Kind::List(&Kind::Secret), "Of the user's secrets only these go along with requests."),
    ],
};

static COMPONENT: Table = Table {
    name: "component",
    keys: &[
        key("path", Kind::Text, "Where its file is, relative to this one.").required(),
        key("tools", Kind::Named("tool", &OVERRIDE), "Other names and descriptions for its tools."),
    ],
};

static OVERRIDE: Table = Table {
    name: "override",
    keys: &[
        key("name", Kind::ToolName, "What the tool is called instead."),
        key("description", Kind::Text, "What a model is told of it instead."),
    ],
};

static DIR: Table = Table {
    name: "dir",
    keys: &[
        key("path", Kind::Path, "Where it is, seen from the project folder.").required(),
        key("access", Kind::OneOf(ACCESS), "What may be done there.").usually("\"read\""),
        key("masks", Kind::List(&Kind::Mask), "What is hidden there besides keys and credentials.")
            .usually("[]"),
        key("default_masks", Kind::Bool, "`false`: keys and credentials aren't hidden.")
            .usually("true")
            .user_only(),
    ],
};

static HOST: Table = Table {
    name: "host",
    keys: &[
        key("url", Kind::Url, "Scheme, host and port, and the path that everything lies below.").required(),
        key("methods", Kind::Methods, "Of requests, in capitals.").usually("[\"GET\", \"HEAD\"]"),
        key("private", Kind::Bool, "It may lead to this machine, or into a network around it.")
            .usually("false"),
    ],
};

static SECRET: Table = Table {
    name: "secret",
    keys: &[
        key("env", Kind::Text, "The environment variable that has the value.").alternative(),
        key("file", Kind::Text, "The file that has the value, relative to this one.").alternative(),
        key("keyring", Kind::KeyringEntry, "The entry of your keyring that has the value.").alternative(),
        key("host", Kind::Url, "The requests that it goes with.").required(),
        key("header", Kind::Header, "The header that it is sent in.").required(),
        key("prefix", Kind::Text, "What stands before it there: `Bearer `.").usually("\"\""),
    ],
};

static TRUSTED_KEY: Table = Table {
    name: "trusted_key",
    keys: &[
        key("source", Kind::Text, "All below this address: oci://registry/…, https://host/… or a folder.")
            .required(),
        key("key", Kind::Text, "The file that has the public key, relative to this one.").required(),
    ],
};

static LIMITS: Table = Table {
    name: "limits",
    keys: &[
        key("iterations", Kind::Count(1, U32), "Stages of a run; 15 for `pipeline`, 10 for `react`.")
            .usually("50"),
        key("time", Kind::Time, "Of a run, pauses not counted."),
        key("tokens", Kind::Count(1, ANY), "Of a run, prompts and replies together."),
        key("money", Kind::Money, "Of a run, in US dollars; every model's price must be known."),
        key("model_timeout", Kind::Time, "Of one model call, retries included.").usually("\"120s\""),
        key("stage_timeouts", Kind::Each(STAGES, &Kind::Time), "The same for single stages."),
        key("tool_timeout", Kind::Time, "Of one tool call.").usually("\"30s\""),
        key("cpu", Kind::Time, "Time on the processor of one tool call, waiting not counted."),
        key("fuel", Kind::Count(1, ANY), "Instructions of one tool call."),
        key("stagnation", Kind::Count(1, U32), "So many repetitions count as standing still; 2 to 1000.")
            .usually("5"),
        key("reflect_after", Kind::Count(1, U32), "Actions without progress until the work is reviewed.")
            .usually("12"),
        key("memory", Kind::Size, "Of one tool call, 1 MiB at least.").usually("\"256MiB\""),
        key("open_files", Kind::Count(1, U32), "Files and folders that one tool call holds open at once.")
            .usually("512"),
        key("dir_entries", Kind::Count(1, ANY), "Entries that one tool call lists.").usually("1000000"),
        key("read_bytes", Kind::Size, "What one tool call reads from files.").usually("\"4GiB\""),
        key("write_bytes", Kind::Size, "What one tool call writes, copies of changed files included.")
            .usually("\"256MiB\""),
        key("write_entries", Kind::Count(1, ANY), "Files and folders that one tool call changes.")
            .usually("10000"),
        key("output", Kind::Size, "Of one result of a tool.").usually("\"256KiB\""),
        key("stdio", Kind::Size, "Of what a tool writes to each of its two outputs.").usually("\"64KiB\""),
        key("requests", Kind::Count(1, U32), "Requests that one tool call makes.").usually("32"),
        key("request_timeout", Kind::Time, "Of one request, to the last byte of its reply.")
            .usually("\"30s\""),
        key("connect_timeout", Kind::Time, "Of looking up a name and connecting.").usually("\"10s\""),
        key("request_headers", Kind::Size, "Of one request, and of one reply; 128 KiB at most.")
            .usually("\"64KiB\""),
        key("request_body", Kind::Size, "What one tool call sends in bodies.").usually("\"1MiB\""),
        key("response_body", Kind::Size, "What one tool call receives in bodies.").usually("\"16MiB\""),
    ],
};

static TOOL: Table = Table {
    name: "tool",
    keys: &[
        key("dirs", Kind::List(&Kind::PathOr(&DIR)), "Of the granted folders only these."),
        key("entropy", Kind::Bool, "`false`: none, although it is granted."),
        key("deterministic", Kind::Bool, "Equal calls on equal files have one answer."),
        key("timeout", Kind::Time, "Of one call."),
        key("cpu", Kind::Time, "Time on the processor of one call."),
        key("memory", Kind::Size, "Of one call."),
        key("output", Kind::Size, "Of one result."),
        key("description", Kind::Text, "What a model is told of it in place of its own words."),
        key("polling", Kind::Bool, "Equal calls in a row are its nature, and no standing still.")
            .usually("false"),
        key("hosts", Kind::List(&Kind::HostOr(&HOST)), "Of the granted hosts only these."),
        key("provider", Kind::OneOf(SEARCH_PROVIDERS), "Whom `web_search` asks; only that tool has it."),
        key("url", Kind::Text, "Where its provider is; Brave has a usual address."),
        key("env", Kind::List(&Kind::Variable), "Of the granted variables only these."),
        key("secrets", Kind::List(&Kind::Secret), "Of the granted secrets only these."),
    ],
};

static ROLE: Table = Table {
    name: "role",
    keys: &[
        key("tools", Kind::List(&Kind::Text), "Only these tools exist for the run.").required(),
        key("prompt", Kind::Text, "What every stage is told besides."),
        key("dirs", Kind::List(&Kind::PathOr(&DIR)), "Of the granted folders only these."),
        key("hosts", Kind::List(&Kind::HostOr(&HOST)), "Of the granted hosts only these."),
        key("env", Kind::List(&Kind::Variable), "Of the granted variables only these."),
    ],
};

static MODELS: Table = Table {
    name: "models",
    keys: &[
        key("default", Kind::Table(&MODEL), "Every stage that has none of its own."),
        key("plan", Kind::Table(&MODEL), "Planning."),
        key("decide", Kind::Table(&MODEL), "Deciding."),
        key("evaluate", Kind::Table(&MODEL), "Evaluating."),
        key("reason", Kind::Table(&MODEL), "Reasoning, in the flow `pipeline`."),
        key("converse", Kind::Table(&MODEL), "The conversation, in the flow `react`."),
        key("reflect", Kind::Table(&MODEL), "Reviewing the work."),
    ],
};

static MODEL: Table = Table {
    name: "model",
    keys: &[
        key("provider", Kind::OneOf(PROVIDERS), "How it is spoken to.").required(),
        key("model", Kind::Text, "Its id; the provider's usual one."),
        key("effort", Kind::OneOf(EFFORTS), "Depth of thought."),
        key("temperature", Kind::Number, "Only where the model takes one."),
        key("base_url", Kind::Text, "Where its server is.").user_only(),
        key("plain_http", Kind::Bool, "The key may travel unencrypted to another machine.")
            .usually("false")
            .user_only(),
    ],
};

static EXPERT: Table = Table {
    name: "expert",
    keys: &[
        key("prompt", Kind::Text, "What deciding and evaluating are told besides."),
        key("provider", Kind::OneOf(PROVIDERS), "Its own model; without one, the stage's."),
        key("model", Kind::Text, "Its id; the provider's usual one."),
        key("effort", Kind::OneOf(EFFORTS), "Depth of thought."),
        key("temperature", Kind::Number, "Only where the model takes one."),
        key("base_url", Kind::Text, "Where its server is.").user_only(),
        key("plain_http", Kind::Bool, "The key may travel unencrypted to another machine.")
            .usually("false")
            .user_only(),
    ],
};
