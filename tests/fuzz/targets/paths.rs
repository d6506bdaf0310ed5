//! A path, opened by the view, against a model that knows nothing of how the view works: a tree
//! of names in memory, walked link by link.
//!
//! What the view gives, the model must grant; and what the model grants on a way without links,
//! the view must give.

use arbitrary::{Arbitrary, Result, Unstructured};
use ringfence_sandbox::view::{View, ViewHost, Walk};
use ringfence_sandbox::{DirGrant, GrantPath, GrantedTree, Grants, Limits, MaskPattern, ProjectDir};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, DescriptorType, HostDescriptor, OpenFlags, PathFlags,
};

/// Names that files and folders have; some are hidden by default, one always.
const NAMES: [&str; 9] = ["a", "b", "A", "src", ".env", ".git", ".ringfence", "secret", "id_rsa"];
/// What paths and links are made of.
const PARTS: [&str; 16] = [
    "a",
    "b",
    "A",
    "src",
    ".env",
    ".git",
    ".ringfence",
    "secret",
    "id_rsa",
    "..",
    ".",
    "",
    "..",
    ".GIT",
    "a\0",
    "\u{2025}",
];
/// Follows of one path, as Linux has it.
const FOLLOWS: usize = 40;

#[derive(Debug)]
enum Thing {
    Folder,
    File,
    Link(String),
}

/// What one input is about.
#[derive(Debug)]
pub(crate) struct Case {
    /// From the folder that holds the project; `p` is the project.
    things: BTreeMap<String, Thing>,
    grants: Vec<(String, Option<String>)>,
    paths: Vec<String>,
    by_name: bool,
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut case = Self {
            things: BTreeMap::from([("p".to_owned(), Thing::Folder), ("secret".to_owned(), Thing::File)]),
            grants: Vec::new(),
            paths: Vec::new(),
            by_name: u.arbitrary()?,
        };
        for _ in 0..u.int_in_range(1..=14)? {
            let folder = case.one_there(u, true)?;
            let path = format!("{folder}/{}", u.choose(&NAMES)?);
            let thing = match u.int_in_range(0..=5)? {
                0 | 1 => Thing::Folder,
                2 | 3 => Thing::File,
                _ => Thing::Link(case.way(u, &folder)?.replace('\0', "")),
            };
            case.things.entry(path).or_insert(thing);
        }
        for _ in 0..u.int_in_range(1..=2)? {
            let folder = case.one_there(u, true)?;
            let mask =
                if u.ratio(1, 4)? { Some((*u.choose(&["a", "b", "secret"])?).to_owned()) } else { None };
            case.grants.push((folder.strip_prefix("p/").unwrap_or(".").to_owned(), mask));
        }
        for _ in 0..u.int_in_range(1..=8)? {
            let path = case.way(u, "p")?;
            case.paths.push(path);
        }
        Ok(case)
    }
}

impl Case {
    /// Something that is there already, from the folder that holds the project.
    fn one_there(&self, u: &mut Unstructured<'_>, folder: bool) -> Result<String> {
        let fits = |thing: &Thing| !folder || matches!(thing, Thing::Folder);
        let there: Vec<&String> =
            self.things.iter().filter(|(_, thing)| fits(thing)).map(|(path, _)| path).collect();
        Ok((*u.choose(&there)?).clone())
    }

    /// A path seen from a folder: to something that is there, with turns on the way; or any.
    fn way(&self, u: &mut Unstructured<'_>, folder: &str) -> Result<String> {
        let mut parts: Vec<String> = Vec::new();
        if u.ratio(3, 4)? {
            let there = self.one_there(u, false)?;
            // Within the project no way leads further up than it.
            let (from, to) = match (folder.strip_prefix('p'), there.strip_prefix('p')) {
                (Some(from), Some(to)) => (from.trim_start_matches('/'), to.trim_start_matches('/')),
                _ => (folder, there.as_str()),
            };
            parts.extend(from.split('/').filter(|name| !name.is_empty()).map(|_| "..".to_owned()));
            parts.extend(to.split('/').map(str::to_owned));
        }
        for _ in 0..u.int_in_range(0..=if parts.is_empty() { 6 } else { 2 })? {
            let at = u.int_in_range(0..=parts.len())?;
            match u.int_in_range(0..=4)? {
                0 | 1 => parts.insert(at, ".".to_owned()),
                2 => parts.insert(at, String::new()),
                // There and back again.
                3 if at < parts.len() => drop(parts.splice(at..at, [parts[at].clone(), "..".to_owned()])),
                _ => parts.insert(at, (*u.choose(&PARTS)?).to_owned()),
            }
        }
        let start = if u.ratio(1, 12)? { "/" } else { "" };
        Ok(format!("{start}{}", parts.join("/")))
    }
}

