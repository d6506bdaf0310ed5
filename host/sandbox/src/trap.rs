//! What went wrong in a guest, as one readable line.
//!
//! Owns: telling limits from crashes, and bounding and cleaning what a guest put into an error.

use crate::call::{CallRequest, EXCHANGE_BYTES, GUEST_HANDLES, Spent};
use crate::engine::{MAX_CORE_INSTANCES, MAX_MEMORIES, MAX_TABLES, WASM_STACK_BYTES};
use crate::host_state::{field_bytes, table_entries};
use crate::limit::{Exceeded, LimitKind};
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

/// Raised before a turn that the guest has no processor time for.
#[derive(Debug, Error)]
#[error("the processor time is used up")]
pub(crate) struct CpuUsedUp;

/// The limit that raised this error, if one did. Memory and table elements leave no trace in an
/// error: ask the limiter.
pub(crate) fn limit_behind(
    error: &wasmtime::Error,
    request: &CallRequest,
    spent: &Spent,
) -> Option<Exceeded> {
    let limits = &request.limits;
    if error.downcast_ref::<DeadlinePassed>().is_some() {
        let used = millis(spent.wall).max(limits.time_ms);
        return Some(Exceeded { which: LimitKind::Time, limit: limits.time_ms, used });
    }
    if error.downcast_ref::<CpuUsedUp>().is_some() {
        let limit = limits.cpu_ms.unwrap_or(limits.time_ms);
        return Some(Exceeded { which: LimitKind::Cpu, limit, used: millis(spent.cpu).max(limit) });
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => {
            let limit = limits.fuel.unwrap_or(0);
            return Some(Exceeded {
                which: LimitKind::Fuel,
                limit,
                used: spent.fuel.unwrap_or(0).max(limit),
            });
        }
        // The next frame didn't fit, however large it was.
        Some(Trap::StackOverflow) => {
            return Some(Exceeded::by_one_more(LimitKind::Stack, WASM_STACK_BYTES as u64));
        }
        Some(_) | None => {}
    }
    error.chain().find_map(|cause| {
        if let Some(QuotaExceeded(exceeded)) = cause.downcast_ref() {
            return Some(*exceeded);
        }
        if let Some(ResourceTableError::Full) = cause.downcast_ref() {
            return Some(Exceeded::by_one_more(LimitKind::Resources, table_entries(limits) as u64));
        }
        if let Some(FieldMapError::TooManyFields | FieldMapError::TotalSizeTooBig) = cause.downcast_ref() {
            return Some(Exceeded::by_one_more(LimitKind::HeaderBytes, field_bytes(request) as u64));
        }
        limit_in_words(cause)
    })
}

/// wasmtime keeps the types of these errors to itself; tests of each hold it to the words.
fn limit_in_words(cause: &(dyn StdError + 'static)) -> Option<Exceeded> {
    let text = cause.to_string();
    if text.contains("fuel allocated for hostcalls has been exhausted") {
        return Some(Exceeded::by_one_more(LimitKind::Exchange, EXCHANGE_BYTES as u64));
    }
    if text.contains("store handle limit exceeded") {
        return Some(Exceeded::by_one_more(LimitKind::Handles, GUEST_HANDLES as u64));
    }
    let (what, used) = text.strip_prefix("resource limit exceeded: ")?.split_once(" count too high at ")?;
    let (which, limit) = match what {
        "memory" => (LimitKind::Memories, MAX_MEMORIES),
        "table" => (LimitKind::Tables, MAX_TABLES),
        "instance" => (LimitKind::Instances, MAX_CORE_INSTANCES),
        _ => return None,
    };
    Some(Exceeded { which, limit: limit as u64, used: used.parse().ok()? })
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// One line: what happened, and in which functions of the guest.
pub(crate) fn describe(error: &wasmtime::Error) -> String {
    let what = match (error.downcast_ref::<Trap>(), error.downcast_ref::<wasmtime_wasi::I32Exit>()) {
        (Some(trap), _) => trap.to_string().trim_start_matches("wasm trap: ").to_owned(),
        (None, Some(exit)) => format!("the tool exited with code {} before it returned", exit.0),
        // The outermost context is the backtrace, where there is one.
        (None, None) => in_plain_words(&error.root_cause().to_string()),
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

/// What a toolchain's author may know and a tool's author doesn't.
fn in_plain_words(cause: &str) -> String {
    let meaning = if cause.starts_with("invalid utf-8") || cause.starts_with("incomplete utf-8") {
        "a text that it returned isn't UTF-8"
    } else if cause.starts_with("realloc return:") {
        "its allocator (`cabi_realloc`) gave a place that isn't in its memory"
    } else {
        return cause.to_owned();
    };
    format!("{meaning} ({cause})")
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
