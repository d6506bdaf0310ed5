//! Where a reply differs from what the original schema asks for.
//!
//! Owns: the notes taken while a schema is translated. Doesn't own: applying them.

use std::collections::BTreeMap;

/// What can stand at one place of a reply, as far as it matters for reading it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) text: Option<Text>,
    pub(super) null: Option<Null>,
    pub(super) fields: Option<BTreeMap<String, Plan>>,
    pub(super) items: Option<Box<Plan>>,
}

/// What a string at this place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// A string.
    Verbatim,
    /// JSON written as text.
    Encoded(Kind),
}

/// What kind of JSON is written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    Any,
}

/// What a null at this place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Null {
    /// A null.
    Real,
    /// "Left out": the original property is optional.
    Absent,
}

/// Two readings of the same text that exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ambiguous;

impl Plan {
    pub(super) fn encoded(kind: Kind) -> Self {
        Self { text: Some(Text::Encoded(kind)), ..Self::default() }
    }

    /// One plan for a value that may follow either.
    pub(super) fn either(self, other: Self) -> Result<Self, Ambiguous> {
        Ok(Self {
            text: one_of(self.text, other.text, |a, b| match (a, b) {
                (Text::Encoded(_), Text::Encoded(_)) => Ok(Text::Encoded(Kind::Any)),
                (Text::Verbatim | Text::Encoded(_), Text::Verbatim | Text::Encoded(_)) => Err(Ambiguous),
            })?,
            null: one_of(self.null, other.null, |_, _| Err(Ambiguous))?,
            fields: match (self.fields, other.fields) {
                (Some(mut fields), Some(more)) => {
                    for (name, plan) in more {
                        let plan = match fields.remove(&name) {
                            Some(there) => there.either(plan)?,
                            None => plan,
                        };
                        fields.insert(name, plan);
                    }
                    Some(fields)
                }
                (fields, more) => fields.or(more),
            },
            items: match (self.items, other.items) {
                (Some(items), Some(more)) => Some(Box::new(items.either(*more)?)),
                (items, more) => items.or(more),
            },
        })
    }

    /// Whether any reply would have to be changed.
    pub(super) fn changes(&self) -> bool {
        matches!(self.text, Some(Text::Encoded(_)))
            || self.null == Some(Null::Absent)
            || self.fields.as_ref().is_some_and(|fields| fields.values().any(Self::changes))
            || self.items.as_ref().is_some_and(|items| items.changes())
    }
}

fn one_of<T: PartialEq>(
    a: Option<T>,
    b: Option<T>,
    differing: impl FnOnce(T, T) -> Result<T, Ambiguous>,
) -> Result<Option<T>, Ambiguous> {
    match (a, b) {
        (Some(a), Some(b)) if a == b => Ok(Some(a)),
        (Some(a), Some(b)) => differing(a, b).map(Some),
        (a, b) => Ok(a.or(b)),
    }
}