/// What a path comes to.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Folder(String),
    File(String),
}

impl Case {
    /// Walks as a kernel would whose root is the project, and says where it ends, and whether by a
    /// link. None where there is nothing, or it leaves the project.
    fn walk(&self, path: &str) -> Option<(Found, bool)> {
        let mut at: Vec<String> = Vec::new();
        let mut left: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
        let mut follows = 0;
        while let Some(name) = left.pop() {
            match name.as_str() {
                "" | "." if self.is_folder(&at) => {}
                "" | "." => return None,
                ".." if self.is_folder(&at) => drop(at.pop()?),
                ".." => return None,
                name => {
                    if !self.is_folder(&at) {
                        return None;
                    }
                    at.push(name.to_owned());
                    if let Thing::Link(target) = self.things.get(&key(&at))? {
                        follows += 1;
                        if follows > FOLLOWS || target.starts_with('/') {
                            return None;
                        }
                        at.pop();
                        // A kernel wants a folder where a link says `x/`; the view is content with a
                        // file there, since it may be read as well.
                        let names = target.split('/').filter(|name| !["", "."].contains(name));
                        left.extend(names.rev().map(str::to_owned));
                    }
                }
            }
        }
        let place = at.join("/");
        let found = if self.is_folder(&at) { Found::Folder(place) } else { Found::File(place) };
        Some((found, follows > 0))
    }

    fn is_folder(&self, at: &[String]) -> bool {
        matches!(self.things.get(&key(at)), Some(Thing::Folder))
    }

    /// Whether a place may be read: the deepest grant that holds it decides what is hidden, if no deeper
    /// one is spelled like it.
    fn grants(&self, place: &str) -> bool {
        let names: Vec<String> = place.split('/').map(str::to_lowercase).collect();
        if names[0] == ".ringfence" {
            return false;
        }
        let grants = || self.grants.iter().map(|(path, mask)| (tidy(path), mask));
        let lies_in = |place: &str, grant: &str| {
            grant.is_empty() || place == grant || place.starts_with(&format!("{grant}/"))
        };
        let depth = |grant: &str| grant.split('/').filter(|name| !name.is_empty()).count();
        let Some((holder, mask)) =
            grants().filter(|(grant, _)| lies_in(place, grant)).max_by_key(|(grant, _)| depth(grant))
        else {
            return false;
        };
        // A deeper one that is spelled otherwise would have to decide where case doesn't count.
        let small = names.join("/");
        if grants().any(|(grant, _)| depth(&grant) > depth(&holder) && lies_in(&small, &grant.to_lowercase()))
        {
            return false;
        }
        let hidden = |name: &String| {
            [".env", ".git", "id_rsa"].contains(&name.as_str()) || Some(name) == mask.as_ref()
        };
        !names.iter().any(hidden)
    }

    /// Whether a folder is only the way to a grant.
    fn leads_to_a_grant(&self, place: &str) -> bool {
        place.is_empty() || self.grants.iter().any(|(path, _)| tidy(path).starts_with(&format!("{place}/")))
    }

    fn lay_out(&self, home: &Path) {
        for (path, thing) in &self.things {
            let at = home.join(path);
            match thing {
                Thing::Folder => fs::create_dir(at).unwrap(),
                // Each file says where it is.
                Thing::File => fs::write(at, path).unwrap(),
                Thing::Link(target) => symlink(if target.is_empty() { "." } else { target }, at).unwrap(),
            }
        }
    }
}

