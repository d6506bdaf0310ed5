//! Which steps of an apply were done, so that one that is carried on does none of them twice: what
//! a person has made of a file since is the person's.
//!
//! A step is marked as soon as it is done or left alone, and no mark is synced: marks hold until the machine stops.
//! Doesn't own: what tells whether a step without a mark was done (`step`).

use super::error::StageError;
use super::folder::StageFolder;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;

/// The record of the marks.
const MARKS: &str = "apply-marks";
/// What the kernel calls this run of the machine.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";
const UNDONE: u8 = b'0';
const DONE: u8 = b'1';
const LEFT: u8 = b'2';

/// What the marks say of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// It was done.
    Done,
    /// It was left alone, because of what a person had made of its place.
    Left,
    /// It may have been done: the process was ended about there.
    Perhaps,
    /// It wasn't done, or the marks don't hold.
    No,
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It is done.
    Done,
    /// It is left alone.
    Left,
}

/// The marks of an apply that was decided.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// None where marks can't be made.
    file: Option<File>,
    boot: String,
    /// As they were when this process began.
    before: Vec<u8>,
}

impl Marks {
    /// Makes the record, with no step done: takes all the room that it will ever need.
    pub(super) fn begin(stage: &StageFolder, steps: usize) -> Result<(), StageError> {
        let mut text = boot().into_bytes();
        text.resize(text.len() + steps, UNDONE);
        stage.put_record(MARKS, &text)
    }

    /// Reads the record. One that can't be read, or is of an earlier run of the machine, marks
    /// nothing.
    pub(super) fn read(stage: &StageFolder, steps: usize) -> Self {
        let boot = boot();
        let read = || -> Option<(File, Vec<u8>)> {
            let mut file = stage.open_record(MARKS).ok()?;
            let mut text = Vec::new();
            file.read_to_end(&mut text).ok()?;
            let marks = text.strip_prefix(boot.as_bytes())?.to_vec();
            (!boot.is_empty() && marks.len() == steps).then_some((file, marks))
        };
        match read() {
            Some((file, before)) => Self { file: Some(file), boot, before },
            None => Self::default(),
        }
    }

    pub(super) fn of(&self, step: usize) -> Known {
        let first = self.before.iter().position(|mark| !matches!(*mark, DONE | LEFT));
        match self.before.get(step) {
            Some(&DONE) => Known::Done,
            Some(&LEFT) => Known::Left,
            Some(_) if first == Some(step) => Known::Perhaps,
            Some(_) | None => Known::No,
        }
    }

    /// Whether there are marks to go by.
    pub(super) fn hold(&self) -> bool {
        self.file.is_some()
    }

    /// Marks what became of a step.
    pub(super) fn set(&self, step: usize, ended: Ended) {
        let Some(file) = &self.file else { return };
        let mark = match ended {
            Ended::Done => DONE,
            Ended::Left => LEFT,
        };
        if let Err(error) = file.write_all_at(&[mark], (self.boot.len() + step) as u64) {
            tracing::warn!(%error, "a step of an apply can't be marked");
        }
    }

    /// Removes the record.
    pub(super) fn remove(stage: &StageFolder) -> Result<(), StageError> {
        stage.remove_record(MARKS)
    }
}

/// Empty where the kernel doesn't say.
fn boot() -> String {
    std::fs::read_to_string(BOOT).unwrap_or_default()
}
