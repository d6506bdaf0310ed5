//! The calls that serve a kind of work, in a fixed order, the most useful first. Which of them is
//! made, and when there have been enough, isn't decided here.

use super::analyst::{Inventory, Language, MANIFESTS, is_manifest, listed_pattern, manifests};
use super::facts::{Facts, Task};
use super::kind::Kind;
use super::pick;
use super::rules::SETS;
use super::skeleton::Skeleton;
use serde_json::{Value, json};

/// Entries that one listing shows at most; the tool itself shows no more than fit a call's output.
const ENTRIES: u32 = 10_000;
/// Folders at the top that hold code as a rule; they are listed before others.
const CODE_FOLDERS: [&str; 16] = [
    "src", "source", "lib", "libs", "app", "apps", "pkg", "packages", "crates", "internal", "modules",
    "core", "server", "services", "backend", "web",
];
/// Matching lines that one search shows, with their neighbours.
const MATCHES: u32 = 400;

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

    fn search(input: Value, why: impl Into<String>) -> Self {
        Self { tool: "search_text", input, why: why.into() }
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
    let scope = pick::scope(&inventory, task);
    let calls = match Kind::of(task) {
        Kind::Unknown => unknown(&inventory, task, &scope),
        kind @ (Kind::Inventory | Kind::Manifests | Kind::Structure | Kind::Problems) => {
            known(kind, facts, &inventory, &scope)
        }
    };
    offered(calls, facts, &inventory)
}

/// The calls that serve a kind of work on the whole project, of the tools that are offered.
pub(super) fn for_kind(facts: &Facts, kind: Kind) -> Vec<Call> {
    let inventory = Inventory::of(&facts.observations);
    offered(known(kind, facts, &inventory, &[]), facts, &inventory)
}

fn known(kind: Kind, facts: &Facts, inventory: &Inventory, scope: &[String]) -> Vec<Call> {
    match kind {
        Kind::Inventory => listing(inventory),
        Kind::Manifests => reading_manifests(facts, inventory, scope),
        Kind::Structure => outlining(facts, inventory, scope),
        Kind::Problems => searching(facts, inventory, scope),
        Kind::Unknown => Vec::new(),
    }
}

fn offered(mut calls: Vec<Call>, facts: &Facts, inventory: &Inventory) -> Vec<Call> {
    calls.retain(|call| facts.offers(call.tool));
    // Without a listing nothing else can be chosen well.
    if inventory.steps.is_empty() && facts.offers("list_files") {
        calls.insert(0, everything());
    }
    calls
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
    if !facts.offers("list_files") {
        // Nothing shows which there are: the usual ones are tried.
        paths.extend(["pyproject.toml", "package.json", "Cargo.toml", "go.mod"].map(str::to_owned));
    }
    if paths.is_empty() {
        return vec![Call::list(
            json!({
                "directory": ".",
                "recursive": true,
                "pattern": format!("{{{}}}", MANIFESTS.join(",")),
            }),
            "No manifest has been seen; this looks for the usual ones by name.",
        )];
    }
    paths
        .iter()
        .map(|path| Call::read(path, 1500, format!("`{path}` declares what the project is built with.")))
        .collect()
}

fn outlining(facts: &Facts, inventory: &Inventory, scope: &[String]) -> Vec<Call> {
    let found = manifests(&facts.observations);
    let mut calls: Vec<Call> = if facts.offers("analyze_code") {
        pick::entries(inventory, &found, scope, true).iter().map(|path| Call::analyze(path)).collect()
    } else {
        read_entries(facts, inventory, scope)
    };
    if calls.is_empty() {
        // No language that can be analysed: what is there is at least read.
        calls = read_entries(facts, inventory, scope);
    }
    let shares = inventory.languages();
    let total: u64 = shares.iter().map(|share| share.bytes).sum();
    let large = shares.iter().filter(|share| share.bytes * 5 >= total).take(2);
    for (place, share) in large.enumerate() {
        if let Some(skeleton) = Skeleton::of(share.language.name()) {
            let directory = scope.first().cloned().unwrap_or_else(|| pick::home(inventory, share.language));
            let input = json!({
                "pattern": skeleton.pattern,
                "directory": directory,
                "file_pattern": skeleton.glob,
                "max_matches": 1000,
                "context_lines": 0,
            });
            let why =
                format!("One search shows what every {} file defines at its top level.", skeleton.language);
            // The second language waits until the first has been looked at closely.
            calls.insert((place * 4).min(calls.len()), Call::search(input, why));
        }
    }
    if calls.is_empty() {
        calls.push(everything());
    }
    calls
}

