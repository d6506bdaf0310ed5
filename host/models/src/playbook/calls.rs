//! The calls that serve a kind of work, in a fixed order, the most useful first. Which of them is
//! made, and when there have been enough, isn't decided here.

use super::analyst::{Inventory, Language, MANIFESTS, Map, listed_pattern, manifest_rank, series};
use super::facts::{Facts, Task};
use super::kind::Kind;
use super::pick;
use serde_json::{Value, json};

/// Entries that one listing shows at most; the tool itself shows no more than fit a call's output.
const ENTRIES: u32 = 10_000;
/// Files that one page of a map shows at most.
const MODULES: u32 = 500;
/// Further pages of one answer that are worth a call.
const PAGES: usize = 3;
/// Folders at the top that hold code as a rule; they are listed before others.
const CODE_FOLDERS: [&str; 16] = [
    "src", "source", "lib", "libs", "app", "apps", "pkg", "packages", "crates", "internal", "modules",
    "core", "server", "services", "backend", "web",
];

/// A call and why it is made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) tool: &'static str,
    pub(super) input: Value,
    pub(super) why: String,
}

impl Call {
    fn list(input: Value, why: impl Into<String>) -> Self {
        Self { tool: "list_files", input, why: why.into() }
    }

    fn read(path: &str, lines: u32, why: impl Into<String>) -> Self {
        Self { tool: "read_file", input: json!({ "file_path": path, "max_lines": lines }), why: why.into() }
    }

    fn analyze(path: &str) -> Self {
        let why = format!(
            "`{path}` is where the program begins or has its core; its outline shows what it defines."
        );
        Self { tool: "analyze_code", input: json!({ "file_path": path }), why }
    }

    /// The file or folder that it looks at.
    pub(super) fn place(&self) -> &str {
        let named = ["file_path", "directory"].iter().find_map(|key| self.input.get(key));
        named.and_then(Value::as_str).unwrap_or(".")
    }
}

/// The calls that serve a task, of the tools that are offered.
pub(super) fn for_task(facts: &Facts, task: &Task) -> Vec<Call> {
    let inventory = Inventory::of(&facts.observations);
    let scope = pick::scope(facts, &inventory, task);
    let kind = Kind::of(task);
    let mut calls = match kind {
        _ if is_beyond(facts, kind) => beyond(&inventory, task, &scope),
        Kind::Unknown => Vec::new(),
        Kind::Stack | Kind::Structure | Kind::Problems | Kind::Inventory => {
            known(kind, facts, &inventory, &scope)
        }
    };
    calls.retain(|call| facts.offers(call.tool));
    calls
}

/// The calls that serve a kind of work on the whole project, of the tools that are offered.
pub(super) fn for_kind(facts: &Facts, kind: Kind) -> Vec<Call> {
    let mut calls = known(kind, facts, &Inventory::of(&facts.observations), &[]);
    calls.retain(|call| facts.offers(call.tool));
    calls
}

/// Whether the playbook can't do such work, at all or for lack of the one tool for it.
pub(super) fn is_beyond(facts: &Facts, kind: Kind) -> bool {
    match kind {
        Kind::Unknown => true,
        Kind::Problems => !facts.offers("find_problems"),
        Kind::Stack | Kind::Structure | Kind::Inventory => false,
    }
}

/// Whether the tool that does a kind of work in one call can't be used, so that others stand in.
pub(super) fn needs_others(facts: &Facts, kind: Kind) -> bool {
    let Some(tool) = kind.tool() else { return true };
    let mut tried = facts.observations.iter().filter(|seen| seen.tool == tool).peekable();
    let failed = tried.peek().is_some() && tried.all(|seen| !seen.is_done());
    !facts.offers(tool) || failed || facts.rejected.iter().any(|no| no.tool == tool)
}

