//! A value in all the ways that servers write it.
//!
//! Owns: which ways are known, and finding one at a place in a text. No encoder is enumerated: at each
//! place every byte may stand for itself or be escaped. Doesn't own: what is looked for, and what is
//! put in its place (`scrub`).

mod base64;
mod heads;
mod numbers;
mod places;
mod reading;
mod text;

#[cfg(test)]
mod tests;

use base64::Base64;
pub(super) use heads::{ByteSet, HEAD, Head};
use numbers::{Numbers, Radix};
use places::Places;
pub(super) use reading::short_escape;
use reading::{Input, Order, Readings, Width};
use std::borrow::Cow;
use text::Text;

/// Who has seen so many bytes of a value's beginning has seen a part of it; fewer are anybody's.
pub(super) const TELLING: usize = 4;

/// What a place in a text in UTF-8 may stand for.
pub(super) fn readings_at(bytes: &[u8], at: usize) -> Readings {
    Input { bytes, width: Width::One }.readings(at)
}

/// One way in which a value is written.
pub(super) struct Form {
    written: Written,
    /// Units that tell something of it.
    telling: usize,
    /// Bytes that may follow in what is left of it when it is cut.
    rest: ByteSet,
}

enum Written {
    Text(Text),
    Base64(Base64),
    Numbers(Numbers),
}

/// Every form of a value, whose first bytes, so many, are anybody's.
pub(super) fn forms(value: &[u8], public: usize) -> Vec<Form> {
    let telling = public.saturating_add(TELLING).min(value.len());
    let text = match std::str::from_utf8(value) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => value.iter().map(|byte| char::from(*byte)).collect(),
    };
    let mut forms: Vec<Form> =
        Width::ALL.into_iter().map(|width| Form::text(Text::new(&text, width), telling)).collect();
    for radix in [Radix::Hexadecimal, Radix::Decimal] {
        forms.push(Form::numbers(Numbers::new(value, radix), telling));
    }
    let mut coded: Vec<(Vec<u8>, usize)> = vec![(value.to_vec(), telling)];
    for order in [Order::Little, Order::Big] {
        let units = text.encode_utf16().filter_map(|unit| Width::Two(order).written(u32::from(unit)));
        coded.push((units.flatten().collect(), 2 * telling));
    }
    let quoted = serde_json::Value::from(text.as_ref()).to_string();
    let quoted = quoted.get(1..quoted.len() - 1).unwrap_or_default().as_bytes();
    if quoted != value {
        coded.push((quoted.to_vec(), telling));
    }
    for before in 0..3 {
        for last in [*b"+/", *b"-_"] {
            let once = Base64::own_letters(value, before, last);
            if !coded.iter().any(|(known, _)| *known == once) {
                coded.push((once, (telling * 8).div_ceil(6)));
            }
        }
    }
    for (bytes, telling) in coded {
        for before in 0..3 {
            forms.push(Form::base64(Base64::new(&bytes, before), Base64::letters_of(before, telling)));
        }
    }
    forms
}

impl Form {
    fn text(text: Text, bytes: usize) -> Self {
        Self { telling: text.units_of(bytes), rest: text.rest(), written: Written::Text(text) }
    }

    fn base64(coded: Base64, telling: usize) -> Self {
        Self { telling, rest: coded.rest(), written: Written::Base64(coded) }
    }

    fn numbers(numbers: Numbers, bytes: usize) -> Self {
        Self { telling: bytes, rest: numbers.rest(), written: Written::Numbers(numbers) }
    }

    /// No text that is found is longer.
    pub(super) fn longest(&self) -> usize {
        match &self.written {
            Written::Text(text) => text.longest(),
            Written::Base64(coded) => coded.longest(),
            Written::Numbers(numbers) => numbers.longest(),
        }
    }

    /// What it may begin with.
    pub(super) fn heads(&self) -> Vec<Head> {
        match &self.written {
            Written::Text(text) => text.heads(),
            Written::Base64(coded) => coded.heads(),
            Written::Numbers(numbers) => numbers.heads(),
        }
    }

    /// What it may begin with when that is escaped, in UTF-8; none if it is never escaped there alone.
    pub(super) fn escaped_heads(&self) -> Option<ByteSet> {
        match &self.written {
            Written::Text(text) => text.escaped_heads(),
            Written::Base64(coded) => coded.escaped_heads(),
            Written::Numbers(_) => None,
        }
    }

    /// Where the value ends, if it stands here.
    pub(super) fn end_at(&self, bytes: &[u8], at: usize) -> Option<usize> {
        self.walk(bytes, at, self.units(), false)
    }

    /// The same in a text that has lost its capitals.
    pub(super) fn end_in_small_letters_at(&self, bytes: &[u8], at: usize) -> Option<usize> {
        self.walk(bytes, at, self.units(), true)
    }

    /// Whether a text that ends may have been cut within the value here: it begins here, and what
    /// follows could be more of it, whether it is or not. Who guesses how it goes on learns nothing.
    pub(super) fn is_cut_at(&self, bytes: &[u8], at: usize) -> bool {
        if bytes.len().saturating_sub(at) >= self.longest() {
            return false;
        }
        let told = self.walk(bytes, at, self.telling, false);
        let rest = told.and_then(|told| bytes.get(told..));
        rest.is_some_and(|rest| rest.iter().all(|byte| self.rest.has(*byte)))
    }

    fn units(&self) -> usize {
        match &self.written {
            Written::Text(text) => text.units(),
            Written::Base64(coded) => coded.units(),
            Written::Numbers(numbers) => numbers.units(),
        }
    }

    fn walk(&self, bytes: &[u8], at: usize, units: usize, is_folded: bool) -> Option<usize> {
        let mut places = Places::one(at);
        for unit in 0..units {
            let mut next = Places::none();
            for place in places.iter() {
                match &self.written {
                    Written::Text(text) => text.step(bytes, unit, place, &mut next),
                    Written::Base64(coded) => coded.step(bytes, unit, place, is_folded, &mut next),
                    Written::Numbers(numbers) => numbers.step(bytes, unit, place, &mut next),
                }
            }
            next.furthest()?;
            places = next;
        }
        places.furthest()
    }
}
