//! The limits that can end a call: what each counts, what raises it, which values can be kept.
//!
//! Owns the words and the ranges. Doesn't own: keeping a limit (`limiter`, `view`, `call`), or
//! judging that one ended a call (`trap`).

use crate::grant::Limits;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// The limits that can end a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// The deadline: guest code and host waits together, in milliseconds.
    Time,
    /// Time on the processor, in milliseconds.
    Cpu,
    /// The instruction budget.
    Fuel,
    /// All linear memories together, in bytes.
    Memory,
    /// Linear memories.
    Memories,
    /// Tables.
    Tables,
    /// Elements of all tables together.
    TableElements,
    /// Core instances.
    Instances,
    /// Stack of the guest's own frames, in bytes.
    Stack,
    /// What one crossing of the boundary carries from the guest to the host, in bytes.
    Exchange,
    /// Handles in the guest's tables.
    Handles,
    /// Entries in the host's table: files, streams, things to wait for.
    Resources,
    /// Files, folders and listings open at once.
    OpenFiles,
    /// Entries of folders.
    DirEntries,
    /// Bytes from files.
    ReadBytes,
    /// Bytes to the stage.
    WriteBytes,
    /// Files and folders that are staged.
    WriteEntries,
    /// The contents that a run's stage holds, in bytes.
    StageBytes,
    /// The files and folders that a run's stage holds.
    StageEntries,
    /// The names and notes that a run's stage holds, in bytes.
    StageRecord,
    /// Requests to the network.
    Requests,
    /// The headers of a request or of a reply, in bytes.
    HeaderBytes,
    /// The bodies of requests, in bytes.
    SentBytes,
    /// The bodies of replies, in bytes.
    ReceivedBytes,
    /// One request, from its beginning to the end of its reply, in milliseconds.
    RequestTime,
}

/// The limit that ended a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exceeded {
    /// Which.
    pub which: LimitKind,
    /// Its value, in the limit's own unit.
    pub limit: u64,
    /// What was used in the end, or would have been used had it been allowed; where only that it
    /// was more is known, the least that it can have been.
    pub used: u64,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy)]
enum Unit {
    Milliseconds,
    Bytes,
    Things,
}

