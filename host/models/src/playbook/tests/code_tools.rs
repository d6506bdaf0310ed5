//! The tools for code on a project in memory: enough of their shapes to see how the playbook uses
//! them.

use super::folder::Folder;
use regex::Regex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Rules: id, message, severity, what a line with a problem looks like.
const RULES: [(&str, &str, &str, &str); 4] = [
    ("python-eval", "Text is run as code", "high", r"\beval\("),
    ("python-sql-injection", "SQL is put together from text", "high", r#"f"SELECT"#),
    ("python-secret", "A key stands in the code", "medium", r#"^\w*KEY = ""#),
    ("python-weak-hash", "A weak hash is used", "low", r"hashlib\.(md5|sha1)"),
];

impl Folder {
    fn code<'a>(&'a self, input: &'a Value) -> impl Iterator<Item = (&'a String, &'a String)> {
        self.below(input)
            .filter(|(path, _)| [".py", ".ts", ".tsx", ".go"].iter().any(|end| path.ends_with(end)))
    }

    pub(super) fn stack(&self, input: &Value) -> Value {
        let mut languages: BTreeMap<&str, (u64, u64, &str)> = BTreeMap::new();
        for (path, text) in self.code(input) {
            let share = languages.entry(called(path)).or_insert((0, 0, path));
            *share = (share.0 + 1, share.1 + text.len() as u64, share.2);
        }
        let languages: Vec<Value> = languages
            .iter()
            .map(|(name, (files, bytes, path))| {
                json!({ "name": name, "files": files, "bytes": bytes, "permille": 0, "path": path })
            })
            .collect();
        let named = Regex::new(r#"^\s*"?name"?\s*[=:] "([^"]+)""#).unwrap();
        let wanted = Regex::new(r#"^\s+"([a-z-]+)(>=[^"]+)",$"#).unwrap();
        let (mut manifests, mut technologies, mut dependencies) = (vec![], vec![], vec![]);
        for (path, text) in self.below(input) {
            if !path.ends_with("pyproject.toml") && !path.ends_with("package.json") {
                continue;
            }
            for (number, line) in (1..).zip(text.lines()) {
                if let Some(found) = named.captures(line) {
                    manifests.push(
                        json!({ "path": path, "ecosystem": "PyPI", "name": &found[1], "version": "0.3.0",
                        "description": null, "license": null, "line": number, "dependencies": 0,
                        "setting": "product", "trouble": null }),
                    );
                }
                if let Some(found) = wanted.captures(line) {
                    dependencies.push(json!({ "name": &found[1], "requirement": &found[2], "resolved": null,
                        "scope": "runtime", "path": path, "line": number }));
                    technologies.push(json!({ "name": &found[1], "kind": "framework", "version": &found[2],
                        "path": path, "line": number, "evidence": line }));
                }
            }
        }
        json!({ "directory": input["directory"], "languages": languages, "manifests": manifests,
            "technologies": technologies, "total_dependencies": dependencies.len(), "next": null,
            "dependencies": dependencies, "files": self.below(input).count(), "skipped": [], "complete": true })
    }

    pub(super) fn map(&self, input: &Value) -> Value {
        let import = Regex::new(r"^from (\w[\w.]+) import").unwrap();
        let all: BTreeSet<&String> = self.code(input).map(|(path, _)| path).collect();
        let mut imports: BTreeMap<&String, Vec<String>> = BTreeMap::new();
        for (path, text) in self.code(input) {
            let named = text.lines().filter_map(|line| import.captures(line));
            let own = named.map(|found| format!("{}.py", found[1].replace('.', "/")));
            imports.insert(path, own.filter(|target| all.contains(target)).collect());
        }
        let modules: Vec<Value> = self
            .code(input)
            .map(|(path, text)| {
                let by = imports.values().filter(|targets| targets.contains(path)).count();
                json!({ "path": path, "language": called(path).to_lowercase(), "package": folder(path),
                    "setting": setting(path), "code_lines": text.lines().count(), "symbols": text.matches("def ").count(),
                    "hardest": null, "imports": imports[path], "imported_by": by, "layer": 0 })
            })
            .collect();
        let packages: Vec<Value> = all
            .iter()
            .map(|path| folder(path))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(|name| {
                let files = all.iter().filter(|path| folder(path) == name).count();
                json!({ "path": name, "name": name, "files": files, "code_lines": files * 10,
                        "setting": setting(&format!("{name}/x")), "imports": [], "layer": 0 })
            })
            .collect();
        let begins = all.iter().filter(|path| path.ends_with("main.py"));
        let entries: Vec<Value> =
            begins.map(|path| json!({ "path": path, "line": 1, "why": "fn main" })).collect();
        let (skip, most) = (input["skip"].as_u64().unwrap_or(0) as usize, self.page(input, "max_modules"));
        let shown: Vec<&Value> = modules.iter().skip(skip).take(most).collect();
        json!({ "directory": input["directory"], "total": modules.len(), "next": next(skip, shown.len(), modules.len()),
            "modules": shown, "total_packages": packages.len(), "packages": packages, "externals": [],
            "entry_points": entries, "cycles": [], "unresolved": [], "set_apart": 0, "skipped": [], "complete": true })
    }

    pub(super) fn problems(&self, input: &Value) -> Value {
        let mut found: Vec<Value> = Vec::new();
        let mut rules: Vec<Value> = Vec::new();
        for (id, message, severity, shape) in RULES {
            let shape = Regex::new(shape).unwrap();
            let before = found.len();
            for (path, text) in self.code(input).filter(|(path, _)| path.ends_with(".py")) {
                for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| shape.is_match(line)) {
                    let excerpt = if id == "python-secret" { line.split('"').next().unwrap() } else { line };
                    found.push(json!({ "rule": id, "path": path, "first_line": number, "first_column": 1,
                        "last_line": number, "last_column": line.len() + 1, "message": message, "excerpt": excerpt,
                        "setting": setting(path), "symbol": null, "content": "00", "fingerprint": format!("{id}{path}{number}") }));
                }
            }
            if found.len() > before {
                rules.push(json!({ "id": id, "language": "Python", "severity": severity, "confidence": "high",
                    "concern": "security", "cwe": null, "message": message, "why": "It matters.", "fix": "Do better.",
                    "origin": "standard" }));
            }
        }
        let mut searched: BTreeMap<String, u64> = BTreeMap::new();
        for (path, _) in self.code(input) {
            *searched.entry(called(path).to_lowercase()).or_default() += 1;
        }
        let searched: Vec<Value> = searched
            .iter()
            .map(|(language, files)| {
                json!({ "language": language, "files": files, "rules": if language == "go" { 0 } else { 4 } })
            })
            .collect();
        let (skip, most) = (input["skip"].as_u64().unwrap_or(0) as usize, self.page(input, "max_problems"));
        let shown: Vec<&Value> = found.iter().skip(skip).take(most).collect();
        json!({ "directory": input["directory"], "total": found.len(), "next": next(skip, shown.len(), found.len()),
            "found": shown, "rules": rules, "rules_run": 4, "searched": searched, "suppressed": 0, "set_apart": 0,
            "skipped": [], "complete": true })
    }

    fn page(&self, input: &Value, key: &str) -> usize {
        self.shows.unwrap_or(usize::MAX).min(input[key].as_u64().unwrap_or(200) as usize)
    }
}

fn next(skip: usize, shown: usize, total: usize) -> Value {
    if skip + shown < total { (skip + shown).into() } else { Value::Null }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

fn called(path: &str) -> &str {
    match path.rsplit('.').next() {
        Some("py") => "Python",
        Some("go") => "Go",
        _ => "TypeScript",
    }
}

fn setting(path: &str) -> &'static str {
    if path.starts_with("tests/") { "test" } else { "product" }
}
