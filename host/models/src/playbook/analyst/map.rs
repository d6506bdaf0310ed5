//! What `map_code` showed: files, packages, entry points and the rest, its pages merged.

use super::graph::{Edge, Package};
use super::pages::{Series, broadest};
use super::results::{Observation, list, maybe, number, small, text, tidy};
use super::setting::Setting;
use super::{Evidence, Item};
use serde_json::Value;
use std::collections::BTreeMap;

/// How a project is put together.
#[derive(Debug)]
pub(in crate::playbook) struct Map<'o> {
    /// Its pages.
    pub(in crate::playbook) series: Series<'o>,
    /// Files by path.
    pub(in crate::playbook) modules: BTreeMap<String, Module>,
    /// How many files there are, shown or not.
    pub(in crate::playbook) total: u64,
    /// By size.
    pub(in crate::playbook) packages: Vec<Package>,
    pub(in crate::playbook) edges: Vec<Edge>,
    pub(in crate::playbook) total_packages: u64,
    pub(in crate::playbook) externals: Vec<External>,
    /// The surest first: the file or command, why it is one, and where that is said.
    pub(in crate::playbook) entries: Vec<Item>,
    /// Files that import each other in a circle, the largest first.
    pub(in crate::playbook) cycles: Vec<Vec<String>>,
    /// `path:line: import`
    pub(in crate::playbook) unresolved: Vec<String>,
    pub(in crate::playbook) set_apart: u64,
}

/// A file of code.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Module {
    pub(in crate::playbook) step: u64,
    pub(in crate::playbook) language: String,
    pub(in crate::playbook) package: String,
    pub(in crate::playbook) setting: Setting,
    pub(in crate::playbook) code_lines: u32,
    pub(in crate::playbook) symbols: u32,
    pub(in crate::playbook) hardest: Option<Hardest>,
    pub(in crate::playbook) imported_by: u32,
}

/// The most complex function of a file.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct Hardest {
    pub(in crate::playbook) name: String,
    pub(in crate::playbook) line: u32,
    pub(in crate::playbook) cyclomatic: u32,
}

/// Code of others that is imported.
#[derive(Debug, Clone)]
pub(in crate::playbook) struct External {
    pub(in crate::playbook) name: String,
    pub(in crate::playbook) standard: bool,
    pub(in crate::playbook) files: u32,
    pub(in crate::playbook) evidence: Evidence,
}

impl<'o> Map<'o> {
    /// The map of the most files among the observations.
    pub(in crate::playbook) fn of(observations: &'o [Observation]) -> Option<Self> {
        let series = broadest(observations, "map_code", "total")?;
        let (step, first) = (series.step(), series.first_value());
        let mut modules = BTreeMap::new();
        for (step, page) in series.values() {
            modules.extend(list(page, "modules").filter_map(|told| module(step, told)));
        }
        let packages: Vec<Package> = list(first, "packages").filter_map(package).collect();
        let strings = |value: &Value| value.as_str().map(str::to_owned);
        Some(Self {
            total: number(first, "total").max(modules.len() as u64),
            edges: list(first, "packages").flat_map(|told| edges(step, told)).collect(),
            total_packages: number(first, "total_packages").max(packages.len() as u64),
            externals: list(first, "externals").filter_map(|told| external(step, told)).collect(),
            entries: list(first, "entry_points").filter_map(|told| entry(step, told)).collect(),
            cycles: list(first, "cycles")
                .map(|told| list(told, "members").filter_map(strings).collect())
                .filter(|members: &Vec<String>| !members.is_empty())
                .collect(),
            unresolved: list(first, "unresolved").filter_map(strings).collect(),
            set_apart: number(first, "set_apart"),
            modules,
            packages,
            series,
        })
    }

    /// The files that the project is made for; where there are none, all.
    pub(in crate::playbook) fn core(&self) -> Vec<(&str, &Module)> {
        let of = |wanted: fn(Setting) -> bool| -> Vec<(&str, &Module)> {
            self.modules
                .iter()
                .filter(|(_, module)| wanted(module.setting))
                .map(|(path, module)| (path.as_str(), module))
                .collect()
        };
        let product = of(|setting| setting == Setting::Product);
        if product.is_empty() { of(|_| true) } else { product }
    }

    /// What statements about packages and other things on the first page are limited to.
    pub(in crate::playbook) fn partial(&self) -> Option<String> {
        self.series.partial(None)
    }

    /// What statements about single files are limited to.
    pub(in crate::playbook) fn partial_files(&self) -> Option<String> {
        self.series.partial(Some((self.modules.len() as u64, self.total, "file")))
    }
}

fn module(step: u64, told: &Value) -> Option<(String, Module)> {
    let hardest = told.get("hardest").filter(|hardest| hardest.is_object());
    let module = Module {
        step,
        language: text(told, "language"),
        package: text(told, "package"),
        setting: Setting::named(&text(told, "setting")),
        code_lines: small(told, "code_lines"),
        symbols: small(told, "symbols"),
        hardest: hardest.map(|hardest| Hardest {
            name: text(hardest, "name"),
            line: small(hardest, "line"),
            cyclomatic: small(hardest, "cyclomatic"),
        }),
        imported_by: small(told, "imported_by"),
    };
    Some((tidy(told.get("path")?.as_str()?), module))
}

fn package(told: &Value) -> Option<Package> {
    let path = maybe(told, "path")?;
    Some(Package {
        name: maybe(told, "name").filter(|name| !name.is_empty()).unwrap_or_else(|| path.clone()),
        path,
        files: small(told, "files"),
        code_lines: small(told, "code_lines"),
        setting: text(told, "setting"),
        layer: small(told, "layer"),
    })
}

fn edges(step: u64, package: &Value) -> Vec<Edge> {
    let Some(from) = maybe(package, "path") else { return Vec::new() };
    let edge = |told: &Value| {
        let line = small(told, "line");
        Some(Edge {
            from: from.clone(),
            to: maybe(told, "to")?,
            count: small(told, "count").max(1),
            evidence: Evidence::lines(step, &tidy(told.get("path")?.as_str()?), line, line),
        })
    };
    list(package, "imports").filter_map(edge).collect()
}

fn external(step: u64, told: &Value) -> Option<External> {
    let line = small(told, "line");
    Some(External {
        name: maybe(told, "name")?,
        standard: told.get("standard") == Some(&Value::Bool(true)),
        files: small(told, "files"),
        evidence: Evidence::lines(step, &tidy(told.get("path")?.as_str()?), line, line),
    })
}

fn entry(step: u64, told: &Value) -> Option<Item> {
    let path = tidy(told.get("path")?.as_str()?);
    let evidence = match small(told, "line") {
        0 => Evidence::file(step, &path),
        line => Evidence::lines(step, &path, line, line),
    };
    Some(Item { text: path, detail: text(told, "why"), evidence, finding: None })
}