fn known(kind: Kind, facts: &Facts, inventory: &Inventory, scope: &[String]) -> Vec<Call> {
    let mut calls = match kind {
        Kind::Stack => paged(facts, "detect_stack", scope, &[]),
        Kind::Structure => paged(facts, "map_code", scope, &[("max_modules", MODULES)]),
        Kind::Problems => paged(facts, "find_problems", scope, &[]),
        Kind::Inventory => listing(inventory),
        Kind::Unknown => Vec::new(),
    };
    match kind {
        Kind::Stack if needs_others(facts, kind) => {
            calls.extend(listing(inventory));
            calls.extend(reading_manifests(facts, inventory, scope));
        }
        Kind::Structure if needs_others(facts, kind) => {
            let files = outlining(facts, pick::entries(inventory, scope), inventory);
            if files.is_empty() {
                calls.push(everything());
            }
            calls.extend(files);
        }
        Kind::Structure => {
            let core = Map::of(&facts.observations).map(|map| pick::core(&map, scope));
            calls.extend(core.iter().flatten().map(|path| Call::analyze(path)));
        }
        Kind::Inventory if needs_others(facts, kind) => {
            calls.extend(paged(facts, "detect_stack", scope, &[]));
        }
        Kind::Stack | Kind::Problems | Kind::Inventory | Kind::Unknown => {}
    }
    calls
}

/// One call for each folder that is named, or for all; then the pages that follow.
fn paged(facts: &Facts, tool: &'static str, scope: &[String], more: &[(&str, u32)]) -> Vec<Call> {
    // Rules can be run on one file; the others look at folders.
    let fits =
        |path: &&str| tool == "find_problems" || !path.rsplit('/').next().unwrap_or(path).contains('.');
    let mut folders: Vec<&str> = scope.iter().map(String::as_str).filter(fits).collect();
    if folders.is_empty() {
        folders.push(".");
    }
    let call = |directory: &str, skip: Option<u64>, why: String| {
        let mut input = json!({ "directory": directory });
        if let Some(map) = input.as_object_mut() {
            map.extend(more.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())));
            map.extend(skip.map(|skip| ("skip".to_owned(), skip.into())));
        }
        Call { tool, input, why }
    };
    let mut calls: Vec<Call> =
        folders.iter().map(|folder| call(folder, None, first(tool).to_owned())).collect();
    let seen = series(&facts.observations, tool);
    for folder in folders {
        let Some(series) = seen.iter().rev().find(|series| series.directory == folder) else { continue };
        if !series.is_complete() {
            let why = "There was more than time or size sufficed for; asking again goes further.";
            calls.push(call(folder, Some(0), why.to_owned()));
        }
        if let Some(next) = series.next().filter(|_| series.values().count() <= PAGES) {
            calls.push(call(folder, Some(next), format!("The page before ended at {next}; there is more.")));
        }
    }
    calls
}

/// Why a tool is called first.
fn first(tool: &str) -> &'static str {
    match tool {
        "detect_stack" => "One call tells languages, manifests, frameworks, tools and dependencies.",
        "map_code" => "One call shows all packages, who imports whom, and where the program begins.",
        _ => "One call runs the rules for all languages over the whole code.",
    }
}

fn everything() -> Call {
    let input = json!({ "directory": ".", "recursive": true, "max_entries": ENTRIES });
    Call::list(input, "A listing of everything shows which languages and folders there are.")
}

