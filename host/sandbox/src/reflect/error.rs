//! Why a file gave no tools.

use thiserror::Error;

/// Why a file can't be read as a component with tools.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReflectError {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Larger than allowed; nothing of it was read.
    #[error("the component has {size} bytes; at most {limit} are allowed")]
    TooLarge {
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// The first bytes aren't those of WebAssembly.
    #[error("this is no WebAssembly file: it starts with {start}, not with `\\0asm`{hint}")]
    NotWasm {
        /// The first bytes, printable.
        start: String,
        /// What it might be instead, and what to do; may be empty.
        hint: &'static str,
    },
    /// A core module, which has no types to make tools from.
    #[error(
        "this is a core WebAssembly module, not a component: it has no types that tools could be made of; \
         make a component of it with `ringfence tool build --module MODULE.wasm`, or build for a component \
         target such as wasm32-wasip2"
    )]
    CoreModule,
    /// The header has a version that isn't known here.
    #[error(
        "this component has binary format version {version:#x} (layer {layer}); version 0xd of \
         layer 1 is what can be read: build it with other tools, or update ringfence"
    )]
    OtherVersion {
        /// The version in the header.
        version: u16,
        /// The layer in the header: 0 for core modules, 1 for components.
        layer: u16,
    },
    /// The file ends in the middle of something.
    #[error("the component is cut off: it ends after {size} bytes in the middle of a section")]
    Truncated {
        /// In bytes.
        size: u64,
    },
    /// A WIT package in binary form: types alone.
    #[error(
        "this is a WIT package in binary form, not a component: it has types and no code; give the component \
         that was built from it"
    )]
    WitPackage,
    /// What the validator says.
    #[error("the component isn't valid: {reason}")]
    Invalid {
        /// With the place in the file.
        reason: String,
    },
    /// Two functions would be called by one name.
    #[error(
        "two functions have the tool name `{name}`: {first} and {second}; rename one of them, \
         names that differ only by case count as equal"
    )]
    SameName {
        /// The tool name.
        name: String,
        /// The one met first.
        first: String,
        /// The other one.
        second: String,
    },
    /// More functions than allowed.
    #[error("the component exports more than {limit} functions")]
    TooManyFunctions {
        /// How many are allowed.
        limit: usize,
    },
}
