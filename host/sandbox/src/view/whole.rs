//! Reading a file whole for a guest that asks by its path alone, as it would itself: resolved, judged,
//! opened, read, counted and recorded by the same functions.

use super::host::{Fd, ViewHost};
use super::node::Node;
use super::refused::code_of;
use super::stream::MAX_READ;
use crate::digest::Digest;
use wasmtime_wasi::p2::bindings::filesystem::preopens::Host as _;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptor as _, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{FsError, FsResult};

/// What reading a file whole comes to.
pub(crate) enum ReadWhole {
    Whole {
        bytes: Vec<u8>,
        hash: Digest,
    },
    /// It has so many bytes.
    TooLarge(u64),
    /// Why not, in words.
    Unreadable(String),
}

impl ViewHost<'_> {
    /// Reads a file of up to `most` bytes. Fails where the call is to end: a quota is used up.
    pub(crate) async fn read_whole(&mut self, path: &str, most: u64) -> wasmtime::Result<ReadWhole> {
        let read = self.try_read_whole(path, most).await;
        read.or_else(|error| Ok(ReadWhole::Unreadable(in_words(error.downcast()?))))
    }

    async fn try_read_whole(&mut self, path: &str, most: u64) -> FsResult<ReadWhole> {
        let roots = self.get_directories().map_err(FsError::trap)?;
        let Some((root, _)) = roots.into_iter().next() else { return Err(ErrorCode::NoEntry.into()) };
        let (at, read) = (root.rep(), DescriptorFlags::READ);
        // A guest's own library takes `/src` for `src`, as its tree begins there.
        let path = path.trim_start_matches('/').to_owned();
        let opened = self.open_at(root, PathFlags::SYMLINK_FOLLOW, path, OpenFlags::empty(), read).await;
        self.close(at)?;
        let file = opened?.rep();
        let read = self.read_open(file, most).await;
        self.close(file)?;
        read
    }

    fn close(&mut self, number: u32) -> FsResult<()> {
        self.drop(Fd::new_own(number)).map_err(FsError::trap)
    }

    async fn read_open(&mut self, number: u32, most: u64) -> FsResult<ReadWhole> {
        let file = || Fd::new_borrow(number);
        let size = match self.node(&file()).map_err(FsError::trap)? {
            Node::File { source, .. } => source.stat().map_err(code_of)?.size,
            Node::Bare(_) | Node::Folder { .. } | Node::Merged(_) => {
                return Err(ErrorCode::IsDirectory.into());
            }
        };
        if size > most {
            // Asked as a guest asks, so that it is on record that the answer rests on it.
            return Ok(ReadWhole::TooLarge(self.stat(file()).await?.size));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        loop {
            let (piece, _) = self.read(file(), MAX_READ as u64, bytes.len() as u64).await?;
            if piece.is_empty() {
                break;
            }
            bytes.extend(piece);
            if bytes.len() as u64 > most {
                return Ok(ReadWhole::TooLarge(self.stat(file()).await?.size));
            }
        }
        let place = self.node(&file()).map_err(FsError::trap)?.place().clone();
        let hash = self.view.log.whole_read(&place).unwrap_or_else(|| Digest::of(&bytes));
        Ok(ReadWhole::Whole { bytes, hash })
    }
}

/// What a person would say; the rest in the words of the interface.
fn in_words(code: ErrorCode) -> String {
    match code {
        ErrorCode::NoEntry => "there is no such file".to_owned(),
        ErrorCode::IsDirectory => "it is a folder".to_owned(),
        ErrorCode::NotDirectory => "a part of its path is no folder".to_owned(),
        ErrorCode::NotPermitted | ErrorCode::Access => "it may not be read".to_owned(),
        ErrorCode::Loop => "its links lead in a circle".to_owned(),
        code => code.name().to_owned(),
    }
}