fn key(at: &[String]) -> String {
    std::iter::once("p").chain(at.iter().map(String::as_str)).collect::<Vec<_>>().join("/")
}

fn tidy(path: &str) -> String {
    path.split('/').filter(|name| !["", "."].contains(name)).collect::<Vec<_>>().join("/")
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the view waits for nothing"),
    }
}

/// One input. Panics where view and model disagree.
pub(crate) fn target(data: &[u8]) {
    let Ok(case) = Case::arbitrary(&mut Unstructured::new(data)) else { return };
    // In memory where there is such a place: this is done a thousand times in a second.
    let home = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    case.lay_out(home.path());
    let grant = |(path, mask): &(String, Option<String>)| {
        let mut grant = DirGrant::read(GrantPath::parse(path).unwrap());
        grant.masks.patterns = mask.iter().map(|mask| MaskPattern::parse(mask).unwrap()).collect();
        grant
    };
    let grants = Grants { dirs: case.grants.iter().map(grant).collect(), ..Grants::whole_project() };
    let walk = if case.by_name { Walk::ByName } else { Walk::Kernel };
    let project = ProjectDir::open(&home.path().join("p")).unwrap().walked(walk);
    // Twice, hidden, a link: nothing is granted then.
    let Ok(tree) = GrantedTree::open(&project, &grants) else { return };
    case.paths.iter().for_each(|path| check(&case, &tree, path));
}

fn check(case: &Case, tree: &Arc<GrantedTree>, path: &str) {
    let expected = case.walk(path);
    match (opened(tree, path), expected) {
        (Some((DescriptorType::Directory, _)), Some((Found::Folder(place), _))) => {
            assert!(
                case.grants(&place) || case.leads_to_a_grant(&place),
                "{path:?} opens the folder {place:?}: {case:?}"
            );
        }
        (Some((_, text)), Some((Found::File(place), _))) => {
            assert!(case.grants(&place), "{path:?} opens {place:?}: {case:?}");
            assert_eq!(text, format!("p/{place}"), "{path:?} reads another file: {case:?}");
        }
        (Some(found), expected) => panic!("{path:?} opens {found:?}, the model has {expected:?}: {case:?}"),
        (None, Some((Found::File(place), false))) if case.grants(&place) && all_seen(case, path) => {
            panic!("{path:?} is {place:?} and isn't opened: {case:?}")
        }
        (None, _) => {}
    }
}

/// Whether no folder on the way is hidden or outside of everything, since those aren't gone through.
fn all_seen(case: &Case, path: &str) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at);
    ends.filter_map(|end| path.get(..end)).all(|above| match case.walk(above.trim_start_matches('/')) {
        Some((Found::Folder(place), _)) => case.grants(&place) || case.leads_to_a_grant(&place),
        _ => false,
    })
}

/// Opens as `open(path, O_RDONLY)` does; the kind and, of a file, what is in it.
fn opened(tree: &Arc<GrantedTree>, path: &str) -> Option<(DescriptorType, String)> {
    let (mut view, mut table) = (View::new(tree.clone(), &Limits::default()), ResourceTable::new());
    let mut host = ViewHost::new(&mut view, &mut table);
    let (root, _) = preopens::Host::get_directories(&mut host).unwrap().pop().unwrap();
    let open = host.open_at(
        Resource::new_borrow(root.rep()),
        PathFlags::SYMLINK_FOLLOW,
        path.to_owned(),
        OpenFlags::empty(),
        DescriptorFlags::READ,
    );
    let found = ready(open).ok()?;
    let kind = ready(host.get_type(Resource::new_borrow(found.rep()))).ok()?;
    if kind != DescriptorType::RegularFile {
        return Some((kind, String::new()));
    }
    let (bytes, _) = ready(host.read(Resource::new_borrow(found.rep()), 1 << 16, 0)).ok()?;
    Some((kind, String::from_utf8(bytes).unwrap()))
}

/// Inputs to begin with.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as u8
    };
    (0..100).map(|_| (0..300).map(|_| byte()).collect()).collect()
}
