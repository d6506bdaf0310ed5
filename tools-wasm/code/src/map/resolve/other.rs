//! C#, Ruby, PHP and shells.

use super::standard::is_ruby;
use super::{Resolver, Target};
use crate::language::Language;
use crate::map::files::Source;
use crate::map::manifests::joined;
use crate::map::part::{Import, Kind};

impl Resolver<'_> {
    /// A namespace is whatever files say that they belong to it.
    pub(super) fn csharp(&self, source: &Source, import: &Import) -> Target {
        let name = import.module.trim_start_matches("static ").trim();
        if source.part.package.as_deref() == Some(name) {
            return Target::Own;
        }
        if let Some(files) = self.names.packages.get(&(Language::CSharp, name.to_owned())) {
            return Target::Inside(files.clone());
        }
        if let Some(&file) = self.names.classes.get(&(Language::CSharp, name.to_owned())) {
            return Target::Inside(vec![file]);
        }
        let standard = name == "System" || name.starts_with("System.");
        Target::outside(name.split('.').take(2).collect::<Vec<_>>().join("."), standard)
    }

    pub(super) fn ruby(&self, source: &Source, import: &Import) -> Target {
        let path = import.module.as_str();
        let file = |place: String| {
            if place.ends_with(".rb") { self.files.at(&place) } else { self.files.at(&format!("{place}.rb")) }
        };
        if import.kind == Kind::File || path.starts_with('.') {
            let found = file(joined(source.folder(), path));
            return found.map_or(Target::Nowhere, |file| Target::Inside(vec![file]));
        }
        let roots = self.names.ruby_roots.iter();
        let found = roots.map(|root| joined(root, path)).find_map(file);
        let found = found.or_else(|| file(joined(source.folder(), path)));
        match found {
            Some(file) => Target::Inside(vec![file]),
            None => {
                let first = path.split('/').next().unwrap_or(path);
                Target::outside(first, is_ruby(first))
            }
        }
    }

    pub(super) fn php(&self, source: &Source, import: &Import) -> Target {
        if import.kind == Kind::File {
            let path = import.module.trim_matches(['"', '\'', ' ']);
            let place = joined(source.folder(), path.trim_start_matches('/'));
            return self.files.at(&place).map_or(Target::Own, |file| Target::Inside(vec![file]));
        }
        let name = import.module.trim_start_matches('\\');
        let mut files = Vec::new();
        let whole = [name.to_owned()];
        let inner: Vec<String> = import.names.iter().map(|inner| format!("{name}\\{inner}")).collect();
        let classes = if inner.is_empty() { whole.as_slice() } else { inner.as_slice() };
        for class in classes {
            let class = class.split(" as ").next().unwrap_or(class);
            let by_name = self.names.classes.get(&(Language::Php, class.to_owned())).copied();
            files.extend(by_name.or_else(|| self.by_psr4(class)));
        }
        if let Some(inside) = Target::inside(files) {
            return inside;
        }
        match name.split('\\').collect::<Vec<_>>().as_slice() {
            // A class of PHP itself.
            [_] => Target::outside(name, true),
            [first, second, ..] => Target::outside(format!("{first}\\{second}"), false),
            [] => Target::Own,
        }
    }

    fn by_psr4(&self, class: &str) -> Option<usize> {
        self.manifests.psr4.iter().find_map(|(prefix, folder)| {
            let rest = class.strip_prefix(prefix.as_str())?.trim_start_matches('\\');
            self.files.at(&joined(folder, &format!("{}.php", rest.replace('\\', "/"))))
        })
    }

    pub(super) fn bash(&self, source: &Source, import: &Import) -> Target {
        let path = import.module.trim_matches(['"', '\'']);
        // `$(dirname "$0")/x.sh`: what is after the last variable is what can be told.
        let path = path.rsplit_once(['$', '}', ')']).map_or(path, |(_, rest)| rest.trim_start_matches('/'));
        let places = [joined(source.folder(), path), joined("", path)];
        self.first(places).map_or(Target::Own, |file| Target::Inside(vec![file]))
    }
}
