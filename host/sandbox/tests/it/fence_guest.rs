//! A guest as the fence sees one, without WebAssembly: it makes the host calls itself.

use ringfence_sandbox::view::{View, ViewHost, Walk};
use ringfence_sandbox::{
    Denial, DenialReason, DirGrant, FileLog, Footprint, GrantPath, GrantedTree, Grants, Limits, MaskPattern,
    ProjectDir, StageError, Written,
};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tempfile::TempDir;
use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, DescriptorStat, DescriptorType, ErrorCode, HostDescriptor, HostDirectoryEntryStream,
    OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, FsResult, StreamError};

pub(crate) type Fd = Resource<Descriptor>;

pub(crate) const FOLLOW: PathFlags = PathFlags::SYMLINK_FOLLOW;
pub(crate) const WALKS: [Walk; 2] = [Walk::Kernel, Walk::ByName];

/// Finishes a host call, which never waits.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the view waits for nothing"),
    }
}

/// The guest's error; a trap fails the test.
pub(crate) fn code<T>(outcome: FsResult<T>) -> Result<T, ErrorCode> {
    outcome.map_err(|err| err.downcast().expect("an error of the guest's, no trap"))
}

/// A project folder with a folder of secrets beside it.
pub(crate) struct Project {
    dir: TempDir,
}

impl Project {
    pub(crate) fn empty() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join("project")).expect("made");
        fs::create_dir(dir.path().join("outside")).expect("made");
        fs::write(dir.path().join("outside/secret.txt"), "SECRET outside").expect("written");
        Self { dir }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn folder(&self, path: impl AsRef<Path>) -> &Self {
        fs::create_dir_all(self.at(path)).expect("made");
        self
    }

    pub(crate) fn file(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> &Self {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
        self
    }

    pub(crate) fn link(&self, path: impl AsRef<Path>, target: impl AsRef<Path>) -> &Self {
        symlink(target, self.at(path)).expect("linked");
        self
    }

    pub(crate) fn fifo(&self, path: &str) -> &Self {
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, self.at(path), kind, 0o644.into(), 0).expect("made");
        self
    }

    pub(crate) fn tree(&self, walk: Walk, dirs: &[&str]) -> Arc<GrantedTree> {
        let project = ProjectDir::open(&self.root()).expect("a project").walked(walk);
        GrantedTree::open(&project, &grants(dirs)).expect("grants")
    }

    pub(crate) fn masked_guest(&self, walk: Walk, dirs: &[(&str, &[&str])]) -> Guest {
        let project = ProjectDir::open(&self.root()).expect("a project").walked(walk);
        Guest::of(GrantedTree::open(&project, &masked_grants(dirs)).expect("grants"))
    }

    /// Folders to read by a deterministic call.
    pub(crate) fn steady_tree(&self, walk: Walk, dirs: &[&str]) -> Arc<GrantedTree> {
        let project = ProjectDir::open(&self.root()).expect("a project").walked(walk);
        let grants = Grants { deterministic: true, ..grants(dirs) };
        GrantedTree::open(&project, &grants).expect("grants")
    }

    pub(crate) fn guest(&self, walk: Walk, dirs: &[&str]) -> Guest {
        Guest::of(self.tree(walk, dirs))
    }
}

/// Folders to read, each with its masks besides the usual ones.
pub(crate) fn masked_grants(dirs: &[(&str, &[&str])]) -> Grants {
    let mut all = grants(&dirs.iter().map(|(dir, _)| *dir).collect::<Vec<_>>());
    for (grant, (_, masks)) in all.dirs.iter_mut().zip(dirs) {
        grant.masks.patterns = masks.iter().map(|mask| MaskPattern::parse(mask).expect("a mask")).collect();
    }
    all
}

/// Folders to read.
pub(crate) fn grants(dirs: &[&str]) -> Grants {
    let grant = |dir: &&str| DirGrant::read(GrantPath::parse(dir).expect("a path"));
    Grants { dirs: dirs.iter().map(grant).collect(), ..Grants::whole_project() }
}

/// One call's guest.
pub(crate) struct Guest {
    view: View,
    table: ResourceTable,
    root: u32,
}

impl Guest {
    pub(crate) fn of(tree: Arc<GrantedTree>) -> Self {
        Self::within(tree, &Limits::default())
    }

    pub(crate) fn within(tree: Arc<GrantedTree>, limits: &Limits) -> Self {
        Self::with(View::new(tree, limits))
    }

    pub(crate) fn with(mut view: View) -> Self {
        let mut table = ResourceTable::new();
        let mut preopens =
            preopens::Host::get_directories(&mut ViewHost::new(&mut view, &mut table)).expect("room");
        let (root, name) = preopens.pop().expect("a root");
        assert_eq!((name.as_str(), preopens.len()), ("/", 0), "one root and nothing else");
        Self { root: root.rep(), view, table }
    }

