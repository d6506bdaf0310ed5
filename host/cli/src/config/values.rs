//! Single values as a file writes them: durations, sizes, money, folders.

use crate::args::{parse_duration, parse_money, parse_size};
use ringfence_sandbox::{Access, DirGrant, GrantPath, MaskPattern, Masks, Overrides};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A granted folder or file: `"src"`, or `{ path = "src", access = "read", masks = ["*.csv"] }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Dir(pub DirGrant);

/// A component: `"tools/x.wasm"`, or `{ path = "tools/x.wasm", tools = { read = { name = "read_x" } } }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// Where its file is, relative to the configuration's folder.
    pub path: PathBuf,
    /// Other names and descriptions for its tools.
    pub overrides: Overrides,
}

/// A duration with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

/// An amount of US dollars, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dollars(pub u64);

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_duration(&text).map(Self).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Amount;
        impl Visitor<'_> for Amount {
            type Value = Dollars;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an amount of US dollars, such as 2, 0.5 or \"$1.50\"")
            }
            fn visit_i64<E: Error>(self, dollars: i64) -> Result<Dollars, E> {
                self.visit_str(&dollars.to_string())
            }
            fn visit_f64<E: Error>(self, dollars: f64) -> Result<Dollars, E> {
                self.visit_str(&dollars.to_string())
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Dollars, E> {
                parse_money(text).map(Dollars).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Amount)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Size;
        impl Visitor<'_> for Size {
            type Value = Bytes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size: bytes, or a text such as \"64KiB\" or \"256MiB\"")
            }
            fn visit_i64<E: Error>(self, bytes: i64) -> Result<Bytes, E> {
                let bytes =
                    u64::try_from(bytes).map_err(|_| E::invalid_value(Unexpected::Signed(bytes), &self))?;
                Ok(Bytes(bytes))
            }
            fn visit_u64<E: Error>(self, bytes: u64) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Bytes, E> {
                parse_size(text).map(Bytes).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Size)
    }
}

impl<'de> Deserialize<'de> for Component {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            path: PathBuf,
            #[serde(default)]
            tools: Overrides,
        }

        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Component;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a component's file: \"tools/x.wasm\" or { path = \"tools/x.wasm\" }")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Component, E> {
                Ok(Component { path: text.into(), overrides: Overrides::default() })
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Component, A::Error> {
                let Table { path, tools } =
                    Table::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(Component { path, overrides: tools })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for Dir {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            path: Path,
            #[serde(default = "reading")]
            access: Access,
            #[serde(default)]
            masks: Vec<MaskPattern>,
            /// `false`: nothing is hidden but what `masks` says; only in the user's own file.
            default_masks: Option<bool>,
        }

        struct Path(GrantPath);
        impl<'de> Deserialize<'de> for Path {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                GrantPath::parse(&text).map(Self).map_err(D::Error::custom)
            }
        }

        fn reading() -> Access {
            Access::Read
        }

        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = DirGrant;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a folder or file of the project: \"src\" or { path = \"src\", access = \"read\" }",
                )
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<DirGrant, E> {
                GrantPath::parse(text).map(DirGrant::read).map_err(E::custom)
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<DirGrant, A::Error> {
                let table = Table::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                let masks = Masks { defaults: table.default_masks.unwrap_or(true), patterns: table.masks };
                Ok(DirGrant { path: table.path.0, access: table.access, masks })
            }
        }
        deserializer.deserialize_any(Either).map(Self)
    }
}
