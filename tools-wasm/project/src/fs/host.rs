//! By the host's `wasi:filesystem`.

#[allow(missing_docs, unreachable_pub, dead_code)]
mod needs {
    wit_bindgen::generate!({ world: "needs", path: "wit", generate_all });
}

use super::Kind;
use needs::wasi::filesystem::preopens::get_directories;
use needs::wasi::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntryStream, ErrorCode, OpenFlags,
    PathFlags,
};
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;
use std::sync::LazyLock;

/// The project's folder: all that the host shows lies below it. An instance serves one call, so
/// it is opened once in a call.
static ROOT: LazyLock<Option<Descriptor>> =
    LazyLock::new(|| get_directories().into_iter().find(|(_, at)| at == "/").map(|(folder, _)| folder));

/// None once it ended or failed.
pub(super) struct Entries(Option<DirectoryEntryStream>);

pub(super) fn entries(place: &Path) -> io::Result<Entries> {
    let (root, path) = below_root(place)?;
    let folder = root.open_at(PathFlags::SYMLINK_FOLLOW, path, OpenFlags::DIRECTORY, DescriptorFlags::READ);
    folder.and_then(|folder| folder.read_directory()).map(|stream| Entries(Some(stream))).map_err(failed)
}

pub(super) struct File {
    descriptor: Descriptor,
    position: u64,
}

pub(super) fn open(place: &Path) -> io::Result<(File, Kind, u64)> {
    let (root, path) = below_root(place)?;
    let opened = root.open_at(PathFlags::SYMLINK_FOLLOW, path, OpenFlags::empty(), DescriptorFlags::READ);
    let opened = opened.and_then(|descriptor| descriptor.stat().map(|stat| (descriptor, stat)));
    let (descriptor, DescriptorStat { type_, size, .. }) = opened.map_err(failed)?;
    Ok((File { descriptor, position: 0 }, type_.into(), size))
}

pub(super) fn look(place: &Path) -> io::Result<(Kind, u64)> {
    let (root, path) = below_root(place)?;
    let stat = root.stat_at(PathFlags::empty(), path).map_err(failed)?;
    Ok((stat.type_.into(), stat.size))
}

impl Iterator for Entries {
    type Item = io::Result<(OsString, Kind)>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0.as_ref()?.read_directory_entry() {
            Ok(Some(entry)) => Some(Ok((entry.name.into(), entry.type_.into()))),
            Ok(None) => {
                self.0 = None;
                None
            }
            Err(code) => {
                self.0 = None;
                Some(Err(failed(code)))
            }
        }
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (bytes, _) = self.descriptor.read(buffer.len() as u64, self.position).map_err(failed)?;
        // A host that gives more than was asked for breaks its word.
        let room = buffer.get_mut(..bytes.len()).ok_or(io::ErrorKind::InvalidData)?;
        room.copy_from_slice(&bytes);
        self.position += bytes.len() as u64;
        Ok(bytes.len())
    }
}

impl From<DescriptorType> for Kind {
    fn from(kind: DescriptorType) -> Self {
        match kind {
            DescriptorType::RegularFile => Self::File,
            DescriptorType::Directory => Self::Directory,
            DescriptorType::SymbolicLink => Self::Link,
            DescriptorType::Unknown
            | DescriptorType::BlockDevice
            | DescriptorType::CharacterDevice
            | DescriptorType::Fifo
            | DescriptorType::Socket => Self::Other,
        }
    }
}

/// What to ask the root for, spelled as the standard library's calls spell it.
fn below_root(place: &Path) -> io::Result<(&'static Descriptor, &str)> {
    let root = ROOT.as_ref().ok_or(io::ErrorKind::NotFound)?;
    // The host spells every name in UTF-8, so no other is a name.
    let path = place.to_str().ok_or(io::ErrorKind::NotFound)?.trim_start_matches('/');
    Ok((root, if path.is_empty() { "." } else { path }))
}

/// The same error as the standard library's calls fail with: it keeps the numbers of preview 1.
fn failed(code: ErrorCode) -> io::Error {
    io::Error::from_raw_os_error(match code {
        ErrorCode::Access => 2,
        ErrorCode::WouldBlock => 6,
        ErrorCode::Already => 7,
        ErrorCode::BadDescriptor => 8,
        ErrorCode::Busy => 10,
        ErrorCode::Deadlock => 16,
        ErrorCode::Quota => 19,
        ErrorCode::Exist => 20,
        ErrorCode::FileTooLarge => 22,
        ErrorCode::IllegalByteSequence => 25,
        ErrorCode::InProgress => 26,
        ErrorCode::Interrupted => 27,
        ErrorCode::Invalid => 28,
        ErrorCode::Io => 29,
        ErrorCode::IsDirectory => 31,
        ErrorCode::Loop => 32,
        ErrorCode::TooManyLinks => 34,
        ErrorCode::MessageSize => 35,
        ErrorCode::NameTooLong => 37,
        ErrorCode::NoDevice => 43,
        ErrorCode::NoEntry => 44,
        ErrorCode::NoLock => 46,
        ErrorCode::InsufficientMemory => 48,
        ErrorCode::InsufficientSpace => 51,
        ErrorCode::NotDirectory => 54,
        ErrorCode::NotEmpty => 55,
        ErrorCode::NotRecoverable => 56,
        ErrorCode::Unsupported => 58,
        ErrorCode::NoTty => 59,
        ErrorCode::NoSuchDevice => 60,
        ErrorCode::Overflow => 61,
        ErrorCode::NotPermitted => 63,
        ErrorCode::Pipe => 64,
        ErrorCode::ReadOnly => 69,
        ErrorCode::InvalidSeek => 70,
        ErrorCode::TextFileBusy => 74,
        ErrorCode::CrossDevice => 75,
    })
}
