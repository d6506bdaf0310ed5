//! `wasi:filesystem` for a view.
//!
//! To a guest a descriptor is only a number, so the entry behind it in the resource table is a
//! `Node` of ours, and a `Listing` behind a directory stream's. If such a number ever reached
//! the runtime's own implementation, the table would find the wrong type there and trap.

use super::View;
use super::change::Opening;
use super::listing::Listing;
use super::merged::{Met, There};
use super::node::{Node, Source};
use super::open::{Manner, Open};
use super::policy::Want;
use super::refused::{Refused, code_of};
use super::resolve::{Base, Links};
use super::stat::{describe_bare, identity_of_place};
use super::stream::FileStream;
use crate::stage::Position;
use rustix::fs::fstat;
use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, DirectoryEntryStream, ErrorCode,
    Filesize, HostDescriptor, HostDirectoryEntryStream, MetadataHashValue, NewTimestamp, OpenFlags,
    PathFlags,
};
use wasmtime_wasi::p2::bindings::filesystem::{preopens, types};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

/// Puts the view in the place of the runtime's own file system. Call it after
/// `wasmtime_wasi::p2::add_to_linker_async`; the WASI context must have no preopened directory.
pub fn add_to_linker<T: Send + 'static>(
    linker: &mut Linker<T>,
    get: fn(&mut T) -> ViewHost<'_>,
) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    types::add_to_linker::<T, ViewFiles>(linker, get)?;
    preopens::add_to_linker::<T, ViewFiles>(linker, get)?;
    linker.allow_shadowing(false);
    Ok(())
}

struct ViewFiles;

impl HasData for ViewFiles {
    type Data<'a> = ViewHost<'a>;
}

/// A store's view together with the table of its guest's handles, for the time of one host call.
pub struct ViewHost<'a> {
    pub(super) view: &'a mut View,
    pub(super) table: &'a mut ResourceTable,
}

pub(super) type Fd = Resource<Descriptor>;
type Entries = Resource<DirectoryEntryStream>;

impl<'a> ViewHost<'a> {
    /// Borrows both from the store's data.
    pub fn new(view: &'a mut View, table: &'a mut ResourceTable) -> Self {
        Self { view, table }
    }

    pub(super) fn node(&self, fd: &Fd) -> wasmtime::Result<&Node> {
        Ok(self.table.get(&Resource::<Node>::new_borrow(fd.rep()))?)
    }

    pub(super) fn add(&mut self, node: Node) -> wasmtime::Result<Fd> {
        self.view.quotas.open()?;
        Ok(Resource::new_own(self.table.push(node)?.rep()))
    }

    /// Records a refusal and turns it into the guest's error.
    pub(super) fn refuse(&mut self, operation: &'static str, asked: &str, refused: Refused) -> FsError {
        self.view.log.refused(operation, asked, &refused);
        refused.code().into()
    }

    pub(super) fn resolve(
        &mut self,
        operation: &'static str,
        fd: &Fd,
        path: &str,
        how: PathFlags,
    ) -> FsResult<Met> {
        let node = self.node(fd).map_err(FsError::trap)?;
        let resolved = Base::of(node).and_then(|base| {
            if self.view.layer.is_some() {
                return self.view.meet(base.place, path, links(how));
            }
            let spot = self.view.tree.resolve(base, path, links(how));
            self.view.trail.resolved(node.place(), path, links(how), &spot);
            spot.map(Met::from)
        });
        resolved.map_err(|refused| self.refuse(operation, path, refused))
    }
}

pub(super) fn links(how: PathFlags) -> Links {
    if how.contains(PathFlags::SYMLINK_FOLLOW) { Links::Follow } else { Links::Keep }
}

impl preopens::Host for ViewHost<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Fd, String)>> {
        let root = match self.view.tree.root() {
            Node::Folder { place, .. } if self.view.layer.is_some() => Node::Merged(place),
            root => root,
        };
        Ok(vec![(self.add(root)?, "/".to_owned())])
    }
}

impl types::Host for ViewHost<'_> {
    fn convert_error_code(&mut self, err: FsError) -> wasmtime::Result<ErrorCode> {
        err.downcast()
    }

    fn filesystem_error_code(
        &mut self,
        err: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        // Streams that fail hold the system's own error.
        Ok(self.table.get(&err)?.downcast_ref::<std::io::Error>().map(ErrorCode::from))
    }
}