    /// Ends the call, as one that is done or as one that isn't.
    pub(crate) fn settle(mut self, keep: bool) -> Vec<Written> {
        self.view.settle(keep).expect("settled").0
    }

    /// Ends the call as one that is done.
    pub(crate) fn try_settle(mut self) -> Result<Vec<Written>, StageError> {
        self.view.settle(true).map(|(written, _)| written)
    }

    pub(crate) fn table(&mut self) -> &mut ResourceTable {
        &mut self.table
    }

    pub(crate) fn host(&mut self) -> ViewHost<'_> {
        ViewHost::new(&mut self.view, &mut self.table)
    }

    pub(crate) fn root(&self) -> Fd {
        Resource::new_borrow(self.root)
    }

    /// Opens from the root, following links, as `open(path, O_RDONLY)` does.
    pub(crate) fn open(&mut self, path: &str) -> Result<Fd, ErrorCode> {
        let root = self.root();
        self.open_at(root, path)
    }

    pub(crate) fn open_at(&mut self, at: Fd, path: &str) -> Result<Fd, ErrorCode> {
        let read = DescriptorFlags::READ;
        code(ready(self.host().open_at(at, FOLLOW, path.to_owned(), OpenFlags::empty(), read)))
    }

    /// Opens, reads to the end, closes.
    pub(crate) fn read(&mut self, path: &str) -> Result<Vec<u8>, ErrorCode> {
        let fd = self.open(path)?;
        let mut text = Vec::new();
        let outcome = loop {
            let at = Resource::new_borrow(fd.rep());
            match code(ready(self.host().read(at, 1 << 20, text.len() as u64))) {
                Ok((bytes, false)) => text.extend(bytes),
                Ok((_, true)) => break Ok(text),
                Err(err) => break Err(err),
            }
        };
        HostDescriptor::drop(&mut self.host(), fd).expect("open");
        outcome
    }

    pub(crate) fn text(&mut self, path: &str) -> Result<String, ErrorCode> {
        self.read(path).map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
    }

    pub(crate) fn stat(&mut self, path: &str, how: PathFlags) -> Result<DescriptorStat, ErrorCode> {
        let root = self.root();
        code(ready(self.host().stat_at(root, how, path.to_owned())))
    }

    pub(crate) fn readlink(&mut self, path: &str) -> Result<String, ErrorCode> {
        let root = self.root();
        code(ready(self.host().readlink_at(root, path.to_owned())))
    }

    /// Names and kinds, sorted.
    pub(crate) fn list(&mut self, path: &str) -> Result<Vec<(String, DescriptorType)>, ErrorCode> {
        let fd = self.open(path)?;
        self.list_open(fd)
    }

    pub(crate) fn list_open(&mut self, fd: Fd) -> Result<Vec<(String, DescriptorType)>, ErrorCode> {
        let stream = code(ready(self.host().read_directory(fd)))?;
        let mut entries = Vec::new();
        loop {
            let at = Resource::new_borrow(stream.rep());
            match code(ready(self.host().read_directory_entry(at)))? {
                Some(entry) => entries.push((entry.name, entry.type_)),
                None => break,
            }
        }
        HostDirectoryEntryStream::drop(&mut self.host(), stream).expect("open");
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(entries)
    }

    pub(crate) fn names(&mut self, path: &str) -> Vec<String> {
        self.list(path).expect("a folder").into_iter().map(|(name, _)| name).collect()
    }

    /// How many bytes the next read of a stream gives; none at its end.
    pub(crate) fn stream_read(&mut self, stream: &Resource<DynInputStream>, size: usize) -> Option<usize> {
        let stream = self.table.get_mut(&Resource::<DynInputStream>::new_borrow(stream.rep())).expect("open");
        match stream.read(size) {
            Ok(bytes) => Some(bytes.len()),
            Err(StreamError::Closed) => None,
            Err(err) => panic!("{err}"),
        }
    }

    pub(crate) fn footprint(&mut self) -> Option<Footprint> {
        self.view.take_footprint()
    }

    pub(crate) fn log(&mut self) -> FileLog {
        self.view.take_log()
    }

    pub(crate) fn denials(&mut self) -> Vec<Denial> {
        self.log().denials
    }

    /// Asserts that exactly one denial was recorded, for this reason, and gives it.
    pub(crate) fn one_denial(&mut self, reason: DenialReason) -> Denial {
        let mut denials = self.denials();
        assert_eq!(denials.len(), 1, "{denials:?}");
        let denial = denials.remove(0);
        assert_eq!(denial.reason, reason, "{denial:?}");
        denial
    }
}

/// A file name of any bytes.
pub(crate) fn os(bytes: &[u8]) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}
