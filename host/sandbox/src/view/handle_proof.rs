//! The proof that the handle holds alone: with judging and rewriting switched off, the guest's
//! own text goes to the kernel, and whatever leaves the granted folder still fails there.
//!
//! The switch is compiled into this crate's own unit tests and nothing else.

use super::beneath::look;
use super::grants::Held;
use super::place::Place;
use super::refused::Refused;
use super::resolve::{Base, Pinned, Spot};
use super::*;
use crate::grant::{DirGrant, GrantPath, Grants};
use std::fs;
use std::os::unix::fs::symlink;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use tempfile::TempDir;
use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptor, OpenFlags, PathFlags,
};

const FOLLOW: PathFlags = PathFlags::SYMLINK_FOLLOW;

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the view waits for nothing"),
    }
}

/// A project next to a secret, with every kind of way out of `src`.
fn project() -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |path: &str| dir.path().join(path);
    for folder in ["outside", "project/src/sub/far", "project/.ringfence"] {
        fs::create_dir_all(at(folder)).expect("made");
    }
    for secret in ["outside/secret.txt", "project/secret.txt", "project/.ringfence/secret.txt"] {
        fs::write(at(secret), "SECRET").expect("written");
    }
    fs::write(at("project/src/a.txt"), "fine").expect("written");
    fs::write(at("project/src/sub/b.txt"), "fine").expect("written");
    let secret = at("outside/secret.txt");
    for (link, target) in [
        ("to-file", "../secret.txt"),
        ("to-far-file", "../../outside/secret.txt"),
        ("to-folder", ".."),
        ("to-far-folder", "../../outside"),
        ("to-root", "/"),
        ("to-link", "sub/../to-file"),
        ("to-self-fd", "/proc/self/fd"),
        ("to-absolute", secret.to_str().expect("UTF-8")),
    ] {
        symlink(target, at("project/src").join(link)).expect("linked");
    }
    dir
}

impl GrantedTree {
    /// As `resolve`, but judges nothing and rewrites nothing: the guest's own text goes to the
    /// handle it starts from.
    #[cfg(test)]
    pub(super) fn resolve_unjudged(&self, base: Base<'_>, path: &str) -> Result<Spot, Refused> {
        let mut start = base.handle;
        let mut way = path;
        if start.is_none() {
            let mut place = base.place.clone();
            let mut rest = path;
            while let Some((name, after)) = rest.split_once('/') {
                place.push(name)?;
                rest = after;
                if let Some(Held::Folder(handle)) = self.holder(&place).map(|granted| &granted.held) {
                    start = Some(handle);
                    way = rest;
                    break;
                }
            }
        }
        let start = start.ok_or(Refused::Plain(ErrorCode::NoEntry))?;
        let (folders, name) =
            way.rsplit_once('/').map_or((".", way), |(f, n)| (if f.is_empty() { "/" } else { f }, n));
        let parent = Arc::new(self.walk().folder(start, folders)?);
        let found = look(&parent, name)?;
        let mut place = Place::root();
        place.push("unjudged")?;
        Ok(Spot::Real(Pinned { place, parent, name: name.to_owned(), found }))
    }
}

struct Guest {
    view: View,
    table: ResourceTable,
}

impl Guest {
    fn new(dir: &TempDir, walk: Walk, grant: &str, judged: bool) -> Self {
        let project = ProjectDir::open(&dir.path().join("project")).expect("a project").walked(walk);
        let path = GrantPath::parse(grant).expect("a path");
        let grants = Grants { dirs: vec![DirGrant::read(path)], ..Grants::whole_project() };
        let open = if judged { GrantedTree::open } else { GrantedTree::open_unjudged };
        Self {
            view: View::new(open(&project, &grants).expect("grants"), &grants.limits),
            table: ResourceTable::new(),
        }
    }

