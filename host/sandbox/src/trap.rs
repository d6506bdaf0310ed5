//! What went wrong in a guest, as one readable line.
//!
//! Owns: telling limits from crashes, and bounding and cleaning what a guest put into an error.

use crate::receipt::Exceeded;
use crate::view::QuotaExceeded;
use std::error::Error as StdError;
use thiserror::Error;
use wasmtime::component::ResourceTableError;
use wasmtime::{Trap, WasmBacktrace};
use wasmtime_wasi_http::FieldMapError;

/// Frames of a guest's stack that are named.
const FRAMES: usize = 8;
const FRAME_BYTES: usize = 80;
const MESSAGE_BYTES: usize = 400;

/// Raised at an epoch when the time is over.
#[derive(Debug, Error)]
#[error("the deadline has passed")]
pub(crate) struct DeadlinePassed;

/// The limit that raised this error, if one did. Memory leaves no trace in an error: ask the
/// limiter.
pub(crate) fn limit_behind(error: &wasmtime::Error) -> Option<Exceeded> {
    if error.downcast_ref::<DeadlinePassed>().is_some() {
        return Some(Exceeded::Time);
    }
    if let Some(Trap::OutOfFuel) = error.downcast_ref::<Trap>() {
        return Some(Exceeded::Fuel);
    }
    if let Some(QuotaExceeded(limit)) = error.chain().find_map(|cause| cause.downcast_ref()) {
        return Some(*limit);
    }
    let is_too_large = |cause: &FieldMapError| {
        matches!(cause, FieldMapError::TooManyFields | FieldMapError::TotalSizeTooBig)
    };
    if error.chain().filter_map(|cause| cause.downcast_ref()).any(is_too_large) {
        return Some(Exceeded::HeaderBytes);
    }
    let exchange = error.chain().any(|cause| {
        matches!(cause.downcast_ref::<ResourceTableError>(), Some(ResourceTableError::Full))
            || is_exchange_limit(cause)
    });
    exchange.then_some(Exceeded::Exchange)
}

/// wasmtime keeps the types of these two errors to itself; `exchange` tests hold it to the words.
fn is_exchange_limit(cause: &(dyn StdError + 'static)) -> bool {
    let text = cause.to_string();
    text.contains("fuel allocated for hostcalls has been exhausted")
        || text.contains("store handle limit exceeded")
}

/// One line: what happened, and in which functions of the guest.
pub(crate) fn describe(error: &wasmtime::Error) -> String {
    let what = match (error.downcast_ref::<Trap>(), error.downcast_ref::<wasmtime_wasi::I32Exit>()) {
        (Some(trap), _) => trap.to_string().trim_start_matches("wasm trap: ").to_owned(),
        (None, Some(exit)) => format!("the tool exited with code {} before it returned", exit.0),
        // The outermost context is the backtrace, where there is one.
        (None, None) => error.root_cause().to_string(),
    };
    let mut line = bounded(&what, MESSAGE_BYTES);
    if let Some(backtrace) = error.downcast_ref::<WasmBacktrace>() {
        let names: Vec<String> = backtrace
            .frames()
            .iter()
            .filter_map(|frame| frame.func_name())
            .take(FRAMES)
            .map(|name| bounded(&rustc_free(name), FRAME_BYTES))
            .collect();
        if !names.is_empty() {
            line.push_str(" in ");
            line.push_str(&names.join(" < "));
        }
    }
    line
}

/// A Rust symbol without its hash; any other name as it is.
fn rustc_free(name: &str) -> String {
    let demangled = match name.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => path,
        _ => name,
    };
    demangled.to_owned()
}

/// At most so many bytes of a guest's text, on one line, without control characters.
pub(crate) fn bounded(text: &str, bytes: usize) -> String {
    let mut clean = String::new();
    for char in text.chars() {
        let char = if char.is_control() || is_bidi_control(char) { ' ' } else { char };
        if clean.len() + char.len_utf8() > bytes {
            clean.push('…');
            break;
        }
        clean.push(char);
    }
    clean
}

/// Characters that reorder what a terminal shows.
fn is_bidi_control(char: char) -> bool {
    matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guest_text_is_bounded_and_harmless() {
        assert_eq!(bounded("a\u{1b}[31m\nb\u{202e}c", 100), "a [31m b c");
        assert_eq!(bounded(&"ä".repeat(100), 5), "ää…");
    }

    #[test]
    fn rust_names_lose_their_hash() {
        assert_eq!(rustc_free("core::panicking::panic::h0123456789abcdef"), "core::panicking::panic");
        assert_eq!(rustc_free("my::hash"), "my::hash");
    }
}
