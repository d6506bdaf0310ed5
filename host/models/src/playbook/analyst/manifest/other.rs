//! Other build and delivery files, each read for the few things that say what a project is.

use super::json::Document;
use super::node::object;
use super::{Manifest, Scope, Spot, Text, numbered};
use regex::Regex;
use std::sync::LazyLock;

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

pub(super) fn gemfile(text: &Text, manifest: &mut Manifest) {
    static GEM: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"^\s*gem\s+["']([^"']+)["'](?:\s*,\s*["']([^"']+)["'])?"#));
    static RUBY: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^\s*ruby\s+["']([^"']+)["']"#));
    manifest.ecosystem = "Ruby";
    manifest.build.push(Spot::new("Bundler", 1));
    let mut scope = Scope::Runtime;
    for (number, line) in numbered(text) {
        let bare = line.trim();
        if bare.starts_with("group") && (bare.contains(":test") || bare.contains(":development")) {
            scope = Scope::Development;
        } else if bare == "end" {
            scope = Scope::Runtime;
        } else if let Some(found) = GEM.captures(line) {
            manifest.depend(&found[1], found.get(2).map_or("", |version| version.as_str()), scope, number);
        } else if let Some(found) = RUBY.captures(line) {
            manifest.runtime.push(Spot::new(format!("Ruby {}", &found[1]), number));
        }
    }
}

pub(super) fn gemspec(text: &Text, manifest: &mut Manifest) {
    static FIELD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"\.(name|summary|license|required_ruby_version|add_dependency|add_runtime_dependency|add_development_dependency)\s*(?:=|\(|\s)\s*["']([^"']+)["'](?:\s*,\s*["']([^"']+)["'])?"#,
        )
    });
    manifest.ecosystem = "Ruby";
    for (number, line) in numbered(text) {
        let Some(found) = FIELD.captures(line) else { continue };
        let version = found.get(3).map_or("", |version| version.as_str());
        match &found[1] {
            "name" => manifest.name = Some(Spot::new(&found[2], number)),
            "summary" => manifest.description = Some(Spot::new(&found[2], number)),
            "license" => manifest.license = Some(Spot::new(&found[2], number)),
            "required_ruby_version" => {
                manifest.runtime.push(Spot::new(format!("Ruby {}", &found[2]), number))
            }
            "add_development_dependency" => manifest.depend(&found[2], version, Scope::Development, number),
            _ => manifest.depend(&found[2], version, Scope::Runtime, number),
        }
    }
}

pub(super) fn composer(text: &Text, manifest: &mut Manifest) {
    manifest.ecosystem = "PHP";
    let Some(document) = Document::parse(text) else {
        manifest.broken = true;
        return;
    };
    let spot = |key: &str| Some(Spot::new(document.value.get(key)?.as_str()?, document.line(&[key])));
    manifest.name = spot("name");
    manifest.description = spot("description");
    manifest.license = spot("license");
    manifest.build.push(Spot::new("Composer", 1));
    for (group, scope) in [("require", Scope::Runtime), ("require-dev", Scope::Development)] {
        for (name, value) in object(&document.value, group) {
            let (version, line) = (value.as_str().unwrap_or_default(), document.line(&[group, name]));
            if name == "php" {
                manifest.runtime.push(Spot::new(format!("PHP {version}"), line));
            } else {
                manifest.depend(name, version, scope, line);
            }
        }
    }
}