    fn host(&mut self) -> ViewHost<'_> {
        ViewHost::new(&mut self.view, &mut self.table)
    }

    /// Opens a path from an open folder (the root if there's none to open first) and reads it.
    fn read(&mut self, from: Option<&str>, path: &str) -> FsResult<String> {
        let mut host = self.host();
        let (mut fd, _) = preopens::Host::get_directories(&mut host).expect("room").remove(0);
        let read = DescriptorFlags::READ;
        for path in from.into_iter().chain([path]) {
            let at = Resource::new_borrow(fd.rep());
            fd = ready(host.open_at(at, FOLLOW, path.to_owned(), OpenFlags::empty(), read))?;
        }
        let (bytes, _) = ready(host.read(fd, 100, 0))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Looks at a path, following a link at its end or not.
    fn stat(&mut self, path: &str, how: PathFlags) -> FsResult<()> {
        let mut host = self.host();
        let (fd, _) = preopens::Host::get_directories(&mut host).expect("room").remove(0);
        ready(host.stat_at(fd, how, path.to_owned())).map(|_| ())
    }
}

/// Ways out, from `src`.
const LEAVING: &[&str] = &[
    "..",
    "../",
    "./..",
    "../secret.txt",
    ".//..//secret.txt",
    "sub/../../secret.txt",
    "sub/far/../../../secret.txt",
    "../src/a.txt",
    "../../outside/secret.txt",
    "/",
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/self/cwd/Cargo.toml",
    "to-file",
    "to-file/",
    "to-far-file",
    "to-folder/secret.txt",
    "to-far-folder/secret.txt",
    "to-far-folder/../project/secret.txt",
    "to-root/etc/passwd",
    "to-link",
    "to-self-fd/0",
    "to-absolute",
];

#[test]
fn with_judging_off_every_path_that_leaves_the_grant_still_fails_at_the_handle() {
    let dir = project();
    for walk in [Walk::Kernel, Walk::ByName] {
        for path in LEAVING {
            // From the grant's own handle, as the root and as a folder opened below a bare root.
            for (grant, from) in [("src", Some("src/.")), (".", Some("src/.")), ("src", Some("src/sub"))] {
                let path = if from == Some("src/sub") { format!("../{path}") } else { (*path).to_owned() };
                let mut guest = Guest::new(&dir, walk, grant, false);
                let outcome = guest.read(from, &path);
                assert!(outcome.is_err(), "{walk:?} {grant} {path}: {outcome:?}");
                assert!(!guest.view.has_denials(), "{path}: refused by the judge, not by the handle");
            }
            let mut guest = Guest::new(&dir, walk, "src", false);
            assert!(guest.read(None, &format!("src/{path}")).is_err(), "{walk:?} src/{path}");
            assert!(guest.read(None, path).is_err(), "{walk:?} {path}");
        }
    }
}

#[test]
fn with_judging_off_a_look_at_what_lies_outside_fails_too() {
    let dir = project();
    for walk in [Walk::Kernel, Walk::ByName] {
        for path in ["src/..", "src/../secret.txt", "src/sub/../..", "src/to-folder/secret.txt"] {
            let mut guest = Guest::new(&dir, walk, "src", false);
            for how in [FOLLOW, PathFlags::empty()] {
                assert!(guest.stat(path, how).is_err(), "{walk:?} {path}");
            }
        }
    }
}

#[test]
fn the_switch_does_turn_judging_off() {
    let dir = project();
    let masked = ".ringfence/secret.txt";
    for walk in [Walk::Kernel, Walk::ByName] {
        let code = |outcome: FsResult<String>| outcome.map_err(|err| err.downcast_ref().copied());
        let mut on = Guest::new(&dir, walk, ".", true);
        assert_eq!(code(on.read(None, masked)), Err(Some(ErrorCode::NoEntry)));
        assert!(on.view.has_denials());
        let mut off = Guest::new(&dir, walk, ".", false);
        assert_eq!(code(off.read(None, masked)), Ok("SECRET".to_owned()));
        // And what stays inside works, so failing isn't all it does.
        assert_eq!(code(off.read(None, "src/sub/b.txt")), Ok("fine".to_owned()));
        assert_eq!(code(off.read(Some("src"), "a.txt")), Ok("fine".to_owned()));
    }
}
