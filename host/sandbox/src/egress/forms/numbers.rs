//! A value as numbers, one for each byte: hexadecimal, run together or apart, and decimal, apart.

use super::heads::{ByteSet, Head};
use super::places::Places;

/// Bytes between two numbers.
const BETWEEN: usize = 6;
/// Digits of a decimal number.
const DECIMALS: usize = 3;

/// How the numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Radix {
    Hexadecimal,
    Decimal,
}

/// Numbers that are looked for.
pub(super) struct Numbers {
    value: Vec<u8>,
    radix: Radix,
}

impl Numbers {
    pub(super) fn new(value: &[u8], radix: Radix) -> Self {
        Self { value: value.to_vec(), radix }
    }

    pub(super) fn units(&self) -> usize {
        self.value.len()
    }

    pub(super) fn longest(&self) -> usize {
        self.value.len().saturating_mul(DECIMALS + BETWEEN)
    }

    pub(super) fn step(&self, bytes: &[u8], unit: usize, at: usize, next: &mut Places) {
        let Some(&byte) = self.value.get(unit) else { return };
        let least = match self.radix {
            _ if unit == 0 => 0,
            Radix::Hexadecimal => 0,
            Radix::Decimal => 1,
        };
        let most = if unit == 0 { 0 } else { BETWEEN };
        let rest = bytes.get(at..).unwrap_or_default();
        for between in 0..=most {
            if between >= least
                && let Some(end) = self.number(byte, rest.get(between..).unwrap_or_default())
            {
                next.add(at + between + end);
            }
            if !rest.get(between).is_some_and(|byte| self.is_between(*byte)) {
                return;
            }
        }
    }

    /// How many bytes of this text are the number.
    fn number(&self, number: u8, text: &[u8]) -> Option<usize> {
        match self.radix {
            Radix::Hexadecimal => {
                let &[high, low, ..] = text else { return None };
                let digit = |byte: u8| char::from(byte).to_digit(16);
                (digit(high)? * 16 + digit(low)? == u32::from(number)).then_some(2)
            }
            Radix::Decimal => {
                let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let value = text.get(..digits)?.iter().fold(0_u32, |value, digit| {
                    value.saturating_mul(10).saturating_add(u32::from(digit - b'0'))
                });
                ((1..=DECIMALS).contains(&digits) && value == u32::from(number)).then_some(digits)
            }
        }
    }

    fn is_between(&self, byte: u8) -> bool {
        match self.radix {
            Radix::Hexadecimal => b" :,;-|\t\r\n\\xX0\"'".contains(&byte),
            Radix::Decimal => b" :,;-|\t\r\n.\"'".contains(&byte),
        }
    }

    pub(super) fn rest(&self) -> ByteSet {
        ByteSet::of(|byte| self.is_between(byte) || byte.is_ascii_hexdigit())
    }

    pub(super) fn heads(&self) -> Vec<Head> {
        let Some(&first) = self.value.first() else { return Vec::new() };
        let mut head = Head::any();
        match self.radix {
            Radix::Hexadecimal => {
                head.be_one_of(
                    0,
                    &[format!("{first:02x}").into_bytes(), format!("{first:02X}").into_bytes()],
                );
                head.narrow(2, &ByteSet::of(|byte| self.is_between(byte) || byte.is_ascii_hexdigit()));
            }
            Radix::Decimal => {
                // Three digits, or fewer with or without zeros before them.
                let written = [format!("{first}"), format!("{first:02}"), format!("{first:03}")];
                let at = |place: usize, byte: u8| {
                    written.iter().any(|digits| {
                        digits
                            .as_bytes()
                            .get(place)
                            .map_or_else(|| self.is_between(byte), |digit| *digit == byte)
                    })
                };
                for place in 0..DECIMALS {
                    head.narrow(place, &ByteSet::of(|byte| at(place, byte)));
                }
            }
        }
        vec![head]
    }
}
