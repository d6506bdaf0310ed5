//! A function's types as a tree of our own: all that schemas and JSON conversion need, without
//! the component. Small, owned, serialisable: it can be kept beside the compiled code.

use super::name::WitName;
use serde::{Deserialize, Serialize};

/// What a function takes and gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Signature {
    /// In the order of the declaration.
    pub params: Vec<Param>,
    /// None where the function returns nothing.
    pub result: Option<WitType>,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Param {
    /// Its name.
    pub name: WitName,
    /// Its type.
    pub ty: WitType,
}

/// A type whose values are plain data. Type aliases are resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WitType {
    /// `bool`
    Bool,
    /// `s8`
    S8,
    /// `u8`
    U8,
    /// `s16`
    S16,
    /// `u16`
    U16,
    /// `s32`
    S32,
    /// `u32`
    U32,
    /// `s64`
    S64,
    /// `u64`
    U64,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `char`
    Char,
    /// `string`
    String,
    /// `list<u8>`
    Bytes,
    /// `list<T>`, T not being `u8`
    List(Box<WitType>),
    /// `list<T, N>`
    FixedList {
        /// T
        element: Box<WitType>,
        /// N
        length: u32,
    },
    /// `map<K, V>`
    Map {
        /// K: an integer, `bool`, `char` or `string`
        key: Box<WitType>,
        /// V
        value: Box<WitType>,
    },
    /// `tuple<…>`
    Tuple(Vec<WitType>),
    /// `option<T>`
    Option(Box<WitType>),
    /// `result<T, E>`
    Result {
        /// T
        ok: Option<Box<WitType>>,
        /// E
        err: Option<Box<WitType>>,
    },
    /// `record`
    Record(Record),
    /// `variant`
    Variant(Variant),
    /// `enum`
    Enum(Names),
    /// `flags`
    Flags(Names),
}

/// A record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What its documentation says.
    pub docs: Option<String>,
    /// In the order of the declaration.
    pub fields: Vec<Field>,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: WitName,
    /// What its documentation says.
    pub docs: Option<String>,
    /// Its type.
    pub ty: WitType,
}

/// A variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// What its documentation says.
    pub docs: Option<String>,
    /// In the order of the declaration.
    pub cases: Vec<Case>,
}

/// A case of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Its name.
    pub name: WitName,
    /// What its documentation says.
    pub docs: Option<String>,
    /// The payload's type, if it has one.
    pub ty: Option<WitType>,
}

/// An enum or a set of flags.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Names {
    /// What its documentation says.
    pub docs: Option<String>,
    /// In the order of the declaration.
    pub names: Vec<Named>,
}

/// A case of an enum, or one flag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// Its name.
    pub name: WitName,
    /// What its documentation says.
    pub docs: Option<String>,
}

impl Signature {
    /// How many results the function has for `Func::call`: none or one.
    pub fn result_count(&self) -> usize {
        usize::from(self.result.is_some())
    }

    /// What a call that went well gives: of a `result<T, E>` its T.
    pub fn value_type(&self) -> Option<&WitType> {
        match &self.result {
            Some(WitType::Result { ok, .. }) => ok.as_deref(),
            other => other.as_ref(),
        }
    }

    /// Whether the function says by its type that it can fail, and what it then gives.
    pub fn error_type(&self) -> Option<Option<&WitType>> {
        match &self.result {
            Some(WitType::Result { err, .. }) => Some(err.as_deref()),
            _ => None,
        }
    }
}

impl WitType {
    /// As WIT writes it; records, variants, enums and flags by their kind.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::S8 => "s8",
            Self::U8 => "u8",
            Self::S16 => "s16",
            Self::U16 => "u16",
            Self::S32 => "s32",
            Self::U32 => "u32",
            Self::S64 => "s64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Char => "char",
            Self::String => "string",
            Self::Bytes => "list<u8>",
            Self::List(_) => "list",
            Self::FixedList { .. } => "fixed-length list",
            Self::Map { .. } => "map",
            Self::Tuple(_) => "tuple",
            Self::Option(_) => "option",
            Self::Result { .. } => "result",
            Self::Record(_) => "record",
            Self::Variant(_) => "variant",
            Self::Enum(_) => "enum",
            Self::Flags(_) => "flags",
        }
    }
}
