//! Documentation: no toolchain keeps it in the component's types, so it travels in custom
//! sections. `ringfence:wit` holds a whole WIT package in binary form, `package-docs` is the
//! format of the WIT tools. Both are read for their words alone: a docs section that disagrees
//! with the component's types changes nothing but descriptions, and a broken one is a warning.

use super::binary::custom_sections;
use serde::Deserialize;
use std::collections::HashMap;
use wit_parser::decoding::{DecodedWasm, decode};
use wit_parser::{Docs as WitDocs, Function, Resolve, Type, TypeDefKind, TypeId, WorldItem};

/// The custom section that holds an encoded WIT package with its documentation.
pub const WIT_SECTION: &str = "ringfence:wit";
const PACKAGE_DOCS: &str = "package-docs";
/// The sections read of each kind; one a package is plenty.
const MAX_SECTIONS: usize = 16;
/// A docs section over this size is left out, with a warning.
const MAX_SECTION_BYTES: usize = 4 << 20;

/// What is said about the parts of a component, by the interface that they are in.
#[derive(Debug, Default)]
pub(super) struct Docs {
    /// Keyed by the interface: with package and version, with package, and bare. The world
    /// itself is the empty key.
    scopes: HashMap<String, Scope>,
    /// What couldn't be read.
    pub(super) warnings: Vec<String>,
}

#[derive(Debug, Default)]
struct Scope {
    functions: HashMap<String, String>,
    types: HashMap<String, TypeDocs>,
}

/// What is said about one type.
#[derive(Debug, Default, Clone)]
pub(super) struct TypeDocs {
    pub(super) docs: Option<String>,
    /// Of fields, cases and flags, by their names in WIT.
    pub(super) members: HashMap<String, String>,
}

impl Docs {
    /// Reads every docs section of a component.
    pub(super) fn of_component(bytes: &[u8]) -> Self {
        let mut docs = Self::default();
        let (mut wit, mut package) = (Vec::new(), Vec::new());
        for (name, content) in custom_sections(bytes) {
            let list = match name {
                WIT_SECTION => &mut wit,
                PACKAGE_DOCS => &mut package,
                _ => continue,
            };
            if list.len() == MAX_SECTIONS || content.len() > MAX_SECTION_BYTES {
                docs.warnings.push(format!("a `{name}` section was left out: too many or too large"));
            } else {
                list.push(content);
            }
        }
        // Ours first: what is said first stays.
        wit.iter().for_each(|content| docs.read_wit(content));
        package.iter().for_each(|content| docs.read_package_docs(content));
        docs
    }

    /// What is said about a function; `interface` as exported, none for the world itself.
    pub(super) fn function(&self, interface: Option<&str>, name: &str) -> Option<&str> {
        self.scopes(interface).find_map(|scope| scope.functions.get(name)).map(String::as_str)
    }

    /// What is said about a type.
    pub(super) fn type_(&self, interface: Option<&str>, name: &str) -> Option<&TypeDocs> {
        self.scopes(interface).find_map(|scope| scope.types.get(name))
    }

    fn scopes(&self, interface: Option<&str>) -> impl Iterator<Item = &Scope> {
        let names = match interface {
            Some(name) => spellings(name),
            None => vec![String::new()],
        };
        names.into_iter().filter_map(|name| self.scopes.get(&name))
    }

    fn read_wit(&mut self, content: &[u8]) {
        // The decoder asserts here and there, and the section is anyone's: a panic in it must not
        // become ours.
        let decoded = std::panic::catch_unwind(|| decode(content));
        let (resolve, package) = match decoded {
            Ok(Ok(DecodedWasm::WitPackage(resolve, package))) => (resolve, package),
            Ok(Ok(DecodedWasm::Component(..))) | Ok(Err(_)) | Err(_) => {
                self.warnings
                    .push(format!("the `{WIT_SECTION}` section is no WIT package: documentation left out"));
                return;
            }
        };
        let Some(package) = resolve.packages.get(package) else { return };
        for (name, &id) in &package.interfaces {
            let full = resolve.id_of(id).unwrap_or_else(|| name.clone());
            let interface = &resolve.interfaces[id];
            let functions = interface.functions.values();
            self.add_items(&full, &resolve, functions, interface.types.iter().map(|(name, &id)| (name, id)));
        }
        for &id in package.worlds.values() {
            let world = &resolve.worlds[id];
            for (key, item) in world.imports.iter().chain(&world.exports) {
                let name = match key {
                    wit_parser::WorldKey::Name(name) => name,
                    wit_parser::WorldKey::Interface(_) => continue,
                };
                match item {
                    WorldItem::Function(function) => {
                        self.add_items("", &resolve, std::iter::once(function), std::iter::empty());
                    }
                    WorldItem::Type { id, .. } => {
                        self.add_items("", &resolve, std::iter::empty(), std::iter::once((name, *id)));
                    }
                    WorldItem::Interface { id, .. } => {
                        let interface = &resolve.interfaces[*id];
                        let types = interface.types.iter().map(|(name, &id)| (name, id));
                        self.add_items(name, &resolve, interface.functions.values(), types);
                    }
                }
            }
        }
    }

