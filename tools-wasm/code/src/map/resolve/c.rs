//! C and C++: included files, beside the including one or by the end of their path.

use super::standard::is_c;
use super::{Resolver, Target};
use crate::map::files::Source;
use crate::map::manifests::joined;
use crate::map::part::Import;

impl Resolver<'_> {
    pub(super) fn c(&self, source: &Source, import: &Import) -> Target {
        let quoted = import.module.starts_with('"');
        let path = import.module.trim_matches(['"', '<', '>']);
        if path.is_empty() {
            return Target::Own;
        }
        if quoted && let Some(file) = self.files.at(&joined(source.folder(), path)) {
            return Target::Inside(vec![file]);
        }
        let standard = is_c(path);
        if standard && !quoted {
            return Target::outside(path, true);
        }
        let last = path.rsplit('/').next().unwrap_or(path);
        let end = path.trim_start_matches("./").trim_start_matches("../");
        let named = self.names.last.get(last).into_iter().flatten().copied();
        let fitting: Vec<usize> = named
            .filter(|&at| {
                let before = self.files.all.get(at).and_then(|file| file.path.strip_suffix(end));
                before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
            })
            .collect();
        match fitting.as_slice() {
            [only] => return Target::Inside(vec![*only]),
            [] => {}
            // Several of that name: the one that shares most of the way.
            several => {
                let shared = |&at: &usize| {
                    let path = self.files.all.get(at).map_or("", |file| file.path.as_str());
                    path.bytes().zip(source.path.bytes()).take_while(|(a, b)| a == b).count()
                };
                if let Some(&nearest) = several.iter().max_by_key(|at| shared(at)) {
                    return Target::Inside(vec![nearest]);
                }
            }
        }
        if quoted && !standard && !path.contains('/') {
            return Target::Nowhere;
        }
        let name = path.split_once('/').map_or(path, |(folder, _)| folder);
        Target::outside(name, standard)
    }
}
