//! The Java virtual machine: Maven's `pom.xml` and Gradle's build files, read line by line.

use super::{Manifest, Scope, Spot, Text, numbered};
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn maven(text: &Text, manifest: &mut Manifest) {
    static TAG: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"<([A-Za-z.]+)>\s*([^<]+?)\s*</").expect("a valid pattern"));
    manifest.ecosystem = "JVM";
    manifest.build.push(Spot::new("Maven", 1));
    let (mut within, mut name, mut version, mut test, mut start) =
        (Vec::new(), String::new(), String::new(), false, 0);
    for (number, line) in numbered(text) {
        for block in ["parent", "dependency", "plugin", "dependencyManagement", "profile", "build"] {
            if line.contains(&format!("<{block}>")) {
                within.push(block);
                (name, version, test, start) = (String::new(), String::new(), false, number);
            }
        }
        for found in TAG.captures_iter(line) {
            let (tag, value) = (&found[1], &found[2]);
            match (within.last().copied(), tag) {
                (None, "artifactId") if manifest.name.is_none() => {
                    manifest.name = Some(Spot::new(value, number))
                }
                (None, "version") if manifest.version.is_none() => {
                    manifest.version = Some(Spot::new(value, number))
                }
                (None, "description") => manifest.description = Some(Spot::new(value, number)),
                (None, "java.version" | "maven.compiler.release" | "maven.compiler.source") => {
                    manifest.runtime.push(Spot::new(format!("Java {value}"), number));
                }
                (None, "module") => manifest.members.push(Spot::new(value, number)),
                (Some("dependency" | "parent"), "groupId") => name = value.to_owned(),
                (Some("dependency" | "parent"), "artifactId") => {
                    name = if name.is_empty() { value.to_owned() } else { format!("{name}:{value}") };
                    start = number;
                }
                (Some("dependency" | "parent"), "version") => version = value.to_owned(),
                (Some("dependency"), "scope") => test = value == "test",
                _ => {}
            }
        }
        for block in ["dependency", "parent"] {
            if line.contains(&format!("</{block}>")) {
                let scope = if test { Scope::Development } else { Scope::Runtime };
                manifest.depend(&name, &version, scope, start);
            }
        }
        for block in ["parent", "dependency", "plugin", "dependencyManagement", "profile", "build"] {
            if line.contains(&format!("</{block}>")) && within.last() == Some(&block) {
                within.pop();
            }
        }
    }
}

pub(super) fn gradle(text: &Text, manifest: &mut Manifest) {
    static DEPENDENCY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"^\s*(implementation|api|compile|compileOnly|runtimeOnly|kapt|ksp|annotationProcessor|testImplementation|androidTestImplementation|testRuntimeOnly|classpath)\b\s*\(?\s*(?:platform\()?\s*["']([^"':]+:[^"':]+)(?::([^"']+))?["']"#,
        )
        .expect("a valid pattern")
    });
    static PLUGIN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"^\s*(?:id\s*\(?\s*["']([^"']+)["']\)?|kotlin\("([^"]+)"\))\s*(?:version\s*\(?["']([^"']+)["'])?"#)
            .expect("a valid pattern")
    });
    manifest.ecosystem = "JVM";
    manifest.build.push(Spot::new("Gradle", 1));
    for (number, line) in numbered(text) {
        if let Some(found) = DEPENDENCY.captures(line) {
            let scope = match &found[1] {
                kind if kind.to_lowercase().contains("test") => Scope::Development,
                "classpath" | "kapt" | "ksp" | "annotationProcessor" => Scope::Build,
                _ => Scope::Runtime,
            };
            manifest.depend(&found[2], found.get(3).map_or("", |version| version.as_str()), scope, number);
        } else if let Some(found) = PLUGIN.captures(line) {
            let name = found.get(1).or(found.get(2)).map_or("", |name| name.as_str());
            manifest.depend(name, found.get(3).map_or("", |version| version.as_str()), Scope::Build, number);
        }
    }
}

pub(super) fn gradle_settings(text: &Text, manifest: &mut Manifest) {
    static NAME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"rootProject\.name\s*=\s*["']([^"']+)["']"#).expect("a valid pattern"));
    static QUOTED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"["']:?([^"']+)["']"#).expect("a valid pattern"));
    manifest.ecosystem = "JVM";
    for (number, line) in numbered(text) {
        if let Some(found) = NAME.captures(line) {
            manifest.name = Some(Spot::new(&found[1], number));
        } else if line.trim_start().starts_with("include") {
            manifest.members.extend(QUOTED.captures_iter(line).map(|found| Spot::new(&found[1], number)));
        }
    }
}