impl HostDescriptor for ViewHost<'_> {
    async fn open_at(
        &mut self,
        fd: Fd,
        how: PathFlags,
        path: String,
        create: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<Fd> {
        let changes = OpenFlags::CREATE | OpenFlags::EXCLUSIVE | OpenFlags::TRUNCATE;
        let folder = create.contains(OpenFlags::DIRECTORY);
        if folder && create.intersects(changes) {
            return Err(ErrorCode::Invalid.into());
        }
        let writes = flags.contains(DescriptorFlags::WRITE) || create.intersects(changes);
        let manner = Manner {
            links: if create.contains(OpenFlags::EXCLUSIVE) { Links::Keep } else { links(how) },
            want: if writes { Want::Change } else { Want::Look },
            folder,
        };
        let operation = if writes { "open for writing" } else { "open" };
        if self.view.layer.is_some() {
            return self.open_staged(
                operation,
                &fd,
                &path,
                Opening {
                    manner,
                    create: create.contains(OpenFlags::CREATE),
                    exclusive: create.contains(OpenFlags::EXCLUSIVE),
                    truncate: create.contains(OpenFlags::TRUNCATE),
                    write: flags.contains(DescriptorFlags::WRITE),
                },
            );
        }
        let node = self.node(&fd).map_err(FsError::trap)?;
        let opened = Base::of(node).and_then(|base| self.view.tree.open_path(base, &path, manner));
        self.view.trail.opened(node.place(), &path, manner, &opened);
        let opened = opened.map_err(|refused| {
            self.view.log.refused(operation, &path, &refused);
            refused.code()
        });
        let node = match opened? {
            Open::Bare(place) => Node::Bare(place),
            Open::Folder(place, handle) => Node::Folder { place, handle },
            Open::File(place, handle, length) => {
                let ranges = self.view.trail.ranges(&place);
                let reading = self.view.log.opened(&place, length).noted_in(ranges);
                Node::File { place, source: Source::Disk(handle), reading, writes: false }
            }
        };
        self.add(node).map_err(FsError::trap)
    }

    fn drop(&mut self, fd: Fd) -> wasmtime::Result<()> {
        self.table.delete(Resource::<Node>::new_own(fd.rep()))?;
        self.view.quotas.close();
        Ok(())
    }

    async fn stat_at(&mut self, fd: Fd, how: PathFlags, path: String) -> FsResult<DescriptorStat> {
        let met = self.resolve("stat", &fd, &path, how)?;
        Ok(self.view.describe(&met).map_err(|refused| refused.code())?)
    }

    async fn metadata_hash_at(
        &mut self,
        fd: Fd,
        how: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        let met = self.resolve("stat", &fd, &path, how)?;
        if let There::Project(pinned) = &met.there
            && let Some(found) = &pinned.found
        {
            return Ok(self.view.trail.identified(&pinned.place, found));
        }
        Ok(met.identity().ok_or(ErrorCode::NoEntry)?)
    }

    async fn readlink_at(&mut self, fd: Fd, path: String) -> FsResult<String> {
        match self.resolve("readlink", &fd, &path, PathFlags::empty())?.there {
            There::Project(pinned) => {
                let text = pinned.link_text();
                self.view.trail.link(&pinned.place, &text);
                text.map_err(|refused| self.refuse("readlink", &path, refused))
            }
            There::Absent => Err(ErrorCode::NoEntry.into()),
            There::Bare | There::StagedFolder | There::StagedFile => Err(ErrorCode::Invalid.into()),
        }
    }

    async fn read_directory(&mut self, fd: Fd) -> FsResult<Entries> {
        let (listing, noted) = match self.node(&fd).map_err(FsError::trap)? {
            Node::Bare(place) => (Listing::bare(&self.view.tree, place), None),
            Node::Folder { place, handle } => {
                let listing = Listing::folder(&self.view.tree, place, handle);
                let listing = listing.inspect_err(|_| self.view.trail.lose()).map_err(code_of)?;
                (listing, Some(place.clone()))
            }
            Node::Merged(place) => (self.view.listing(place).map_err(|refused| refused.code())?, None),
            Node::File { .. } => return Err(ErrorCode::NotDirectory.into()),
        };
        self.view.quotas.open().map_err(FsError::trap)?;
        let number = self.table.push(listing)?.rep();
        if let Some(place) = noted {
            self.view.trail.listing(number, &place);
        }
        Ok(Resource::new_own(number))
    }

    async fn read(&mut self, fd: Fd, length: Filesize, offset: Filesize) -> FsResult<(Vec<u8>, bool)> {
        match self.node(&fd).map_err(FsError::trap)? {
            Node::File { source, reading, .. } => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                let bytes =
                    source.read_at(length, offset).inspect_err(|_| reading.failed()).map_err(code_of)?;
                self.view.quotas.bytes.read(bytes.len()).map_err(FsError::trap)?;
                let at_end = bytes.is_empty() && length > 0;
                if length > 0 {
                    reading.read(offset, length, &bytes);
                }
                Ok((bytes, at_end))
            }
            Node::Bare(_) | Node::Folder { .. } | Node::Merged(_) => Err(ErrorCode::BadDescriptor.into()),
        }
    }

    fn read_via_stream(&mut self, fd: Fd, position: Filesize) -> FsResult<Resource<DynInputStream>> {
        let stream: DynInputStream = match self.node(&fd).map_err(FsError::trap)? {
            Node::File { source, reading, .. } => {
                let quota = self.view.quotas.bytes.clone();
                let (source, reading) = (source.clone(), reading.clone());
                Box::new(FileStream { source, position, reading, quota })
            }
            Node::Bare(_) | Node::Folder { .. } | Node::Merged(_) => {
                return Err(ErrorCode::IsDirectory.into());
            }
        };
        Ok(self.table.push(stream)?)
    }

    async fn get_flags(&mut self, fd: Fd) -> FsResult<DescriptorFlags> {
        Ok(match self.node(&fd).map_err(FsError::trap)? {
            Node::File { writes: true, .. } => DescriptorFlags::READ | DescriptorFlags::WRITE,
            Node::Bare(_) | Node::Folder { .. } | Node::Merged(_) | Node::File { .. } => {
                DescriptorFlags::READ
            }
        })
    }

    async fn get_type(&mut self, fd: Fd) -> FsResult<DescriptorType> {
        Ok(match self.node(&fd).map_err(FsError::trap)? {
            Node::Bare(_) | Node::Folder { .. } | Node::Merged(_) => DescriptorType::Directory,
            Node::File { .. } => DescriptorType::RegularFile,
        })
    }

    async fn stat(&mut self, fd: Fd) -> FsResult<DescriptorStat> {
        let node = self.node(&fd).map_err(FsError::trap)?;
        match node {
            Node::Bare(_) => Ok(describe_bare()),
            Node::Folder { handle, .. } => {
                let stat = fstat(handle).inspect_err(|_| self.view.trail.lose()).map_err(code_of)?;
                Ok(self.view.trail.described(node.place(), &stat))
            }
            Node::Merged(place) => {
                let described = self.view.at(place).and_then(|met| self.view.describe(&met));
                Ok(described.map_err(|refused| refused.code())?)
            }
            Node::File { source: Source::Disk(handle), .. } => {
                let stat = fstat(handle).inspect_err(|_| self.view.trail.lose()).map_err(code_of)?;
                Ok(self.view.trail.described(node.place(), &stat))
            }
            Node::File { source, .. } => Ok(source.stat().map_err(code_of)?),
        }
    }

    async fn metadata_hash(&mut self, fd: Fd) -> FsResult<MetadataHashValue> {
        let node = self.node(&fd).map_err(FsError::trap)?;
        if let Node::Merged(place) = node {
            let met = self.view.at(place).map_err(|refused| refused.code())?;
            return Ok(met.identity().ok_or(ErrorCode::NoEntry)?);
        }
        match node.handle() {
            Some(handle) => {
                let stat = fstat(handle).inspect_err(|_| self.view.trail.lose()).map_err(code_of)?;
                Ok(self.view.trail.identified(node.place(), &stat))
            }
            None => Ok(identity_of_place(node.place())),
        }
    }

    async fn is_same_object(&mut self, a: Fd, b: Fd) -> wasmtime::Result<bool> {
        let (a, b) = (self.node(&a)?, self.node(&b)?);
        match (a.handle(), b.handle()) {
            (Some(one), Some(other)) => {
                let (one, other) = (fstat(one)?, fstat(other)?);
                self.view.trail.identified(a.place(), &one);
                self.view.trail.identified(b.place(), &other);
                Ok((one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
            }
            (None, None) => Ok(a.place() == b.place()),
            (Some(_), None) | (None, Some(_)) => Ok(false),
        }
    }

    // Advice that isn't taken, and nothing written that could be out of step: what is staged is
    // made to last when the call ends.

    async fn advise(&mut self, fd: Fd, _: Filesize, _: Filesize, _: Advice) -> FsResult<()> {
        match self.node(&fd).map_err(FsError::trap)? {
            Node::File { .. } => Ok(()),
            Node::Bare(_) | Node::Folder { .. } | Node::Merged(_) => Err(ErrorCode::BadDescriptor.into()),
        }
    }

    async fn sync(&mut self, fd: Fd) -> FsResult<()> {
        self.node(&fd).map_err(FsError::trap)?;
        Ok(())
    }

    async fn sync_data(&mut self, fd: Fd) -> FsResult<()> {
        self.node(&fd).map_err(FsError::trap)?;
        Ok(())
    }

    // What changes something: `staged_host`.

    async fn create_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        self.change_at("create folder", &fd, &path, View::create_folder)
    }

    async fn remove_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        self.change_at("remove folder", &fd, &path, View::remove_folder)
    }

    async fn unlink_file_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        self.change_at("remove file", &fd, &path, View::remove_file)
    }

    async fn symlink_at(&mut self, fd: Fd, _: String, path: String) -> FsResult<()> {
        self.refuse_change("create link", &fd, &path, PathFlags::empty())
    }

    async fn link_at(&mut self, _: Fd, _: PathFlags, _: String, new_fd: Fd, new: String) -> FsResult<()> {
        self.refuse_change("create hard link", &new_fd, &new, PathFlags::empty())
    }

    async fn rename_at(&mut self, fd: Fd, old: String, new_fd: Fd, new: String) -> FsResult<()> {
        self.rename("rename", (&fd, &old), (&new_fd, &new))
    }

    async fn set_times_at(
        &mut self,
        fd: Fd,
        how: PathFlags,
        path: String,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> FsResult<()> {
        self.set_path_times("set times", (&fd, &path, how), (accessed, modified))
    }

    async fn set_times(&mut self, fd: Fd, accessed: NewTimestamp, modified: NewTimestamp) -> FsResult<()> {
        self.set_open_times("set times", &fd, (accessed, modified))
    }

    async fn set_size(&mut self, fd: Fd, size: Filesize) -> FsResult<()> {
        let (body, place) = self.writable("set size", &fd)?;
        let outcome = body.set_size(size, &self.view.quotas.writes);
        outcome.map_err(|halt| self.halt("set size", place.shown(), halt))
    }

    async fn write(&mut self, fd: Fd, bytes: Vec<u8>, position: Filesize) -> FsResult<Filesize> {
        let (body, place) = self.writable("write", &fd)?;
        let outcome = body.write(Position::At(position), &bytes, &self.view.quotas.writes);
        outcome.map_err(|halt| self.halt("write", place.shown(), halt))?;
        Ok(bytes.len() as u64)
    }

    fn write_via_stream(&mut self, fd: Fd, position: Filesize) -> FsResult<Resource<DynOutputStream>> {
        self.write_stream("write", &fd, Position::At(position))
    }

    fn append_via_stream(&mut self, fd: Fd) -> FsResult<Resource<DynOutputStream>> {
        self.write_stream("append", &fd, Position::End)
    }
}

impl HostDirectoryEntryStream for ViewHost<'_> {
    async fn read_directory_entry(&mut self, entries: Entries) -> FsResult<Option<DirectoryEntry>> {
        let listing = self.table.get_mut(&Resource::<Listing>::new_borrow(entries.rep()))?;
        let (read, next) = listing.next(self.view.quotas.entries_left());
        self.view.quotas.entries(read).map_err(FsError::trap)?;
        match &next {
            Ok(entry) => self.view.trail.listed(entries.rep(), entry.as_ref()),
            Err(_) => self.view.trail.lose(),
        }
        Ok(next.map_err(code_of)?)
    }

    fn drop(&mut self, entries: Entries) -> wasmtime::Result<()> {
        self.table.delete(Resource::<Listing>::new_own(entries.rep()))?;
        self.view.trail.listing_closed(entries.rep());
        self.view.quotas.close();
        Ok(())
    }
}
