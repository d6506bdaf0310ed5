//! The validator's types as ours, or the reason why a function can't be a tool.
//!
//! A small component can name types that grow enormous when written out (a record of two records
//! of two records …), so every node is counted against a budget.

use super::docs::{Docs, TypeDocs};
use super::name::WitName;
use super::signature::{Case, Field, Named, Names, Param, Record, Signature, Variant, WitType};
use super::text::clean;
use super::tool::ReflectLimits;
use std::collections::HashMap;
use thiserror::Error;
use wasmparser::PrimitiveValType;
use wasmparser::component_types::{
    ComponentAnyTypeId, ComponentDefinedType, ComponentFuncType, ComponentValType,
};
use wasmparser::types::TypesRef;

/// The longest name of a parameter, field, case or flag.
const MAX_NAME: usize = 128;

/// Why a type can't be JSON.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Unsupported {
    #[error("a resource, which lives only as long as one call")]
    Resource,
    #[error("a stream, which has no end known beforehand")]
    Stream,
    #[error("a future, whose value comes after the call")]
    Future,
    #[error("an error context, which has no meaning outside its component")]
    ErrorContext,
    #[error("types nested deeper than {0} levels of JSON")]
    TooDeep(usize),
    #[error("more than {0} types, fields and cases when written out")]
    TooLarge(usize),
    #[error("a name longer than {MAX_NAME} characters")]
    LongName,
}

/// The interface that types are named in: what a type is called there.
pub(super) struct Scope<'a> {
    pub(super) interface: Option<&'a str>,
    pub(super) names: HashMap<ComponentAnyTypeId, &'a str>,
}

/// Turns types over, keeping count over the whole component.
pub(super) struct Converter<'a> {
    types: TypesRef<'a>,
    docs: &'a Docs,
    limits: &'a ReflectLimits,
    types_left: usize,
    docs_left: usize,
    docs_cut: bool,
}

impl<'a> Converter<'a> {
    pub(super) fn new(types: TypesRef<'a>, docs: &'a Docs, limits: &'a ReflectLimits) -> Self {
        Self {
            types,
            docs,
            limits,
            types_left: limits.types_per_component,
            docs_left: limits.all_docs_bytes,
            docs_cut: false,
        }
    }

    /// Whether documentation was left out because there was too much of it.
    pub(super) fn docs_cut(&self) -> bool {
        self.docs_cut
    }

    /// The types of a function; the error is a whole reason.
    pub(super) fn signature(
        &mut self,
        scope: &Scope<'_>,
        func: &ComponentFuncType,
    ) -> Result<Signature, String> {
        let budget = self.limits.types_per_function.min(self.types_left);
        let mut one = One { all: self, scope, left: budget, budget };
        let converted = one.function(func);
        let used = budget - one.left;
        self.types_left -= used;
        converted
    }

    /// What is said about a function, fit to show.
    pub(super) fn function_docs(&mut self, interface: Option<&str>, function: &str) -> Option<String> {
        let docs: &'a Docs = self.docs;
        self.text(docs.function(interface, function), self.limits.description_bytes)
    }

    fn text(&mut self, text: Option<&str>, max: usize) -> Option<String> {
        let text = clean(text?, max);
        match self.docs_left.checked_sub(text.len()) {
            Some(left) => self.docs_left = left,
            None => {
                self.docs_cut = true;
                return None;
            }
        }
        (!text.is_empty()).then_some(text)
    }
}

/// The conversion of one function.
struct One<'c, 'a> {
    all: &'c mut Converter<'a>,
    scope: &'c Scope<'c>,
    left: usize,
    budget: usize,
}

impl One<'_, '_> {
    fn function(&mut self, func: &ComponentFuncType) -> Result<Signature, String> {
        let mut params = Vec::with_capacity(func.params.len());
        for (name, ty) in &func.params {
            let name = self.name(name.as_str()).map_err(|why| format!("a parameter has {why}"))?;
            let ty = self.val(*ty, 1).map_err(|why| format!("its parameter `{name}` has {why}"))?;
            params.push(Param { name, ty });
        }
        let result = match func.result {
            Some(ty) => Some(self.val(ty, 0).map_err(|why| format!("its result has {why}"))?),
            None => None,
        };
        Ok(Signature { params, result })
    }

    /// `depth`: the levels of JSON around this value.
    fn val(&mut self, ty: ComponentValType, depth: usize) -> Result<WitType, Unsupported> {
        match ty {
            ComponentValType::Primitive(primitive) => {
                self.count(1)?;
                primitive_type(primitive)
            }
            ComponentValType::Type(id) => {
                let types = self.all.types;
                let any = ComponentAnyTypeId::Defined(id);
                self.defined(&types[id], self.scope.names.get(&any).copied(), depth)
            }
        }
    }

    fn boxed(&mut self, ty: ComponentValType, depth: usize) -> Result<Box<WitType>, Unsupported> {
        self.val(ty, depth).map(Box::new)
    }

