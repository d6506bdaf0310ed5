//! From a component's bytes to tool definitions: names, descriptions, JSON schemas, signatures.
//!
//! Owns: which exports are tools and why others aren't, their schemas, their documentation.
//! Compiles nothing and runs nothing; a component is hostile input here, so everything it can
//! make grow is bounded. Doesn't own: converting values (`json`) or calling (`call`).

mod binary;
mod component;
mod convert;
mod docs;
mod error;
mod maker;
mod name;
mod outline;
mod schema;
mod signature;
mod text;
mod tool;

pub(crate) use binary::{Sections, append_section};
pub use binary::{append_custom_section, check_header};
pub use component::reflect;
pub use docs::WIT_SECTION;
pub use error::ReflectError;
pub use name::{MAX_TOOL_NAME, ToolName, WitName};
pub use schema::{error_schema, input_schema, output_schema};
pub use signature::{Case, Field, Named, Names, Param, Record, Signature, Variant, WitType};
pub use text::clean_description;
pub use tool::{
    ComponentTools, ExportPath, Obstacle, Producer, ReflectLimits, ToolDefinition, UnsupportedFunction,
};
