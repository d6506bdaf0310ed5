//! Who made a component: what it says itself, and what gives toolchains away that don't say it.
//!
//! All of it is the component's own word, good for telling a person what it likely is and for
//! nothing else.

use super::outline::MAX_TEXT;
use super::text::clean;
use super::tool::Producer;
use wasmparser::{KnownCustom, Name, Payload};

const MAX_PRODUCERS: usize = 64;
/// What only the module exports that turns WASI 0.1 into 0.2. It is Rust in every component.
const OF_ADAPTER: &str = "cabi_import_realloc";

/// What gives a toolchain away.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Told {
    /// The version of CPython, where its library is inside.
    python: Option<String>,
    quickjs: bool,
}

/// What was seen so far of a component and the modules in it.
#[derive(Debug, Default)]
pub(super) struct Origins {
    producers: Vec<Producer>,
    told: Told,
    /// Of the module or component that is being read.
    part: Vec<Producer>,
    is_adapter: bool,
}

impl Origins {
    /// Takes in a piece of the part that is being read.
    pub(super) fn look_at(&mut self, payload: &Payload<'_>) {
        match payload {
            Payload::ExportSection(section) => {
                for export in section.clone().into_iter().map_while(Result::ok) {
                    self.is_adapter |= export.name == OF_ADAPTER;
                    self.told.quickjs |= export.name.starts_with("componentize_qjs_runtime");
                }
            }
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Producers(section) => self.read_producers(section),
                KnownCustom::Name(names) => {
                    for name in names.into_iter().map_while(Result::ok) {
                        if let Name::Module { name, .. } = name {
                            self.named(name);
                        }
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Ends a module or component; what follows belongs to the one around it.
    pub(super) fn end_of_part(&mut self) {
        let part = std::mem::take(&mut self.part);
        if !std::mem::take(&mut self.is_adapter) {
            for producer in part {
                if self.producers.len() < MAX_PRODUCERS && !self.producers.contains(&producer) {
                    self.producers.push(producer);
                }
            }
        }
    }

    pub(super) fn finish(self) -> (Vec<Producer>, Told) {
        (self.producers, self.told)
    }

    fn named(&mut self, module: &str) {
        let version = module.strip_prefix("libpython").map(|rest| rest.trim_end_matches(".so"));
        let is_version = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if let Some(version) = version.filter(is_version) {
            self.told.python = Some(clean(version, MAX_TEXT));
        }
    }

    fn read_producers(&mut self, section: wasmparser::ProducersSectionReader<'_>) {
        for field in section.into_iter().map_while(Result::ok) {
            for value in field.values.into_iter().map_while(Result::ok) {
                let producer = Producer {
                    field: clean(field.name, MAX_TEXT),
                    name: clean(value.name, MAX_TEXT),
                    version: clean(value.version, MAX_TEXT),
                };
                if self.part.len() < MAX_PRODUCERS && !self.part.contains(&producer) {
                    self.part.push(producer);
                }
            }
        }
    }
}

/// In one line: `Rust by rustc 1.96.0`, `Python 3.14 by componentize-py`; none where nothing tells.
pub(super) fn maker(producers: &[Producer], told: &Told) -> Option<String> {
    let version_of = |name: &str| {
        let is_it = |producer: &&Producer| producer.field != "language" && producer.name.ends_with(name);
        let found = producers.iter().find(is_it)?;
        Some(found.version.split(' ').next().unwrap_or_default().trim_start_matches("go").to_owned())
    };
    let by = |language: &str, tool: &str, version: &str| {
        format!("{language} by {tool} {version}").trim_end().to_owned()
    };
    let speaks = |start: &str| {
        producers.iter().any(|producer| producer.field == "language" && producer.name.starts_with(start))
    };
    if let Some(version) = &told.python {
        let tool = version_of("componentize-py").unwrap_or_default();
        return Some(by(&format!("Python {version}"), "componentize-py", &tool));
    }
    if told.quickjs {
        return Some("JavaScript by jco (QuickJS)".to_owned());
    }
    if let Some(version) = version_of("ComponentizeJS") {
        return Some(by("JavaScript", "ComponentizeJS", &version));
    }
    if let Some(version) = version_of("TinyGo") {
        return Some(by("Go", "TinyGo", &version));
    }
    let known = [
        (speaks("Go"), "Go", "compile", "go"),
        (speaks("Rust"), "Rust", "rustc", "rustc"),
        (version_of("wit-bindgen-rust").is_some(), "Rust", "wit-bindgen-rust", "wit-bindgen"),
        (speaks("C_plus_plus") || speaks("C++"), "C++", "clang", "clang"),
        (speaks("C"), "C", "clang", "clang"),
        (speaks("Zig"), "Zig", "zig", "zig"),
    ];
    if let Some((_, language, tool, called)) = known.into_iter().find(|(is_it, ..)| *is_it) {
        return Some(match version_of(tool) {
            Some(version) => by(language, called, &version),
            None => language.to_owned(),
        });
    }
    let bindings =
        version_of("wit-bindgen-c").map(|version| format!("unknown, with wit-bindgen-c {version}"));
    bindings.or_else(|| {
        let language = producers.iter().find(|producer| producer.field == "language")?;
        Some(format!("{} {}", language.name, language.version).trim_end().to_owned())
    })
}