impl LimitKind {
    /// What it bounds, as words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Cpu => "processor time",
            Self::Fuel => "instructions",
            Self::Memory => "memory",
            Self::Memories => "linear memories",
            Self::Tables => "tables",
            Self::TableElements => "table elements",
            Self::Instances => "core instances",
            Self::Stack => "stack",
            Self::Exchange => "data handed over at once",
            Self::Handles => "handles",
            Self::Resources => "things held by the host",
            Self::OpenFiles => "open files and folders",
            Self::DirEntries => "folder entries",
            Self::ReadBytes => "bytes read from files",
            Self::WriteBytes => "bytes written to files",
            Self::WriteEntries => "files and folders changed",
            Self::StageBytes => "what the run's changes take",
            Self::StageEntries => "files and folders that the run has changed",
            Self::StageRecord => "names and notes of the run's changes",
            Self::Requests => "requests to the network",
            Self::HeaderBytes => "headers of a request or reply",
            Self::SentBytes => "data sent to the network",
            Self::ReceivedBytes => "data received from the network",
            Self::RequestTime => "time for one request",
        }
    }

    /// The key of `[limits]` that can raise it; none for what is the same for every call.
    pub fn key(self) -> Option<&'static str> {
        match self {
            Self::Time => Some("tool_timeout"),
            Self::Cpu => Some("cpu"),
            Self::Fuel => Some("fuel"),
            Self::Memory => Some("memory"),
            Self::OpenFiles => Some("open_files"),
            Self::DirEntries => Some("dir_entries"),
            Self::ReadBytes => Some("read_bytes"),
            Self::WriteBytes => Some("write_bytes"),
            Self::WriteEntries => Some("write_entries"),
            Self::Requests => Some("requests"),
            Self::HeaderBytes => Some("request_headers"),
            Self::SentBytes => Some("request_body"),
            Self::ReceivedBytes => Some("response_body"),
            Self::RequestTime => Some("request_timeout"),
            Self::StageBytes
            | Self::StageEntries
            | Self::StageRecord
            | Self::Memories
            | Self::Tables
            | Self::TableElements
            | Self::Instances
            | Self::Stack
            | Self::Exchange
            | Self::Handles
            | Self::Resources => None,
        }
    }

    /// The key of `[tools.NAME]` that can have made it less for one tool.
    pub fn tool_key(self) -> Option<&'static str> {
        match self {
            Self::Time => Some("timeout"),
            Self::Cpu => Some("cpu"),
            Self::Memory => Some("memory"),
            Self::Fuel
            | Self::OpenFiles
            | Self::DirEntries
            | Self::ReadBytes
            | Self::WriteBytes
            | Self::WriteEntries
            | Self::StageBytes
            | Self::StageEntries
            | Self::StageRecord
            | Self::Requests
            | Self::HeaderBytes
            | Self::SentBytes
            | Self::ReceivedBytes
            | Self::RequestTime
            | Self::Memories
            | Self::Tables
            | Self::TableElements
            | Self::Instances
            | Self::Stack
            | Self::Exchange
            | Self::Handles
            | Self::Resources => None,
        }
    }

    /// Whether it bounds a run's stage, which all calls of the run fill together.
    fn is_of_the_stage(self) -> bool {
        matches!(self, Self::StageBytes | Self::StageEntries | Self::StageRecord)
    }

    fn unit(self) -> Unit {
        match self {
            Self::Time | Self::Cpu | Self::RequestTime => Unit::Milliseconds,
            Self::Memory
            | Self::Stack
            | Self::Exchange
            | Self::ReadBytes
            | Self::WriteBytes
            | Self::StageBytes
            | Self::StageRecord
            | Self::HeaderBytes
            | Self::SentBytes
            | Self::ReceivedBytes => Unit::Bytes,
            Self::Fuel
            | Self::Memories
            | Self::Tables
            | Self::TableElements
            | Self::Instances
            | Self::Handles
            | Self::Resources
            | Self::OpenFiles
            | Self::DirEntries
            | Self::WriteEntries
            | Self::StageEntries
            | Self::Requests => Unit::Things,
        }
    }
}

impl Exceeded {
    /// One more than a limit was asked for.
    pub(crate) fn by_one_more(which: LimitKind, limit: u64) -> Self {
        Self { which, limit, used: limit.saturating_add(1) }
    }

    /// What was met, and by how much: `time (1 ms allowed, 5 ms used or asked for)`.
    pub fn amounts(&self) -> String {
        let unit = self.which.unit();
        let (limit, used) = (unit.shown(self.limit), unit.shown(self.used));
        format!("{} ({limit} allowed, {used} used or asked for)", self.which.name())
    }
}

/// `open files and folders (512 allowed, 513 used or asked for); [limits] open_files can allow more`
impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.amounts())?;
        match (self.which.key(), self.which.tool_key()) {
            (Some(key), None) => write!(f, "; [limits] {key} can allow more"),
            (Some(key), Some(own)) => write!(f, "; [limits] {key} or [tools.NAME] {own} can allow more"),
            (None, _) if self.which.is_of_the_stage() => {
                f.write_str("; applying or discarding the run's changes makes room")
            }
            (None, _) => f.write_str("; this limit is the same for every tool"),
        }
    }
}

impl Unit {
    fn shown(self, amount: u64) -> String {
        match self {
            Self::Things => amount.to_string(),
            Self::Milliseconds if amount < 1_000 => format!("{amount} ms"),
            Self::Milliseconds if amount.is_multiple_of(1_000) => format!("{} s", amount / 1_000),
            Self::Milliseconds => format!("{}.{:03} s", amount / 1_000, amount % 1_000),
            Self::Bytes => bytes(amount),
        }
    }
}

