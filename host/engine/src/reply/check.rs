//! Validation against a schema, with errors that name the JSON path and what was expected.

use super::coerce::is_of;
use super::extract::kind;
use super::path;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// The first thing in `value` that doesn't fit `schema`, as a line; `root` names the value itself.
/// A schema that isn't one is said as such: nothing passes it.
pub(crate) fn mismatch(value: &Value, schema: &Value, root: &str) -> Option<String> {
    let validator = match jsonschema::validator_for(schema) {
        Ok(validator) => validator,
        Err(error) => return Some(format!("{root}: the schema can't be used: {error}")),
    };
    validator.iter_errors(value).next().map(|error| describe(&error, schema, root))
}

fn describe(error: &ValidationError<'_>, schema: &Value, root: &str) -> String {
    let mut at = path::from_pointer(root, error.instance_path().as_str());
    let what = match error.kind() {
        ValidationErrorKind::Type { kind: wanted } => {
            format!("expected {}, found {}", types(wanted), kind(error.instance()))
        }
        ValidationErrorKind::Required { property } => {
            path::push_key(&mut at, property.as_str().unwrap_or_default());
            "is missing".to_owned()
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            path::push_key(&mut at, unexpected.first().map_or("", String::as_str));
            "isn't a key that is known here".to_owned()
        }
        ValidationErrorKind::Enum { options } => format!("expected one of {options}"),
        ValidationErrorKind::Constant { expected_value } => format!("expected {expected_value}"),
        ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
            match types_of_branches(schema, error.schema_path().as_str(), error.instance()) {
                Some(types) => format!("expected {types}, found {}", kind(error.instance())),
                None => "fits none of the allowed shapes".to_owned(),
            }
        }
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}"),
        ValidationErrorKind::MaxLength { limit } => format!("has more than {limit} characters"),
        ValidationErrorKind::MinLength { limit } => format!("has fewer than {limit} characters"),
        ValidationErrorKind::Pattern { pattern } => format!("must match `{pattern}`"),
        // The rest is rare in schemas of tools; its words leave the value out.
        _ => error.masked_with("the value").to_string(),
    };
    format!("{at}: {what}")
}

/// The types that the branches at this place of a schema ask for, where the value is of none of them.
fn types_of_branches(schema: &Value, place: &str, value: &Value) -> Option<String> {
    let branches = schema.pointer(place)?.as_array()?;
    let names: Option<Vec<&str>> = branches.iter().map(|branch| branch.get("type")?.as_str()).collect();
    names.filter(|names| !names.iter().any(|name| is_of(value, name))).map(|names| names.join(" or "))
}

fn types(wanted: &TypeKind) -> String {
    match wanted {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(several) => {
            let names: Vec<String> = several.iter().map(|one| one.to_string()).collect();
            names.join(" or ")
        }
    }
}
