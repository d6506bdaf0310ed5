//! A project in memory, answered for in the shapes of the standard tools.

use regex::Regex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The sample project that the repository ships.
pub(in crate::playbook) fn sample() -> Folder {
    Folder::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/my_project"))
}

/// Files by path.
#[derive(Debug, Clone, Default)]
pub(in crate::playbook) struct Folder {
    pub(in crate::playbook) files: BTreeMap<String, String>,
    /// Calls of these tools fail.
    pub(in crate::playbook) broken: Vec<&'static str>,
    /// A listing or page shows no more than this.
    pub(in crate::playbook) shows: Option<usize>,
}

impl Folder {
    pub(in crate::playbook) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Self { files, ..Self::default() }
    }

    /// A folder of the file system, text files only.
    pub(in crate::playbook) fn load(root: &Path) -> Self {
        let mut folder = Self::default();
        let mut open = vec![root.to_owned()];
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                let path = entry.path();
                let name = entry.file_name().to_string_lossy().into_owned();
                if path.is_dir() && !matches!(name.as_str(), ".git" | "target" | "node_modules") {
                    open.push(path);
                } else if let (Ok(text), Ok(relative)) =
                    (std::fs::read_to_string(&path), path.strip_prefix(root))
                {
                    folder.files.insert(relative.to_string_lossy().into_owned(), text);
                }
            }
        }
        folder
    }

    /// Status, value and message of a call.
    pub(in crate::playbook) fn call(&self, tool: &str, input: &Value) -> (&'static str, Value, String) {
        if self.broken.contains(&tool) {
            return ("denied", json!({ "case": "not_permitted", "value": "no" }), "not granted".to_owned());
        }
        let value = match tool {
            "list_files" => Some(self.list(input)),
            "read_file" => self.read(input),
            "search_text" => Some(self.search(input)),
            "analyze_code" => self.analyze(input),
            "detect_stack" => Some(self.stack(input)),
            "map_code" => Some(self.map(input)),
            "find_problems" => Some(self.problems(input)),
            other => panic!("no tool {other}"),
        };
        match value {
            Some(value) => ("done", value, String::new()),
            None => {
                ("failed", json!({ "case": "not_found", "value": "no such file" }), "no such file".to_owned())
            }
        }
    }

    pub(super) fn below<'a>(&'a self, input: &'a Value) -> impl Iterator<Item = (&'a String, &'a String)> {
        let directory = input["directory"].as_str().unwrap_or(".").to_owned();
        self.files.iter().filter(move |(path, _)| {
            directory == "." || **path == directory || path.starts_with(&format!("{directory}/"))
        })
    }

    fn list(&self, input: &Value) -> Value {
        let glob = input["pattern"].as_str().map(glob);
        let recursive = input["recursive"] == true;
        let mut entries: BTreeMap<String, (&str, usize)> = BTreeMap::new();
        for (path, text) in self.below(input) {
            for (at, _) in path.match_indices('/') {
                entries.insert(path[..at].to_owned(), ("directory", 0));
            }
            entries.insert(path.clone(), ("file", text.len()));
        }
        let root = input["directory"].as_str().unwrap_or(".").to_owned();
        entries.retain(|path, _| {
            let rest = if root == "." { Some(path.as_str()) } else { path.strip_prefix(&format!("{root}/")) };
            rest.is_some_and(|rest| recursive || !rest.contains('/'))
                && glob.as_ref().is_none_or(|glob| glob.is_match(path.rsplit('/').next().unwrap()))
        });
        let most =
            self.shows.unwrap_or(usize::MAX).min(input["max_entries"].as_u64().unwrap_or(1000) as usize);
        let total = entries.len();
        let shown: Vec<Value> = entries
            .iter()
            .take(most)
            .map(|(path, (kind, size))| json!({ "path": path, "kind": kind, "size": size }))
            .collect();
        json!({ "directory": root, "cut": shown.len() < total, "entries": shown, "total": total, "files": 0,
                "directories": 0, "ignored": 0, "unreadable": [], "complete": true })
    }

    fn read(&self, input: &Value) -> Option<Value> {
        let path = input["file_path"].as_str()?;
        let text = self.files.get(path)?;
        let most = input["max_lines"].as_u64().unwrap_or(100) as usize;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let shown = &lines[..lines.len().min(most)];
        Some(json!({ "path": path, "text": shown.concat(), "first_line": 1, "last_line": shown.len(),
                     "total_lines": lines.len(), "cut": shown.len() < lines.len(), "shortened_lines": 0,
                     "lossy": false, "size": text.len() }))
    }

    fn search(&self, input: &Value) -> Value {
        let pattern =
            Regex::new(input["pattern"].as_str().unwrap()).expect("the playbook's patterns are valid");
        let glob = input["file_pattern"].as_str().map(glob);
        let most = input["max_matches"].as_u64().unwrap_or(100) as usize;
        let (mut matches, mut total, mut searched) = (Vec::new(), 0, 0);
        let mut matched = BTreeSet::new();
        for (path, text) in self.below(input) {
            if glob.as_ref().is_some_and(|glob| !glob.is_match(path.rsplit('/').next().unwrap())) {
                continue;
            }
            searched += 1;
            let lines: Vec<&str> = text.lines().collect();
            for (index, line) in lines.iter().enumerate().filter(|(_, line)| pattern.is_match(line)) {
                total += 1;
                matched.insert(path);
                if matches.len() < most {
                    let after: Vec<&&str> = lines.iter().skip(index + 1).take(2).collect();
                    matches.push(json!({ "path": path, "line": index + 1, "column": 1, "text": line,
                                         "before": [], "after": after }));
                }
            }
        }
        json!({ "cut": matches.len() < total, "matches": matches, "total": total, "files_searched": searched,
                "files_matched": matched.len(), "binary_files": 0, "unsearched": [], "complete": true })
    }

    /// Only what can be told from single lines: enough to see how results are used.
    fn analyze(&self, input: &Value) -> Option<Value> {
        let path = input["file_path"].as_str()?;
        let text = self.files.get(path)?;
        let definition =
            Regex::new(r"^\s*(?:pub |export |async )*(def|class|fn|func|function|struct) (\w+)").unwrap();
        let import = Regex::new(r"^(?:from|import|use) ([\w.:]+)").unwrap();
        let (mut outline, mut imports) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(found) = definition.captures(line) {
                let kind = if matches!(&found[1], "class" | "struct") { "class" } else { "function" };
                let owner = line.starts_with(' ').then_some("Owner");
                outline.push(json!({ "kind": kind, "name": &found[2], "owner": owner, "first_line": number,
                    "last_line": number + 1, "signature": line, "exported": !found[2].starts_with('_'), "doc": null }));
            } else if let Some(found) = import.captures(line) {
                imports.push(json!({ "kind": "import", "module": &found[1], "names": [], "line": number }));
            }
        }
        let language = if path.ends_with(".py") { "python" } else { "rust" };
        Some(json!({ "path": path, "language": language, "package_name": null, "imports": imports,
            "counts": { "lines": text.lines().count(), "code_lines": text.lines().count(), "comment_lines": 0,
                "blank_lines": 0, "functions": outline.len(), "methods": 0, "classes": 0 },
            "outline": outline, "syntax_errors": 0, "first_errors": [], "cut": false, "size": text.len() }))
    }
}

fn glob(pattern: &str) -> Regex {
    let mut text = String::from("^");
    for c in pattern.chars() {
        match c {
            '*' => text.push_str("[^/]*"),
            '{' => text.push_str("(?:"),
            '}' => text.push(')'),
            ',' => text.push('|'),
            '.' => text.push_str("\\."),
            other => text.push(other),
        }
    }
    text.push('$');
    Regex::new(&text).expect("a glob")
}
