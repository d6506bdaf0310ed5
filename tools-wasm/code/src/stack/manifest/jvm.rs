//! The JVM: Maven's `pom.xml`, Gradle's build files and version catalogues.

use crate::stack::found::{About, Found};
use crate::stack::model::{Ecosystem, Scope, TechnologyKind};
use crate::stack::text::{Text, quoted};
use crate::stack::toml::Table;
use ::toml::de::DeTable;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashMap;

pub(super) fn pom(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let options = ParsingOptions { nodes_limit: 200_000, ..ParsingOptions::default() };
    let document = match Document::parse_with_options(text.all, options) {
        Ok(document) => document,
        Err(error) => {
            let about = About { trouble: Some(error.to_string()), ..About::default() };
            return found.manifest(path, Ecosystem::Maven, about, before);
        }
    };
    let root = document.root_element();
    let properties: HashMap<&str, &str> = child(root, "properties")
        .into_iter()
        .flat_map(|node| node.children())
        .filter_map(|node| Some((node.tag_name().name(), node.text()?.trim())))
        .collect();
    let parent = child(root, "parent");
    let version = inner(root, "version").or_else(|| inner(parent?, "version"));
    let full = |value: &str| -> String {
        let key = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let known =
            key.and_then(|key| properties.get(key).copied().or(version.filter(|_| key == "project.version")));
        known.unwrap_or(value).to_owned()
    };
    let line = |node: Node<'_, '_>| text.line_of(node.range().start);
    if let Some(parent) = parent {
        let name = named(parent);
        found.depends(
            Ecosystem::Maven,
            Scope::Build,
            (&name, &full(inner(parent, "version").unwrap_or_default())),
            (path, line(parent)),
        );
    }
    let mut managed: HashMap<String, &str> = HashMap::new();
    let mut own = Vec::new();
    for one in root.descendants().filter(|node| node.has_tag_name_anywhere("dependency")) {
        // A plugin's dependencies are none of the project's.
        match one.parent().and_then(|list| list.parent()).map(|above| above.tag_name().name()) {
            Some("project" | "profile") => own.push(one),
            Some("dependencyManagement") => {
                managed.extend(inner(one, "version").map(|version| (named(one), version)));
            }
            Some(_) | None => {}
        }
    }
    for one in own {
        let scope = match inner(one, "scope") {
            Some("test") => Scope::Development,
            Some("provided") => Scope::Peer,
            _ if inner(one, "optional") == Some("true") => Scope::Optional,
            _ => Scope::Runtime,
        };
        let name = named(one);
        let version = inner(one, "version").or_else(|| managed.get(&name).copied()).unwrap_or_default();
        found.depends(Ecosystem::Maven, scope, (&name, &full(version)), (path, line(one)));
    }
    for (key, node) in
        root.descendants().filter(|node| node.is_element()).map(|node| (node.tag_name().name(), node))
    {
        if ["maven.compiler.source", "maven.compiler.release", "java.version"].contains(&key) {
            found.uses(
                TechnologyKind::Runtime,
                ("Java", node.text().map(str::trim)),
                (path, line(node)),
                text,
            );
        }
    }
    found.uses(TechnologyKind::BuildTool, ("Maven", None), (path, 1), text);
    let about = About {
        name: Some(named(root)).filter(|name| !name.is_empty()),
        version: version.map(full),
        description: inner(root, "description").map(str::to_owned),
        license: child(root, "licenses")
            .and_then(|all| inner(child(all, "license")?, "name"))
            .map(str::to_owned),
        line: child(root, "artifactId").map_or(1, line),
        trouble: None,
    };
    found.manifest(path, Ecosystem::Maven, about, before);
}

trait Tag {
    fn has_tag_name_anywhere(&self, name: &str) -> bool;
}

impl Tag for Node<'_, '_> {
    /// Whatever the namespace.
    fn has_tag_name_anywhere(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|node| node.has_tag_name_anywhere(name))
}

fn inner<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name)?.text().map(str::trim)
}

fn named(node: Node<'_, '_>) -> String {
    let parts = ["groupId", "artifactId"].iter().filter_map(|key| inner(node, key));
    parts.collect::<Vec<_>>().join(":")
}

/// The common forms: `implementation("g:a:1")`, `testImplementation 'g:a:1'`, `id("x") version "1"`.
pub(super) fn gradle(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    for (number, line) in text.lines() {
        let line = line.trim();
        if line.starts_with("//") {
            continue;
        }
        let word = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let scope = match word {
            "implementation" | "api" | "compile" | "runtimeOnly" | "kapt" | "ksp" => Some(Scope::Runtime),
            "compileOnly" => Some(Scope::Peer),
            "annotationProcessor" | "classpath" => Some(Scope::Build),
            "testImplementation"
            | "testRuntimeOnly"
            | "testCompile"
            | "androidTestImplementation"
            | "debugImplementation" => Some(Scope::Development),
            _ => None,
        };
        if let Some(scope) = scope
            && let Some(one) = quoted(line)
        {
            let mut parts = one.split(':');
            if let (Some(group), Some(name)) = (parts.next(), parts.next()) {
                let version = parts.next().unwrap_or_default();
                found.depends(
                    Ecosystem::Gradle,
                    scope,
                    (&format!("{group}:{name}"), version),
                    (path, number),
                );
            }
        } else if word == "id"
            && let Some(plugin) = quoted(line)
        {
            let version = line.split_once("version").and_then(|(_, rest)| quoted(rest)).unwrap_or_default();
            found.depends(Ecosystem::Gradle, Scope::Build, (plugin, version), (path, number));
        } else if ["sourceCompatibility", "jvmTarget", "languageVersion"].contains(&word) {
            let version = java_version(line);
            found.uses(TechnologyKind::Runtime, ("Java", version.as_deref()), (path, number), text);
        }
    }
    found.uses(TechnologyKind::BuildTool, ("Gradle", None), (path, 1), text);
    found.manifest(path, Ecosystem::Gradle, About { line: 1, ..About::default() }, before);
}

/// The first number of a line: `17`, `"1.8"`, `JavaVersion.VERSION_1_8`, `JavaLanguageVersion.of(21)`.
fn java_version(line: &str) -> Option<String> {
    let code = line.split("//").next().unwrap_or(line);
    let digits = code.get(code.find(|c: char| c.is_ascii_digit())?..)?;
    let end = digits.find(|c: char| !(c.is_ascii_digit() || "._".contains(c))).unwrap_or(digits.len());
    Some(digits.get(..end)?.replace('_', ".").trim_end_matches('.').to_owned())
}

pub(super) fn catalogue(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let Ok(document) = DeTable::parse(text.all) else { return };
    let root = Table::new(document.get_ref(), text);
    let versions = root.at(&["versions"]);
    for (_, entry) in root.at(&["libraries"]).iter().flat_map(Table::entries) {
        let place = (path, entry.line);
        if let Some(one) = entry.text() {
            let (name, version) = one.rsplit_once(':').unwrap_or((one, ""));
            found.depends(Ecosystem::Gradle, Scope::Runtime, (name, version), place);
        } else if let Some(table) = entry.table(text) {
            let pair = || Some(format!("{}:{}", table.text("group")?, table.text("name")?));
            let Some(name) = table.text("module").or_else(pair) else { continue };
            let referred = || versions.as_ref()?.text(&table.at(&["version"])?.text("ref")?);
            let version = table.text("version").or_else(referred).unwrap_or_default();
            found.depends(Ecosystem::Gradle, Scope::Runtime, (&name, &version), place);
        }
    }
    found.manifest(path, Ecosystem::Gradle, About { line: 1, ..About::default() }, before);
}
