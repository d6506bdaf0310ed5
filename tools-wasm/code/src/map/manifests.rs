//! What manifests say about how modules are named and where programs begin. Read leniently: what
//! can't be understood says nothing.

use super::files::folder;
use super::model::EntryPoint;
use ringfence_guest_project::{Root, read_whole};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A manifest is no longer than this, in bytes.
const LONGEST: u64 = 1 << 20;
/// So many aliases of one file are kept, and so many programs and namespaces of all.
const MOST_ALIASES: usize = 200;
const MOST_NAMED: usize = 2_000;

/// A package of Node.js.
#[derive(Debug, Default)]
pub(super) struct NodePackage {
    pub(super) name: Option<String>,
    /// Where its code begins: `main`, `module`, `source`, `exports["."]`, as written.
    pub(super) starts: Vec<String>,
}

/// A mapping of import names to places: TypeScript's `paths`, PHP's PSR-4.
#[derive(Debug)]
pub(super) struct Alias {
    /// `@/*`, `app/*`, `App\`.
    pub(super) pattern: String,
    /// The places, from the project's folder, with `*` where the pattern has one.
    pub(super) places: Vec<String>,
}

/// All that manifests say.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    /// By folder.
    pub(super) node: BTreeMap<String, NodePackage>,
    /// By the folder below which they hold; empty for the project's own.
    pub(super) aliases: HashMap<String, Vec<Alias>>,
    /// Go's module path, by folder.
    pub(super) go: BTreeMap<String, String>,
    /// Modules that a `go.mod` requires.
    pub(super) go_requires: HashSet<String>,
    /// A crate's name with underscores, by folder.
    pub(super) crates: BTreeMap<String, String>,
    /// PHP's namespaces: prefix and folder.
    pub(super) psr4: Vec<(String, String)>,
    pub(super) entries: Vec<EntryPoint>,
}

impl Manifests {
    pub(super) fn read(root: &Root, paths: &[String]) -> Self {
        let mut all = Self::default();
        for path in paths {
            if let Some(text) = text_of(root, path) {
                all.take(path, &text);
                all.entries.truncate(MOST_NAMED);
                all.psr4.truncate(MOST_NAMED);
            }
        }
        all
    }

    fn take(&mut self, path: &str, text: &str) {
        let (below, name) = (folder(path), path.rsplit('/').next().unwrap_or(path));
        match name {
            "package.json" => self.node_package(path, below, text),
            "tsconfig.json" | "jsconfig.json" | "deno.json" => self.typescript(below, text),
            "go.mod" => self.go_mod(below, text),
            "Cargo.toml" => self.cargo(path, below, text),
            "composer.json" => self.composer(below, text),
            "pyproject.toml" | "setup.py" | "setup.cfg" => self.python(path, below, text),
            "Procfile" | "Dockerfile" => self.started(path, name, text),
            _ => {}
        }
    }

    fn node_package(&mut self, path: &str, below: &str, text: &str) {
        let Some(json) = json(text) else { return };
        let mut starts = Vec::new();
        for key in ["source", "module", "main"] {
            starts.extend(json.get(key).and_then(Value::as_str).map(str::to_owned));
        }
        let exports = json.get("exports").map(|exports| exports.get(".").unwrap_or(exports));
        let mut exported = Vec::new();
        strings(exports, &mut exported);
        let bins = json.get("bin");
        let mut programs = Vec::new();
        strings(bins, &mut programs);
        let first = starts.first().cloned().or_else(|| exports.is_none().then(|| "index.js".to_owned()));
        let named = [("main", first), ("exports", exported.first().cloned())];
        let named = named.into_iter().filter_map(|(key, place)| Some((key, place?)));
        for (key, place) in named.chain(programs.into_iter().map(|place| ("bin", place))).take(8) {
            let why = format!("{path}: {key}");
            let file = joined(below, &place);
            if !self.entries.iter().any(|had| had.path == file) {
                self.entries.push(EntryPoint { path: file, line: None, why });
            }
        }
        starts.extend(exported);
        let name = json.get("name").and_then(Value::as_str).map(str::to_owned);
        self.node.insert(below.to_owned(), NodePackage { name, starts });
    }

    fn typescript(&mut self, below: &str, text: &str) {
        let Some(json) = json(&without_comments(text)) else { return };
        let options = json.get("compilerOptions").unwrap_or(&json);
        let base = options.get("baseUrl").and_then(Value::as_str);
        let root = joined(below, base.unwrap_or("."));
        let paths = options.get("paths").and_then(Value::as_object).into_iter().flatten();
        let aliases = self.aliases.entry(below.to_owned()).or_default();
        for (pattern, places) in paths.take(MOST_ALIASES) {
            let places = places.as_array().into_iter().flatten().filter_map(Value::as_str);
            let places = places.map(|place| joined(&root, place)).collect();
            aliases.push(Alias { pattern: pattern.clone(), places });
        }
        if base.is_some() {
            let places = vec![joined(&root, "*")];
            aliases.push(Alias { pattern: "*".to_owned(), places });
        }
    }