pub(super) fn csproj(text: &Text, manifest: &mut Manifest) {
    static PACKAGE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"<PackageReference\s+Include="([^"]+)"(?:\s+Version="([^"]+)")?"#));
    static FRAMEWORK: LazyLock<Regex> = LazyLock::new(|| pattern(r"<TargetFrameworks?>([^<]+)<"));
    static SDK: LazyLock<Regex> = LazyLock::new(|| pattern(r#"<Project\s+Sdk="([^"]+)""#));
    manifest.ecosystem = ".NET";
    let file = text.path.rsplit('/').next().unwrap_or_default();
    manifest.name = Some(Spot::new(file.trim_end_matches(".csproj"), 1));
    for (number, line) in numbered(text) {
        if let Some(found) = SDK.captures(line) {
            manifest.build.push(Spot::new(&found[1], number));
        }
        if let Some(found) = FRAMEWORK.captures(line) {
            manifest.runtime.push(Spot::new(format!(".NET {}", &found[1]), number));
        }
        if let Some(found) = PACKAGE.captures(line) {
            manifest.depend(
                &found[1],
                found.get(2).map_or("", |version| version.as_str()),
                Scope::Runtime,
                number,
            );
        }
    }
}

pub(super) fn cmake(text: &Text, manifest: &mut Manifest) {
    static PROJECT: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)^\s*project\s*\(\s*([\w.+-]+)(?:.*\bVERSION\s+([\d.]+))?"));
    static PACKAGE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)^\s*find_package\s*\(\s*([\w.+-]+)(?:\s+([\d.]+))?"));
    static STANDARD: LazyLock<Regex> = LazyLock::new(|| pattern(r"CMAKE_(CXX|C)_STANDARD\s+(\d+)"));
    manifest.ecosystem = "C and C++";
    manifest.build.push(Spot::new("CMake", 1));
    for (number, line) in numbered(text) {
        if let Some(found) = PROJECT.captures(line) {
            manifest.name = manifest.name.take().or_else(|| Some(Spot::new(&found[1], number)));
            manifest.version = found.get(2).map(|version| Spot::new(version.as_str(), number));
        } else if let Some(found) = PACKAGE.captures(line) {
            manifest.depend(
                &found[1],
                found.get(2).map_or("", |version| version.as_str()),
                Scope::Runtime,
                number,
            );
        } else if let Some(found) = STANDARD.captures(line) {
            let language = if &found[1] == "CXX" { "C++" } else { "C" };
            manifest.runtime.push(Spot::new(format!("{language}{}", &found[2]), number));
        }
    }
}

pub(super) fn dockerfile(text: &Text, manifest: &mut Manifest) {
    static FROM: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^\s*FROM\s+(?:--platform=\S+\s+)?(\S+)"));
    manifest.ecosystem = "container";
    for (number, line) in numbered(text) {
        if let Some(found) = FROM.captures(line) {
            manifest.build.push(Spot::new(format!("image `{}`", &found[1]), number));
        }
    }
}

pub(super) fn compose(text: &Text, manifest: &mut Manifest) {
    static IMAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^\s*image:\s*["']?([^"'\s#]+)"#));
    manifest.ecosystem = "container";
    for (number, line) in numbered(text) {
        if let Some(found) = IMAGE.captures(line) {
            manifest.build.push(Spot::new(format!("service image `{}`", &found[1]), number));
        }
    }
}

pub(super) fn makefile(text: &Text, manifest: &mut Manifest) {
    static TARGET: LazyLock<Regex> = LazyLock::new(|| pattern(r"^([A-Za-z0-9][\w-]*)\s*:(?:[^=]|$)"));
    manifest.ecosystem = "build";
    let targets: Vec<(u32, String)> = numbered(text)
        .filter_map(|(number, line)| Some((number, TARGET.captures(line)?.get(1)?.as_str().to_owned())))
        .take(12)
        .collect();
    if let Some((first, _)) = targets.first() {
        let names: Vec<&str> = targets.iter().map(|(_, name)| name.as_str()).collect();
        let last = targets.last().map_or(*first, |(line, _)| *line);
        manifest.build.push(Spot { text: format!("make: {}", names.join(", ")), lines: (*first, last) });
    }
}

pub(super) fn workflow(text: &Text, manifest: &mut Manifest) {
    static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^name:\s*["']?([^"'#]+)"#));
    static USES: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"^\s*-?\s*uses:\s*["']?([\w./-]+)@([\w./-]+)"#));
    manifest.ecosystem = "pipeline";
    for (number, line) in numbered(text) {
        if let Some(found) = NAME.captures(line)
            && manifest.name.is_none()
        {
            manifest.name = Some(Spot::new(found[1].trim(), number));
        } else if let Some(found) = USES.captures(line) {
            manifest.depend(&found[1], &found[2], Scope::Build, number);
        }
    }
    manifest.build.push(Spot::new("pipeline", 1));
}
