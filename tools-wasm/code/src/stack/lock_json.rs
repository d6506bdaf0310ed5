//! Lock files in JSON, read in passing: of megabytes only names and versions are ever kept.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt::{Formatter, Result as Written};

/// So many packages of a section are kept.
const MOST: usize = 100_000;

/// `packages` by place, as npm has written it since its version 7; before that `dependencies` by name.
pub(super) fn npm(text: &str, mut add: impl FnMut(&str, &str)) {
    let Ok(lock) = serde_json::from_str::<Npm>(text) else { return };
    let mut any = false;
    for (place, version) in lock.packages.0 {
        let name = place.strip_prefix("node_modules/");
        if let Some(name) = name.filter(|name| !name.contains("node_modules/")) {
            any = true;
            add(name, &version);
        }
    }
    for (name, version) in lock.dependencies.0.iter().filter(|_| !any) {
        add(name, version);
    }
}

/// `default` and `develop` by name, versions as `==1.2`.
pub(super) fn pipfile(text: &str, mut add: impl FnMut(&str, &str)) {
    let Ok(lock) = serde_json::from_str::<Pipfile>(text) else { return };
    for (name, version) in lock.default.0.iter().chain(&lock.develop.0) {
        add(name, version.trim_start_matches('='));
    }
}

/// Lists of packages, each with its name.
pub(super) fn composer(text: &str, mut add: impl FnMut(&str, &str)) {
    let Ok(lock) = serde_json::from_str::<Composer>(text) else { return };
    for (name, version) in lock.packages.0.iter().chain(&lock.development.0) {
        add(name, version.trim_start_matches('v'));
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Npm {
    packages: Packages,
    dependencies: Packages,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Pipfile {
    default: Packages,
    develop: Packages,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Composer {
    packages: Packages,
    #[serde(rename = "packages-dev")]
    development: Packages,
}

/// Names with versions, of an object by name or of a list.
#[derive(Default)]
struct Packages(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Packages {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(PackagesVisitor)
    }
}

struct PackagesVisitor;

impl<'de> Visitor<'de> for PackagesVisitor {
    type Value = Packages;

    fn expecting(&self, f: &mut Formatter<'_>) -> Written {
        f.write_str("packages")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Packages, A::Error> {
        let mut all = Vec::new();
        while let Some((name, package)) = map.next_entry::<String, Package>()? {
            if let Some(version) = package.version.filter(|_| all.len() < MOST) {
                all.push((name, version));
            }
        }
        Ok(Packages(all))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Packages, A::Error> {
        let mut all = Vec::new();
        while let Some(Package { name, version }) = list.next_element()? {
            if let (Some(name), Some(version)) = (name, version)
                && all.len() < MOST
            {
                all.push((name, version));
            }
        }
        Ok(Packages(all))
    }

    fn visit_unit<E>(self) -> Result<Packages, E> {
        Ok(Packages::default())
    }
}

#[derive(Deserialize)]
struct Package {
    #[serde(default, deserialize_with = "text")]
    name: Option<String>,
    #[serde(default, deserialize_with = "text")]
    version: Option<String>,
}

/// A text; none where something else stands, which is passed over.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    from.deserialize_any(TextVisitor)
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Option<String>;

    fn expecting(&self, f: &mut Formatter<'_>) -> Written {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}