    fn add_items<'a>(
        &mut self,
        interface: &str,
        resolve: &Resolve,
        functions: impl Iterator<Item = &'a Function>,
        types: impl Iterator<Item = (&'a String, TypeId)>,
    ) {
        let functions: Vec<_> =
            functions.filter_map(|f| Some((f.name.clone(), f.docs.contents.clone()?))).collect();
        let types: Vec<_> = types.map(|(name, id)| (name.clone(), type_docs(resolve, id))).collect();
        self.add(interface, functions, types);
    }

    fn add(&mut self, interface: &str, functions: Vec<(String, String)>, types: Vec<(String, TypeDocs)>) {
        for spelling in spellings(interface) {
            let scope = self.scopes.entry(spelling).or_default();
            for (name, text) in &functions {
                scope.functions.entry(name.clone()).or_insert_with(|| text.clone());
            }
            for (name, docs) in &types {
                scope.types.entry(name.clone()).or_insert_with(|| docs.clone());
            }
        }
    }

    fn read_package_docs(&mut self, content: &[u8]) {
        let parsed = match content.split_first() {
            Some((0 | 1, json)) => serde_json::from_slice::<PackageDocs>(json).ok(),
            _ => None,
        };
        let Some(package) = parsed else {
            self.warnings.push(format!("the `{PACKAGE_DOCS}` section can't be read: documentation left out"));
            return;
        };
        for (name, interface) in package.interfaces {
            self.add_section(&name, interface);
        }
        for world in package.worlds.into_values() {
            for (name, interface) in world.interface_exports.into_iter().chain(world.interfaces) {
                self.add_section(&name, interface);
            }
            let funcs = world.func_exports.into_iter().chain(world.funcs).collect();
            self.add_section("", InterfaceSection { funcs, types: world.types });
        }
    }

    fn add_section(&mut self, interface: &str, section: InterfaceSection) {
        let functions = section.funcs.into_iter().filter_map(|(name, f)| Some((name, f.docs()?))).collect();
        let types = section
            .types
            .into_iter()
            .map(|(name, ty)| (name, TypeDocs { docs: ty.docs, members: ty.items }))
            .collect();
        self.add(interface, functions, types);
    }
}

/// An interface name from exact to bare: `a:b/c@1.0.0`, `a:b/c`, `c`.
fn spellings(interface: &str) -> Vec<String> {
    let mut names = vec![interface.to_owned()];
    let unversioned = interface.split('@').next().unwrap_or(interface);
    let bare = unversioned.rsplit('/').next().unwrap_or(unversioned);
    for name in [unversioned, bare] {
        if names.last().is_some_and(|last| last != name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn type_docs(resolve: &Resolve, mut id: TypeId) -> TypeDocs {
    let mut found = TypeDocs::default();
    // An alias without words of its own has those of what it stands for.
    loop {
        let def = &resolve.types[id];
        found.docs = found.docs.or_else(|| def.docs.contents.clone());
        let members: Vec<(&String, &WitDocs)> = match &def.kind {
            TypeDefKind::Type(Type::Id(target)) => {
                id = *target;
                continue;
            }
            TypeDefKind::Record(record) => record.fields.iter().map(|f| (&f.name, &f.docs)).collect(),
            TypeDefKind::Variant(variant) => variant.cases.iter().map(|c| (&c.name, &c.docs)).collect(),
            TypeDefKind::Enum(names) => names.cases.iter().map(|c| (&c.name, &c.docs)).collect(),
            TypeDefKind::Flags(flags) => flags.flags.iter().map(|f| (&f.name, &f.docs)).collect(),
            _ => Vec::new(),
        };
        found.members = members
            .into_iter()
            .filter_map(|(name, docs)| Some((name.clone(), docs.contents.clone()?)))
            .collect();
        return found;
    }
}

/// The JSON of `package-docs`; what isn't documentation in it is passed over.
#[derive(Deserialize)]
struct PackageDocs {
    #[serde(default)]
    worlds: HashMap<String, WorldSection>,
    #[serde(default)]
    interfaces: HashMap<String, InterfaceSection>,
}

#[derive(Deserialize)]
struct WorldSection {
    #[serde(default)]
    interfaces: HashMap<String, InterfaceSection>,
    #[serde(default)]
    interface_exports: HashMap<String, InterfaceSection>,
    #[serde(default)]
    funcs: HashMap<String, FunctionSection>,
    #[serde(default)]
    func_exports: HashMap<String, FunctionSection>,
    #[serde(default)]
    types: HashMap<String, TypeSection>,
}

#[derive(Deserialize)]
struct InterfaceSection {
    #[serde(default)]
    funcs: HashMap<String, FunctionSection>,
    #[serde(default)]
    types: HashMap<String, TypeSection>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FunctionSection {
    Text(String),
    Object { docs: Option<String> },
}

impl FunctionSection {
    fn docs(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Object { docs } => docs,
        }
    }
}

#[derive(Deserialize)]
struct TypeSection {
    docs: Option<String>,
    #[serde(default)]
    items: HashMap<String, String>,
}
