//! A run on a stage, call by call: a guest for each, that makes the host calls itself as Rust's
//! standard library does.

use crate::fence_guest::{FOLLOW, Fd, Guest, Project, code, ready};
use ringfence_sandbox::view::{View, Walk};
use ringfence_sandbox::{
    Applied, ApplyError, Change, DirGrant, GrantPath, GrantedTree, Grants, KnownReads, Limits, MaskPattern,
    ProjectDir, Stage, StageError, Written,
};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptor, NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynOutputStream, FsResult};

/// How the standard library opens a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum How {
    /// Only if it is there.
    Existing,
    Create,
    /// As `File::create` does.
    Replace,
    New,
}

impl How {
    fn flags(self) -> OpenFlags {
        match self {
            Self::Existing => OpenFlags::empty(),
            Self::Create => OpenFlags::CREATE,
            Self::Replace => OpenFlags::CREATE | OpenFlags::TRUNCATE,
            Self::New => OpenFlags::CREATE | OpenFlags::EXCLUSIVE,
        }
    }
}

/// A project, its stage and what was read so far.
pub(crate) struct Run {
    pub(crate) project: Project,
    pub(crate) stage: Arc<Stage>,
    pub(crate) known: KnownReads,
    pub(crate) grants: Grants,
    pub(crate) limits: Limits,
    pub(crate) walk: Walk,
    pub(crate) stage_dir: TempDir,
}

pub(crate) fn path(text: &str) -> GrantPath {
    GrantPath::parse(text).expect("a path")
}

/// A project of which everything may be changed that masks don't hide.
pub(crate) fn all_of(project: &ProjectDir) -> Arc<GrantedTree> {
    let grants = Grants { dirs: vec![DirGrant::write(GrantPath::root())], ..Grants::whole_project() };
    GrantedTree::open(project, &grants).expect("grants")
}

impl Run {
    /// With a grant to write in these folders or files.
    pub(crate) fn on(project: Project, write: &[&str]) -> Self {
        let stage_dir = tempfile::tempdir().expect("a folder");
        let stage = Arc::new(Stage::open(&stage_dir.path().join("stage")).expect("a stage"));
        let dirs = write.iter().map(|dir| DirGrant::write(path(dir))).collect();
        let grants = Grants { dirs, ..Grants::whole_project() };
        let (known, limits) = (KnownReads::new(), Limits::default());
        Self { project, stage, known, grants, limits, walk: Walk::Kernel, stage_dir }
    }

    pub(crate) fn and_read(mut self, dirs: &[&str]) -> Self {
        self.grants.dirs.extend(dirs.iter().map(|dir| DirGrant::read(path(dir))));
        self
    }

    pub(crate) fn masked(mut self, masks: &[&str]) -> Self {
        for dir in &mut self.grants.dirs {
            dir.masks.patterns = masks.iter().map(|mask| MaskPattern::parse(mask).expect("a mask")).collect();
        }
        self
    }

    pub(crate) fn stage_path(&self) -> PathBuf {
        self.stage_dir.path().join("stage")
    }

    pub(crate) fn dir(&self) -> ProjectDir {
        ProjectDir::open(&self.project.root()).expect("a project").walked(self.walk)
    }

    /// What is granted, as a person who applies something has it.
    pub(crate) fn tree(&self) -> Arc<GrantedTree> {
        GrantedTree::open(&self.dir(), &self.grants).expect("grants")
    }

    pub(crate) fn begin(&self) -> Result<Guest, StageError> {
        let tree = self.tree();
        let view = View::staged(tree, &self.limits, &self.stage, Arc::new(self.known.clone()))?;
        Ok(Guest::with(view))
    }

    /// A call's guest.
    pub(crate) fn guest(&self) -> Guest {
        self.begin().expect("a turn")
    }

    /// A call that is done.
    pub(crate) fn call(&self, work: impl FnOnce(&mut Guest)) -> Vec<Written> {
        let mut guest = self.guest();
        work(&mut guest);
        guest.settle(true)
    }

    /// What a fresh call reads.
    pub(crate) fn sees(&self, file: &str) -> Result<String, ErrorCode> {
        self.guest().text(file)
    }

    pub(crate) fn in_project(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.project.at(file)).ok()
    }

    pub(crate) fn changes(&self) -> Vec<Change> {
        self.stage.changes().expect("readable")
    }

    pub(crate) fn apply(&self) -> Result<Applied, ApplyError> {
        self.stage.apply(&self.tree(), None)
    }
}

