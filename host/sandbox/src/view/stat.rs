//! What a guest is told of a file: kind, size, times, identity.

use super::place::Place;
use crate::stage::{Time, Times};
use rustix::fs::{FileType, Stat};
use std::hash::{DefaultHasher, Hash, Hasher};
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorStat, DescriptorType, MetadataHashValue};

pub(super) fn kind_of(kind: FileType) -> DescriptorType {
    match kind {
        FileType::RegularFile => DescriptorType::RegularFile,
        FileType::Directory => DescriptorType::Directory,
        FileType::Symlink => DescriptorType::SymbolicLink,
        FileType::Fifo => DescriptorType::Fifo,
        FileType::CharacterDevice => DescriptorType::CharacterDevice,
        FileType::BlockDevice => DescriptorType::BlockDevice,
        // Not `Socket`: the adapter that most guests are built with crashes on it.
        FileType::Socket | FileType::Unknown => DescriptorType::Unknown,
    }
}

pub(super) fn describe(stat: &Stat) -> DescriptorStat {
    DescriptorStat {
        type_: kind_of(FileType::from_raw_mode(stat.st_mode)),
        // Widths differ between processors.
        #[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
        link_count: stat.st_nlink as u64,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        data_access_timestamp: time(stat.st_atime, stat.st_atime_nsec),
        data_modification_timestamp: time(stat.st_mtime, stat.st_mtime_nsec),
        status_change_timestamp: time(stat.st_ctime, stat.st_ctime_nsec),
    }
}

/// The same but for the time of the last reading, which reading changes.
pub(super) fn describe_steady(stat: &Stat) -> DescriptorStat {
    DescriptorStat { data_access_timestamp: None, ..describe(stat) }
}

/// None before 1970, which the guest's type can't say.
fn time(seconds: impl TryInto<u64>, nanoseconds: impl TryInto<u32>) -> Option<Datetime> {
    Some(Datetime { seconds: seconds.try_into().ok()?, nanoseconds: nanoseconds.try_into().ok()? })
}

/// A bare folder has no size, no times and no other name.
pub(super) fn describe_bare() -> DescriptorStat {
    DescriptorStat {
        type_: DescriptorType::Directory,
        link_count: 1,
        size: 0,
        data_access_timestamp: None,
        data_modification_timestamp: None,
        status_change_timestamp: None,
    }
}

/// A file in the stage.
pub(super) fn describe_body(size: u64, times: Times) -> DescriptorStat {
    let Times { accessed, modified } = times;
    let [accessed, modified] =
        [accessed, modified].map(|Time(seconds, nanoseconds)| time(seconds, nanoseconds));
    DescriptorStat {
        type_: DescriptorType::RegularFile,
        link_count: 1,
        size,
        data_access_timestamp: accessed,
        data_modification_timestamp: modified,
        status_change_timestamp: modified,
    }
}

/// A folder in the stage.
pub(super) fn describe_folder(times: Option<Times>) -> DescriptorStat {
    match times {
        Some(times) => DescriptorStat { type_: DescriptorType::Directory, ..describe_body(0, times) },
        None => describe_bare(),
    }
}

/// The same for the same file, whatever it is called; says nothing of its number on the disk.
pub(super) fn identity(stat: &Stat) -> MetadataHashValue {
    hashed(("file", stat.st_dev, stat.st_ino))
}

/// Of a bare folder, and of what is in the stage: known by its place.
pub(super) fn identity_of_place(place: &Place) -> MetadataHashValue {
    hashed(("place", place))
}

fn hashed(what: impl Hash) -> MetadataHashValue {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    let lower = hasher.finish();
    hasher.write_u8(1);
    MetadataHashValue { lower, upper: hasher.finish() }
}