    fn defined(
        &mut self,
        ty: &ComponentDefinedType,
        name: Option<&str>,
        depth: usize,
    ) -> Result<WitType, Unsupported> {
        self.count(1)?;
        if depth > self.all.limits.json_depth {
            return Err(Unsupported::TooDeep(self.all.limits.json_depth));
        }
        let docs: Option<&TypeDocs> = name.and_then(|name| self.all.docs.type_(self.scope.interface, name));
        Ok(match ty {
            ComponentDefinedType::Primitive(primitive) => primitive_type(*primitive)?,
            ComponentDefinedType::Record(record) => {
                let mut fields = Vec::with_capacity(record.fields.len());
                for (name, ty) in &record.fields {
                    let Named { name, docs } = self.named(name.as_str(), docs)?;
                    fields.push(Field { name, docs, ty: self.val(*ty, depth + 1)? });
                }
                WitType::Record(Record { docs: self.item(docs), fields })
            }
            ComponentDefinedType::Variant(variant) => {
                let mut cases = Vec::with_capacity(variant.cases.len());
                for (name, case) in &variant.cases {
                    let Named { name, docs } = self.named(name.as_str(), docs)?;
                    let ty = case.ty.map(|ty| self.val(ty, depth + 2)).transpose()?;
                    cases.push(Case { name, docs, ty });
                }
                WitType::Variant(Variant { docs: self.item(docs), cases })
            }
            ComponentDefinedType::Flags(names) => WitType::Flags(self.names(names.iter(), docs)?),
            ComponentDefinedType::Enum(names) => WitType::Enum(self.names(names.iter(), docs)?),
            ComponentDefinedType::List { element, .. } => match self.boxed(*element, depth + 1)? {
                element if *element == WitType::U8 => WitType::Bytes,
                element => WitType::List(element),
            },
            ComponentDefinedType::FixedLengthList { element, length, .. } => {
                WitType::FixedList { element: self.boxed(*element, depth + 1)?, length: *length }
            }
            ComponentDefinedType::Map { key, value, .. } => {
                WitType::Map { key: self.boxed(*key, depth + 2)?, value: self.boxed(*value, depth + 2)? }
            }
            ComponentDefinedType::Tuple(tuple) => {
                let types = tuple.types.iter().map(|ty| self.val(*ty, depth + 1));
                WitType::Tuple(types.collect::<Result<_, _>>()?)
            }
            ComponentDefinedType::Option { ty, .. } => WitType::Option(self.boxed(*ty, depth + 1)?),
            ComponentDefinedType::Result { ok, err, .. } => WitType::Result {
                ok: ok.map(|ty| self.boxed(ty, depth + 1)).transpose()?,
                err: err.map(|ty| self.boxed(ty, depth + 1)).transpose()?,
            },
            ComponentDefinedType::Own(_) | ComponentDefinedType::Borrow(_) => {
                return Err(Unsupported::Resource);
            }
            ComponentDefinedType::Stream { .. } => return Err(Unsupported::Stream),
            ComponentDefinedType::Future { .. } => return Err(Unsupported::Future),
        })
    }

    fn names<'n>(
        &mut self,
        names: impl Iterator<Item = &'n wasmparser::names::KebabString>,
        docs: Option<&TypeDocs>,
    ) -> Result<Names, Unsupported> {
        let names = names.map(|name| self.named(name.as_str(), docs)).collect::<Result<_, _>>()?;
        Ok(Names { docs: self.item(docs), names })
    }

    fn named(&mut self, name: &str, docs: Option<&TypeDocs>) -> Result<Named, Unsupported> {
        self.count(1)?;
        let text = docs.and_then(|docs| docs.members.get(name)).map(String::as_str);
        let max = self.all.limits.item_docs_bytes;
        Ok(Named { name: self.name(name)?, docs: self.all.text(text, max) })
    }

    fn item(&mut self, docs: Option<&TypeDocs>) -> Option<String> {
        let max = self.all.limits.item_docs_bytes;
        self.all.text(docs.and_then(|docs| docs.docs.as_deref()), max)
    }

    fn name(&self, name: &str) -> Result<WitName, Unsupported> {
        if name.len() > MAX_NAME { Err(Unsupported::LongName) } else { Ok(WitName::from(name)) }
    }

    fn count(&mut self, nodes: usize) -> Result<(), Unsupported> {
        self.left = self.left.checked_sub(nodes).ok_or(Unsupported::TooLarge(self.budget))?;
        Ok(())
    }
}

fn primitive_type(primitive: PrimitiveValType) -> Result<WitType, Unsupported> {
    Ok(match primitive {
        PrimitiveValType::Bool => WitType::Bool,
        PrimitiveValType::S8 => WitType::S8,
        PrimitiveValType::U8 => WitType::U8,
        PrimitiveValType::S16 => WitType::S16,
        PrimitiveValType::U16 => WitType::U16,
        PrimitiveValType::S32 => WitType::S32,
        PrimitiveValType::U32 => WitType::U32,
        PrimitiveValType::S64 => WitType::S64,
        PrimitiveValType::U64 => WitType::U64,
        PrimitiveValType::F32 => WitType::F32,
        PrimitiveValType::F64 => WitType::F64,
        PrimitiveValType::Char => WitType::Char,
        PrimitiveValType::String => WitType::String,
        PrimitiveValType::ErrorContext => return Err(Unsupported::ErrorContext),
    })
}