    fn go_mod(&mut self, below: &str, text: &str) {
        for line in text.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix("module ") {
                self.go.insert(below.to_owned(), name.trim().trim_matches('"').to_owned());
            } else {
                let line = line.strip_prefix("require ").unwrap_or(line);
                let mut words = line.split_whitespace();
                if let (Some(module), Some(version)) = (words.next(), words.next())
                    && version.starts_with('v')
                    && module.contains('.')
                {
                    self.go_requires.insert(module.to_owned());
                }
            }
        }
    }

    fn cargo(&mut self, path: &str, below: &str, text: &str) {
        let library =
            EntryPoint { path: joined(below, "src/lib.rs"), line: None, why: format!("{path}: library") };
        self.entries.push(library);
        let (mut table, mut bin) = ("", false);
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                table = line;
                bin = line == "[[bin]]";
            } else if let Some((key, value)) = line.split_once('=') {
                let value = value.trim().trim_matches('"');
                match (table, key.trim()) {
                    ("[package]", "name") => {
                        self.crates.insert(below.to_owned(), value.replace('-', "_"));
                    }
                    ("[lib]", "name") => {
                        self.crates.insert(below.to_owned(), value.to_owned());
                    }
                    (_, "path") if bin => {
                        let why = format!("{path}: [[bin]]");
                        self.entries.push(EntryPoint { path: joined(below, value), line: None, why });
                    }
                    _ => {}
                }
            }
        }
    }

    fn composer(&mut self, below: &str, text: &str) {
        let Some(json) = json(text) else { return };
        for section in ["autoload", "autoload-dev"] {
            let maps = ["psr-4", "psr-0"].map(|kind| json.get(section).and_then(|all| all.get(kind)));
            for (prefix, places) in maps.into_iter().flatten().filter_map(Value::as_object).flatten() {
                let mut all = Vec::new();
                strings(Some(places), &mut all);
                let place = |place: String| (prefix.trim_end_matches('\\').to_owned(), joined(below, &place));
                self.psr4.extend(all.into_iter().map(place));
            }
        }
        self.psr4.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
    }

    /// Scripts that a Python package installs: `name = "package.module:function"`.
    fn python(&mut self, path: &str, below: &str, text: &str) {
        let mut scripts = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                scripts =
                    matches!(line, "[project.scripts]" | "[project.gui-scripts]" | "[tool.poetry.scripts]");
            }
            let in_setup = path.ends_with("setup.py") || path.ends_with("setup.cfg");
            let quoted = line.trim_matches([' ', ',', '\'', '"', '[', ']']);
            let Some((name, target)) = quoted.split_once('=').filter(|_| scripts || in_setup) else {
                continue;
            };
            let (name, target) = (name.trim(), target.trim().trim_matches(['"', '\'', ' ']));
            let Some((module, function)) = target.split_once(':') else { continue };
            let plain = |text: &str| {
                !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "._-".contains(c))
            };
            if plain(name) && plain(module) && plain(function) {
                let why = format!("{path}: script {name}");
                let place = joined(below, &module.replace('.', "/"));
                self.entries.push(EntryPoint { path: place, line: None, why });
            }
        }
    }

    /// What a container or a platform starts, where it names a file.
    fn started(&mut self, path: &str, name: &str, text: &str) {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            let starts = name == "Procfile" || line.starts_with("CMD") || line.starts_with("ENTRYPOINT");
            if starts && self.entries.len() < 200 {
                let words = line.split(|c: char| c.is_whitespace() || "[]\",'".contains(c));
                let files = words.filter(|word| {
                    [".py", ".js", ".mjs", ".ts", ".sh", ".rb", ".php"].iter().any(|end| word.ends_with(end))
                });
                for file in files {
                    let why = format!("{path}:{number}: {}", line.chars().take(60).collect::<String>());
                    self.entries.push(EntryPoint {
                        path: joined(folder(path), file.trim_start_matches('/')),
                        line: None,
                        why,
                    });
                }
            }
        }
    }
}

fn text_of(root: &Root, path: &str) -> Option<String> {
    let mut file = root.open(path).ok()?;
    let size = usize::try_from(file.size().min(LONGEST)).ok()?;
    let mut bytes = Vec::new();
    read_whole(&mut file, size, &mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// JSON without comments and trailing commas, as TypeScript takes it.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' if quoted => {
                out.push(c);
                out.extend(rest.next());
            }
            '"' => {
                quoted = !quoted;
                out.push(c);
            }
            '/' if !quoted && rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|&c| c != '\n') {
                    rest.next();
                }
            }
            '/' if !quoted && rest.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in rest.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '}' | ']' if !quoted => {
                let kept = out.trim_end().trim_end_matches(',').len();
                if out.trim_end().ends_with(',') {
                    out.truncate(kept);
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// All strings in a value, bounded, the first to be met first.
fn strings(value: Option<&Value>, into: &mut Vec<String>) {
    if into.len() >= 20 {
        return;
    }
    match value {
        Some(Value::String(text)) => into.push(text.clone()),
        Some(Value::Array(items)) => items.iter().for_each(|item| strings(Some(item), into)),
        Some(Value::Object(fields)) => fields.values().for_each(|item| strings(Some(item), into)),
        Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => {}
    }
}

/// A path below a folder, tidied; what leads above the project ends there.
pub(super) fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let start = if path.starts_with('/') { "" } else { folder };
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_taken_out_of_json() {
        let text = "{ // a\n \"a\": \"//b\", /* c */ \"d\": [1, 2,],\n}";
        assert_eq!(json(&without_comments(text)), json(r#"{"a": "//b", "d": [1, 2]}"#));
    }

    #[test]
    fn paths_are_joined_without_leaving_the_project() {
        assert_eq!(joined("a/b", "../c.js"), "a/c.js");
        assert_eq!(joined("a", "../../../x"), "x");
        assert_eq!(joined("", "./x"), "x");
    }
}