/// One listing shows everything, unless there is too much of it: then code and manifests alone,
/// and if that is too much as well, folder by folder.
fn listing(inventory: &Inventory) -> Vec<Call> {
    let mut calls = vec![everything()];
    if inventory.counted.is_none() || inventory.is_whole() {
        return calls;
    }
    let every = listed_pattern();
    calls.push(Call::list(
        json!({ "directory": ".", "recursive": true, "pattern": every, "max_entries": ENTRIES }),
        "The listing was cut; code and manifests alone are fewer.",
    ));
    if inventory.has_all_code() {
        return calls;
    }
    calls.push(Call::list(
        json!({ "directory": ".", "max_entries": 1000 }),
        "Both listings were cut; the top level alone shows all folders.",
    ));
    let unseen = inventory.directories.keys().filter(|path| {
        let below = format!("{path}/");
        let after = inventory.files.range(below.clone()..).next();
        !path.contains('/') && !after.is_some_and(|(file, _)| file.starts_with(&below))
    });
    let mut unseen: Vec<&String> = unseen.collect();
    unseen.sort_by_key(|path| !CODE_FOLDERS.contains(&path.to_lowercase().as_str()));
    for path in unseen.into_iter().take(4) {
        let input = json!({ "directory": path, "recursive": true, "pattern": every, "max_entries": ENTRIES });
        calls.push(Call::list(input, format!("The listings were cut before `{path}`.")));
    }
    calls
}

fn reading_manifests(facts: &Facts, inventory: &Inventory, scope: &[String]) -> Vec<Call> {
    let mut paths = pick::manifests(inventory, scope);
    let failed = facts.observations.iter().any(|seen| seen.tool == "list_files" && !seen.is_done());
    if !facts.offers("list_files") || (failed && inventory.steps.is_empty()) {
        // Nothing shows which there are: the usual ones are tried.
        let usual = MANIFESTS.iter().filter(|name| !name.contains('*')).take(5);
        paths.extend(usual.map(|name| (*name).to_owned()));
    }
    paths
        .iter()
        .map(|path| Call::read(path, 1500, format!("`{path}` declares what the project is built with.")))
        .collect()
}

fn outlining(facts: &Facts, files: Vec<String>, inventory: &Inventory) -> Vec<Call> {
    let known = |path: &&String| Language::of(path).is_some_and(Language::is_analysed);
    if facts.offers("analyze_code") && files.iter().any(|path| known(&path)) {
        return files.iter().filter(known).map(|path| Call::analyze(path)).collect();
    }
    let mut calls: Vec<Call> = files
        .iter()
        .map(|path| Call::read(path, 2000, format!("`{path}` is where the program begins or has its core.")))
        .collect();
    if calls.is_empty() {
        // Not a code project: a document says what it is.
        let document = inventory.files.keys().find(|path| path.to_lowercase().contains("readme"));
        let document = document.or_else(|| inventory.files.keys().find(|path| Language::of(path).is_some()));
        calls.extend(
            document.map(|path| Call::read(path, 300, "There is no code; this says what the project is.")),
        );
    }
    calls
}

/// What can be looked at for a task that the playbook can't do: the files it names, else the words
/// it quotes, else the top level.
fn beyond(inventory: &Inventory, task: &Task, scope: &[String]) -> Vec<Call> {
    let mut calls = Vec::new();
    for path in scope.iter().filter(|path| inventory.files.contains_key(*path) || path.contains('.')) {
        let lines = if manifest_rank(path).is_some() { 1500 } else { 400 };
        calls.push(Call::read(path, lines, format!("The task names `{path}`.")));
    }
    for word in task.description.split('`').skip(1).step_by(2).filter(|word| !word.trim().is_empty()).take(1)
    {
        let pattern: String = word
            .chars()
            .flat_map(|c| {
                (!c.is_alphanumeric() && c.is_ascii() && c != ' ').then_some('\\').into_iter().chain([c])
            })
            .collect();
        let input = json!({ "pattern": pattern, "directory": ".", "max_matches": 50, "context_lines": 0 });
        calls.push(Call { tool: "search_text", input, why: format!("The task names `{word}`.") });
    }
    calls.push(Call::list(
        json!({ "directory": ".", "max_entries": 200 }),
        "The playbook can't do this kind of work here; it looks at the top level and says so.",
    ));
    calls.push(Call {
        tool: "detect_stack",
        input: json!({ "directory": "." }),
        why: "The playbook can't do this kind of work here; it looks at what there is and says so."
            .to_owned(),
    });
    calls
}