impl Guest {
    pub(crate) fn open_with(
        &mut self,
        file: &str,
        how: How,
        flags: DescriptorFlags,
    ) -> Result<Fd, ErrorCode> {
        let root = self.root();
        code(ready(self.host().open_at(root, FOLLOW, file.to_owned(), how.flags(), flags)))
    }

    pub(crate) fn open_to_write(&mut self, file: &str, how: How) -> Result<Fd, ErrorCode> {
        self.open_with(file, how, DescriptorFlags::READ | DescriptorFlags::WRITE)
    }

    pub(crate) fn close(&mut self, fd: Fd) {
        HostDescriptor::drop(&mut self.host(), fd).expect("open");
    }

    /// Writes into an open stream and drops it; a quota that ends the call is an error.
    pub(crate) fn stream_write(
        &mut self,
        stream: FsResult<Resource<DynOutputStream>>,
        bytes: &[u8],
    ) -> Result<(), ErrorCode> {
        let stream = code(stream)?;
        let mut owned = self.table().delete(stream).expect("open");
        for chunk in bytes.chunks(64 << 10) {
            ready(owned.blocking_write_and_flush(bytes::Bytes::copy_from_slice(chunk)))
                .map_err(|_| ErrorCode::Quota)?;
        }
        Ok(())
    }

    /// As `std::fs::write` does.
    pub(crate) fn write(&mut self, file: &str, text: impl AsRef<[u8]>) -> Result<(), ErrorCode> {
        let fd = self.open_with(file, How::Replace, DescriptorFlags::WRITE)?;
        let stream = self.host().write_via_stream(Resource::new_borrow(fd.rep()), 0);
        let outcome = self.stream_write(stream, text.as_ref());
        self.close(fd);
        outcome
    }

    /// As `OpenOptions::new().append(true).create(true)` does.
    pub(crate) fn append(&mut self, file: &str, text: &str) -> Result<(), ErrorCode> {
        let fd = self.open_with(file, How::Create, DescriptorFlags::WRITE)?;
        let stream = self.host().append_via_stream(Resource::new_borrow(fd.rep()));
        let outcome = self.stream_write(stream, text.as_bytes());
        self.close(fd);
        outcome
    }

    pub(crate) fn write_at(&mut self, file: &str, text: &str, at: u64) -> Result<(), ErrorCode> {
        let fd = self.open_to_write(file, How::Existing)?;
        let outcome = ready(self.host().write(Resource::new_borrow(fd.rep()), text.as_bytes().to_vec(), at));
        self.close(fd);
        code(outcome).map(|_| ())
    }

    pub(crate) fn set_size(&mut self, file: &str, size: u64) -> FsResult<()> {
        let fd = self.open_to_write(file, How::Existing)?;
        let outcome = ready(self.host().set_size(Resource::new_borrow(fd.rep()), size));
        self.close(fd);
        outcome
    }

    pub(crate) fn make_folder(&mut self, folder: &str) -> Result<(), ErrorCode> {
        let root = self.root();
        code(ready(self.host().create_directory_at(root, folder.to_owned())))
    }

    pub(crate) fn remove_folder(&mut self, folder: &str) -> Result<(), ErrorCode> {
        let root = self.root();
        code(ready(self.host().remove_directory_at(root, folder.to_owned())))
    }

    pub(crate) fn remove(&mut self, file: &str) -> Result<(), ErrorCode> {
        let root = self.root();
        code(ready(self.host().unlink_file_at(root, file.to_owned())))
    }

    pub(crate) fn rename(&mut self, from: &str, to: &str) -> Result<(), ErrorCode> {
        let (root, other) = (self.root(), self.root());
        code(ready(self.host().rename_at(root, from.to_owned(), other, to.to_owned())))
    }

    pub(crate) fn set_modified(&mut self, file: &str, seconds: u64) -> Result<(), ErrorCode> {
        use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
        let root = self.root();
        let time = NewTimestamp::Timestamp(Datetime { seconds, nanoseconds: 7 });
        code(ready(self.host().set_times_at(root, FOLLOW, file.to_owned(), NewTimestamp::NoChange, time)))
    }

    /// Reads whole, so that it may be changed.
    pub(crate) fn read_first(&mut self, file: &str) {
        self.read(file).expect("readable");
    }

    pub(crate) fn size(&mut self, file: &str) -> u64 {
        self.stat(file, PathFlags::empty()).expect("there").size
    }
}