/// In the largest unit that says it exactly: both sides of a limit must be told apart.
fn bytes(amount: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| amount >= *unit && amount.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", amount / unit),
        None => format!("{amount} bytes"),
    }
}

/// The values that can be kept. Less would run no tool, more would be a promise that nothing holds.
impl Limits {
    /// Of [`Self::memory_bytes`]: WebAssembly's 32-bit memory has 4 GiB, and so has a slot of the pool.
    pub const MEMORY_BYTES: RangeInclusive<u64> = 1 << 20..=4 << 30;
    /// Of [`Self::time_ms`]: a year at most.
    pub const TIME_MS: RangeInclusive<u64> = 1..=365 * 24 * 3_600_000;
    /// Of [`Self::cpu_ms`].
    pub const CPU_MS: RangeInclusive<u64> = Self::TIME_MS;
    /// Of [`Self::output_bytes`]: more can't cross the boundary at once.
    pub const OUTPUT_BYTES: RangeInclusive<u64> = 1..=64 << 20;
    /// Of [`Self::stdio_bytes`]: it is kept in the host's memory.
    pub const STDIO_BYTES: RangeInclusive<u64> = 1..=64 << 20;
    /// Of [`Self::open_files`]: the host's table has room for two entries for each.
    pub const OPEN_FILES: RangeInclusive<u64> = 1..=65_000;
    /// Of [`Self::dir_entries`].
    pub const DIR_ENTRIES: RangeInclusive<u64> = 1..=u64::MAX;
    /// Of [`Self::read_bytes`].
    pub const READ_BYTES: RangeInclusive<u64> = 1..=u64::MAX;
    /// Of [`Self::write_bytes`].
    pub const WRITE_BYTES: RangeInclusive<u64> = 1..=u64::MAX;
    /// Of [`Self::write_entries`].
    pub const WRITE_ENTRIES: RangeInclusive<u64> = 1..=u64::MAX;
    /// Of [`Self::fuel`].
    pub const FUEL: RangeInclusive<u64> = 1..=u64::MAX;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_exceeded_says_the_limit_what_was_used_and_what_raises_it() {
        let memory = Exceeded { which: LimitKind::Memory, limit: 32 << 20, used: 36 << 20 };
        assert_eq!(
            memory.to_string(),
            "memory (32 MiB allowed, 36 MiB used or asked for); \
             [limits] memory or [tools.NAME] memory can allow more"
        );
        let time = Exceeded { which: LimitKind::Time, limit: 30_000, used: 30_001 };
        assert_eq!(
            time.to_string(),
            "time (30 s allowed, 30.001 s used or asked for); \
             [limits] tool_timeout or [tools.NAME] timeout can allow more"
        );
        let handles = Exceeded::by_one_more(LimitKind::Handles, 10_000);
        assert_eq!(
            handles.to_string(),
            "handles (10000 allowed, 10001 used or asked for); this limit is the same for every tool"
        );
    }

    #[test]
    fn a_full_stage_is_emptied_by_a_person_and_no_limit_is_named() {
        let full = Exceeded { which: LimitKind::StageBytes, limit: 2 << 30, used: 3 << 30 };
        assert_eq!(
            full.to_string(),
            "what the run's changes take (2 GiB allowed, 3 GiB used or asked for); \
             applying or discarding the run's changes makes room"
        );
        for which in [LimitKind::StageEntries, LimitKind::StageRecord] {
            assert!(Exceeded { which, ..full }.to_string().ends_with("changes makes room"));
        }
    }

    #[test]
    fn the_defaults_can_be_kept() {
        let limits = Limits::default();
        assert!(Limits::MEMORY_BYTES.contains(&limits.memory_bytes));
        assert!(Limits::TIME_MS.contains(&limits.time_ms));
        assert!(Limits::OUTPUT_BYTES.contains(&limits.output_bytes));
        assert!(Limits::STDIO_BYTES.contains(&limits.stdio_bytes));
        assert!(Limits::OPEN_FILES.contains(&limits.open_files));
    }
}
