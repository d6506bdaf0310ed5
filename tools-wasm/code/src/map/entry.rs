//! Entry points: what manifests name, then what the code itself says.

use super::files::Files;
use super::manifests::Manifests;
use super::model::EntryPoint;
use crate::setting::Setting;

const MOST: usize = 50;

pub(super) fn entry_points(files: &Files, manifests: &Manifests) -> Vec<EntryPoint> {
    let mut found: Vec<EntryPoint> = Vec::new();
    for named in &manifests.entries {
        let ends = [
            "",
            ".py",
            "/__init__.py",
            "/__main__.py",
            ".js",
            ".ts",
            ".mjs",
            ".cjs",
            "/index.js",
            "/index.ts",
        ];
        let file = ends.iter().find_map(|end| files.at(&format!("{}{end}", named.path)));
        let file = file.or_else(|| {
            let below = format!("src/{}", named.path);
            ends.iter().find_map(|end| files.at(&format!("{below}{end}")))
        });
        let Some(source) = file.and_then(|file| files.all.get(file)) else { continue };
        let is_full = found.len() >= MOST;
        match found.iter_mut().find(|had| had.path == source.path) {
            Some(had) if had.why.len() < 120 && !had.why.contains(&named.why) => {
                had.why = format!("{}; {}", had.why, named.why);
            }
            Some(_) => {}
            None if is_full => {}
            None => found.push(EntryPoint { path: source.path.clone(), line: None, why: named.why.clone() }),
        }
    }
    let hints = |product: bool| {
        files.all.iter().filter(move |source| (source.part.setting == Setting::Product) == product)
    };
    for source in hints(true).chain(hints(false)) {
        let Some((line, why)) = &source.part.entry else { continue };
        let is_full = found.len() >= MOST;
        match found.iter_mut().find(|had| had.path == source.path) {
            Some(had) => had.line = Some(*line),
            None if is_full => {}
            None => {
                found.push(EntryPoint { path: source.path.clone(), line: Some(*line), why: why.clone() });
            }
        }
    }
    found
}
