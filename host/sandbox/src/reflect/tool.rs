//! What reflection finds: the tools of a component and what it has besides.

use super::name::ToolName;
use super::signature::Signature;
use super::text::DESCRIPTION_BYTES;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// All that reflection says about a component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComponentTools {
    /// In the order of the exports.
    pub tools: Vec<ToolDefinition>,
    /// Exported functions that can't be tools.
    pub unsupported: Vec<UnsupportedFunction>,
    /// What the component imports, as it names it: `wasi:filesystem/types@0.2.6`.
    pub imports: Vec<String>,
    /// Who made it, as it says itself. The adapter that its toolchain put in isn't among them.
    pub producers: Vec<Producer>,
    /// What it was likely made from and with, in one line: `Rust by rustc 1.96.0`.
    pub maker: Option<String>,
    /// Why it can't run here; empty where it can, as far as that shows without compiling it.
    pub obstacles: Vec<Obstacle>,
    /// What was passed over: documentation that couldn't be read.
    pub warnings: Vec<String>,
}

impl ComponentTools {
    /// Whether it imports what requests are made with. Where not all imports are listed, it may.
    pub fn asks_hosts(&self) -> bool {
        self.may_import("wasi:http/")
    }

    /// Whether it imports what files are opened with. Where not all imports are listed, it may.
    pub fn opens_files(&self) -> bool {
        self.may_import("wasi:filesystem/")
    }

    /// Whether it imports what variables of the environment are seen with. Where not all imports are
    /// listed, it may.
    pub fn sees_variables(&self) -> bool {
        self.may_import("wasi:cli/environment")
    }

    fn may_import(&self, package: &str) -> bool {
        self.imports.len() >= MAX_IMPORTS || self.imports.iter().any(|import| import.starts_with(package))
    }
}

/// Imports that are listed; more are passed over.
pub(super) const MAX_IMPORTS: usize = 1_000;

/// One tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// What it is called by.
    pub name: ToolName,
    /// What its documentation says; never empty, bounded, free of control characters. It is the
    /// component's own word and no more to be trusted than the component.
    pub description: String,
    /// Whether anybody wrote a description, here or in the component.
    pub documented: bool,
    /// JSON Schema of the arguments: an object.
    pub input_schema: Value,
    /// JSON Schema of what it returns when it goes well; `{"type": "null"}` for nothing.
    pub output_schema: Value,
    /// JSON Schema of the error; none if the function can't fail by its type.
    pub error_schema: Option<Value>,
    /// Where the function is in the component.
    pub export: ExportPath,
    /// Its types.
    pub signature: Signature,
}

/// Where a function is in a component.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ExportPath {
    /// The exported interface as the component names it, with its version; none for a function
    /// that is exported by the world itself.
    pub interface: Option<String>,
    /// The function in WIT's spelling.
    pub function: String,
}

impl fmt::Display for ExportPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.interface {
            Some(interface) => write!(f, "`{}` of `{interface}`", self.function),
            None => write!(f, "`{}` of the world", self.function),
        }
    }
}

/// Something that this host can't run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    /// The import that isn't offered, where it is one.
    pub import: Option<String>,
    /// What is wrong, and what can be done.
    pub reason: String,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.import {
            Some(import) => write!(f, "it imports `{import}`: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

/// An exported function that can't be a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsupportedFunction {
    /// Where it is.
    pub export: ExportPath,
    /// Why it isn't a tool.
    pub reason: String,
}

/// A line of the component's `producers` section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Producer {
    /// `language`, `processed-by` or `sdk`.
    pub field: String,
    /// Such as `Rust`.
    pub name: String,
    /// Such as `1.96.0`; may be empty.
    pub version: String,
}

/// Bounds of what is read from a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReflectLimits {
    /// The component's size in bytes.
    pub component_bytes: u64,
    /// Exported functions, supported or not.
    pub functions: usize,
    /// Types, fields and cases in one function, each counted wherever it is used.
    pub types_per_function: usize,
    /// The same over all functions.
    pub types_per_component: usize,
    /// How deep the JSON of a value may nest.
    pub json_depth: usize,
    /// A tool's description in bytes.
    pub description_bytes: usize,
    /// The description of a type, field or case in bytes.
    pub item_docs_bytes: usize,
    /// All descriptions together in bytes; what comes after is left out, with a warning.
    pub all_docs_bytes: usize,
}

impl Default for ReflectLimits {
    fn default() -> Self {
        Self {
            component_bytes: 64 << 20,
            functions: 512,
            types_per_function: 5_000,
            types_per_component: 50_000,
            json_depth: 64,
            description_bytes: DESCRIPTION_BYTES,
            item_docs_bytes: 2 << 10,
            all_docs_bytes: 512 << 10,
        }
    }
}
