//! Java: classes by their qualified names, packages by wildcards.

use super::{Resolver, Target};
use crate::language::Language;
use crate::map::part::Import;

impl Resolver<'_> {
    pub(super) fn java(&self, import: &Import) -> Target {
        let name = import.module.trim_start_matches("static ").trim();
        let (name, all) = match name.strip_suffix(".*") {
            Some(package) => (package, true),
            None => (name, import.names.iter().any(|name| name == "*")),
        };
        let package = |name: &str| self.names.packages.get(&(Language::Java, name.to_owned()));
        if all && let Some(files) = package(name) {
            return Target::Inside(files.clone());
        }
        // `a.b.C`, a class in it, or a static member of it.
        let mut class = name;
        loop {
            if let Some(&file) = self.names.classes.get(&(Language::Java, class.to_owned())) {
                return Target::Inside(vec![file]);
            }
            match class.rsplit_once('.') {
                Some((outer, inner)) if inner.starts_with(char::is_uppercase) || class == name => {
                    class = outer
                }
                Some(_) | None => break,
            }
        }
        let parts: Vec<&str> =
            name.split('.').take_while(|part| part.starts_with(char::is_lowercase)).take(3).collect();
        let outer = if parts.is_empty() { name.to_owned() } else { parts.join(".") };
        let standard = ["java", "javax", "jdk", "sun"].contains(&name.split('.').next().unwrap_or_default());
        // A class of a package that this project has, and not this class: generated, or inner.
        let known = name.rsplit_once('.').is_some_and(|(outer, _)| package(outer).is_some());
        if known { Target::Own } else { Target::outside(outer, standard) }
    }
}