fn read_entries(facts: &Facts, inventory: &Inventory, scope: &[String]) -> Vec<Call> {
    let found = manifests(&facts.observations);
    let mut calls: Vec<Call> = pick::entries(inventory, &found, scope, false)
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

fn searching(facts: &Facts, inventory: &Inventory, scope: &[String]) -> Vec<Call> {
    if !facts.offers("search_text") {
        return read_entries(facts, inventory, scope);
    }
    let directory = scope.first().map_or(".", String::as_str);
    let mut calls = Vec::new();
    let weights: Vec<(&str, u64)> =
        inventory.files.iter().map(|(path, file)| (path.as_str(), file.size.max(1))).collect();
    let mut sets: Vec<_> = SETS
        .iter()
        .filter(|set| !set.is_universal())
        .map(|set| {
            (weights.iter().filter(|(path, _)| set.covers(path)).map(|(_, size)| size).sum::<u64>(), set)
        })
        .filter(|(weight, _)| *weight > 0)
        .collect();
    sets.sort_by_key(|(weight, set)| (set.language.starts_with("build"), std::cmp::Reverse(*weight)));
    for (_, set) in &sets {
        let patterns: Vec<&str> = set.rules.iter().map(|rule| rule.pattern.as_str()).collect();
        let mut input = search_input(&patterns, directory);
        if let (Some(glob), Some(map)) = (set.glob(), input.as_object_mut()) {
            map.insert("file_pattern".to_owned(), glob.into());
        }
        let why =
            format!("The shapes of {} known problems in {}, in one search.", set.rules.len(), set.language);
        calls.push(Call::search(input, why));
    }
    let universal = SETS.iter().filter(|set| set.is_universal()).flat_map(|set| &set.rules);
    let (notes, secrets): (Vec<_>, Vec<_>) = universal.partition(|rule| rule.is_note());
    let patterns: Vec<&str> = secrets.iter().map(|rule| rule.pattern.as_str()).collect();
    let why = "Keys, tokens and passwords, and unresolved merges, in all files.";
    calls.insert(calls.len().min(1), Call::search(search_input(&patterns, directory), why));
    if let Some((_, set)) = sets.first() {
        let patterns: Vec<&str> = notes.iter().map(|rule| rule.pattern.as_str()).collect();
        let mut input = search_input(&patterns, directory);
        if let (Some(glob), Some(map)) = (set.glob(), input.as_object_mut()) {
            map.insert("file_pattern".to_owned(), glob.into());
        }
        let why = "What the authors themselves marked as unfinished or wrong.";
        calls.insert(calls.len().min(3), Call::search(input, why));
    }
    calls
}

fn search_input(patterns: &[&str], directory: &str) -> Value {
    let groups: Vec<String> = patterns.iter().map(|pattern| format!("(?:{pattern})")).collect();
    json!({ "pattern": groups.join("|"), "directory": directory, "max_matches": MATCHES, "context_lines": 2 })
}

/// What can be looked at for a task that isn't understood: the files it names, else the words it
/// quotes, else the top level.
fn unknown(inventory: &Inventory, task: &Task, scope: &[String]) -> Vec<Call> {
    let mut calls = Vec::new();
    for path in scope.iter().filter(|path| inventory.files.contains_key(*path)) {
        let lines = if is_manifest(path) { 1500 } else { 400 };
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
        calls.push(Call::search(input, format!("The task names `{word}`.")));
    }
    calls.push(Call::list(
        json!({ "directory": ".", "max_entries": 200 }),
        "The playbook doesn't know this kind of work; it looks at the top level and says so.",
    ));
    calls
}
