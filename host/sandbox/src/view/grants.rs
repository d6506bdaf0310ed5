//! The granted folders and files, opened once and shared by all calls under the same grants.

use super::beneath::{Handle, Walk, look};
use super::escape::from_os;
use super::grant_error::GrantError;
use super::node::Node;
use super::place::Place;
use super::policy::is_state_folder;
use super::project::ProjectDir;
use crate::digest::Digest;
use crate::grant::{Access, DirGrant, GrantPath, Grants};
use crate::mask::{MAX_MASKS, MaskSet, Masks, lies_in, likeness};
use crate::receipt::GrantedDir;
use rustix::fs::{FileType, OFlags, Stat, fstat};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// More than this can't be granted to one call.
pub(super) const MAX_GRANTS: usize = 256;

/// What is kept open for a grant.
#[derive(Debug)]
pub(super) enum Held {
    /// The folder itself.
    Folder(Handle),
    /// Of a single file, the folder that holds it: what the guest opens is what is at its name
    /// then, if that is a regular file still. Editors replace files when they save them.
    File {
        /// Nothing else in it is to be seen.
        parent: Handle,
        /// The file's.
        name: String,
    },
}

/// A folder's device and number.
type Identity = (u64, u64);

/// One grant, open.
#[derive(Debug)]
pub(super) struct Granted {
    pub(super) place: Place,
    /// What all spellings of its place have in common that some file system takes for one.
    likeness: String,
    pub(super) access: Access,
    pub(super) masks: Arc<MaskSet>,
    pub(super) held: Held,
}

/// What the calls under one set of grants may see. Share it: it is opened once, and the handles
/// stay those of the folders that were granted, whatever is put at their places later.
#[derive(Debug)]
pub struct GrantedTree {
    pub(super) project: ProjectDir,
    /// As they were given.
    grants: Grants,
    digest: Digest,
    /// As they were given, with the digests of what is hidden in them.
    dirs: Vec<GrantedDir>,
    /// Deepest first.
    granted: Vec<Granted>,
    /// What a grant hides that says nothing of masks.
    pub(super) usual_masks: Arc<MaskSet>,
    /// Whether places are judged at all; only this crate's own tests may say no.
    #[cfg(test)]
    pub(super) judged: bool,
}

impl GrantedTree {
    /// Opens what is granted, each folder below the project's handle and through no link.
    pub fn open(project: &ProjectDir, grants: &Grants) -> Result<Arc<Self>, GrantError> {
        Ok(Arc::new(Self::build(project, grants)?))
    }

    /// A tree whose places aren't judged: only the handles hold.
    #[cfg(test)]
    pub(super) fn open_unjudged(project: &ProjectDir, grants: &Grants) -> Result<Arc<Self>, GrantError> {
        Ok(Arc::new(Self { judged: false, ..Self::build(project, grants)? }))
    }

    fn build(project: &ProjectDir, grants: &Grants) -> Result<Self, GrantError> {
        if grants.dirs.len() > MAX_GRANTS {
            return Err(GrantError::TooMany(grants.dirs.len()));
        }
        let mut granted: Vec<Granted> = Vec::with_capacity(grants.dirs.len());
        let mut identities: Vec<Option<Identity>> = Vec::with_capacity(grants.dirs.len());
        let mut masks = ReadyMasks::default();
        for grant in &grants.dirs {
            let masks = masks.of(grant)?;
            let (place, held, identity) = open_grant(project, grant)?;
            let likeness = likeness(place.as_str()).into_owned();
            let one = Granted { place, likeness, access: grant.access, masks, held };
            if granted.iter().any(|other| other.place == one.place) {
                return Err(GrantError::Twice(grant.path.clone()));
            }
            if let Some(same) = identities.iter().position(|other| identity.is_some() && *other == identity) {
                let one = granted.get(same).map(|g| g.place.shown().to_owned()).unwrap_or_default();
                return Err(GrantError::SameFolder { one, other: grant.path.clone() });
            }
            granted.push(one);
            identities.push(identity);
        }
        none_hidden(&granted, grants)?;
        let dirs = grants.dirs.iter().zip(&granted).map(|(grant, opened)| GrantedDir {
            path: grant.path.clone(),
            access: grant.access,
            masks: opened.masks.digest(),
        });
        let dirs = dirs.collect();
        let usual = DirGrant::read(GrantPath::root());
        let usual_masks = masks.of(&usual)?;
        granted.sort_by_key(|g| std::cmp::Reverse(g.place.depth()));
        Ok(Self {
            project: project.clone(),
            grants: grants.clone(),
            digest: grants.digest(),
            dirs,
            granted,
            usual_masks,
            #[cfg(test)]
            judged: true,
        })
    }

    /// The grants that this was opened for.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// The granted directories, as a receipt has them.
    pub fn dirs(&self) -> &[GrantedDir] {
        &self.dirs
    }

    /// The digest of these grants.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Where the project is on the host, as the user knows it.
    pub(crate) fn project_path(&self) -> &std::path::Path {
        self.project.path()
    }

    /// A tree of the same project in which nothing is granted.
    pub(crate) fn bare(&self) -> Result<Arc<Self>, GrantError> {
        let grants = Grants {
            dirs: Vec::new(),
            hosts: Vec::new(),
            secrets: Vec::new(),
            env: BTreeSet::new(),
            settings: BTreeMap::new(),
            entropy: false,
            deterministic: false,
            limits: self.grants.limits.clone(),
        };
        Self::open(&self.project, &grants)
    }

    pub(super) fn walk(&self) -> Walk {
        self.project.walk
    }

    /// What a guest finds at `/`.
    pub(super) fn root(&self) -> Node {
        let place = Place::root();
        match self.holder(&place).map(|granted| &granted.held) {
            Some(Held::Folder(handle)) => Node::Folder { place, handle: handle.clone() },
            Some(Held::File { .. }) | None => Node::Bare(place),
        }
    }

    /// The deepest grant that holds a place.
    pub(super) fn holder(&self, place: &Place) -> Option<&Granted> {
        self.granted.iter().find(|g| place.below(&g.place).is_some())
    }

    /// Whether a deeper grant than this holder may hold a place under another spelling of its name:
    /// where names that differ in case are one folder's, that grant would have to decide.
    pub(super) fn may_be_held_deeper(&self, place: &Place, holder: &Granted) -> bool {
        let mut deeper =
            self.granted.iter().take_while(|g| g.place.depth() > holder.place.depth()).peekable();
        if deeper.peek().is_none() {
            return false;
        }
        let likeness = likeness(place.as_str());
        deeper.any(|g| lies_in(&likeness, &g.likeness))
    }

    /// What hides things at a place.
    pub(super) fn masks(&self, place: &Place) -> &Arc<MaskSet> {
        self.holder(place).map_or(&self.usual_masks, |granted| &granted.masks)
    }

    /// Whether there is nothing but the way to a grant at a place that no grant holds.
    pub(super) fn is_bare(&self, place: &Place) -> bool {
        place.is_root() || self.granted.iter().any(|g| g.place.below(place).is_some())
    }

    /// Whether a place is what is granted, or a grant lies in it, in any spelling of its name.
    pub(super) fn has_grant_at_or_below(&self, place: &Place) -> bool {
        let likeness = likeness(place.as_str());
        self.granted.iter().any(|g| lies_in(&g.likeness, &likeness))
    }

    /// The names in a bare folder, in order, each with whether it is a granted file.
    pub(super) fn bare_names(&self, place: &Place) -> BTreeMap<&str, bool> {
        let ways = self.granted.iter().filter_map(|g| Some((g.place.below(place)?, &g.held)));
        let names = ways.map(|(way, held)| match way.split_once('/') {
            Some((name, _)) => (name, false),
            None => (way, matches!(held, Held::File { .. })),
        });
        names.filter(|(name, _)| !name.is_empty()).collect()
    }
}

/// Masks made ready; most grants have the same.
#[derive(Default)]
struct ReadyMasks(Vec<(Masks, Arc<MaskSet>)>);

impl ReadyMasks {
    fn of(&mut self, grant: &DirGrant) -> Result<Arc<MaskSet>, GrantError> {
        if let Some((_, ready)) = self.0.iter().find(|(masks, _)| *masks == grant.masks) {
            return Ok(ready.clone());
        }
        let count = grant.masks.patterns.len();
        if count > MAX_MASKS {
            return Err(GrantError::TooManyMasks { grant: grant.path.clone(), count });
        }
        let ready = MaskSet::new(&grant.masks)
            .map_err(|source| GrantError::Masks { grant: grant.path.clone(), source })?;
        let ready = Arc::new(ready);
        self.0.push((grant.masks.clone(), ready.clone()));
        Ok(ready)
    }
}

/// No grant may be hidden, by its own masks or those of one that holds it: it could be reached by
/// one way and not by another. In the order of `grants`.
fn none_hidden(granted: &[Granted], grants: &Grants) -> Result<(), GrantError> {
    for (inner, grant) in granted.iter().zip(&grants.dirs) {
        for (outer, of) in granted.iter().zip(&grants.dirs) {
            if inner.place.below(&outer.place).is_some()
                && let Some(hidden) = outer.masks.hides(inner.place.as_str(), 0)
            {
                let at: Vec<_> = inner.place.names().take(hidden.depth).collect();
                return Err(GrantError::Masked {
                    grant: grant.path.clone(),
                    mask: hidden.by.to_string(),
                    at: at.join("/"),
                    of: of.path.clone(),
                });
            }
        }
    }
    Ok(())
}

/// Opens what is granted; a folder with its identity on the disk.
fn open_grant(project: &ProjectDir, grant: &DirGrant) -> Result<(Place, Held, Option<Identity>), GrantError> {
    let mut place = Place::root();
    for name in grant.path.names() {
        place.push(&from_os(name.as_bytes())).map_err(|_| GrantError::TooLong(grant.path.clone()))?;
    }
    if is_state_folder(place.as_str()) {
        return Err(GrantError::StateFolder(grant.path.clone()));
    }
    let way = if place.is_root() { "." } else { place.as_str() };
    let opened = project.walk.open(&project.handle, way, OFlags::RDONLY | OFlags::DIRECTORY);
    let held = match opened {
        Ok(handle) => {
            fstat(&handle).map(|stat| (Held::Folder(Arc::new(handle)), Some((stat.st_dev, stat.st_ino))))
        }
        Err(Errno::NOTDIR) => open_file(project, &place).map(|held| (held, None)),
        Err(errno) => Err(errno),
    };
    let (held, identity) = held.map_err(|errno| GrantError::explain(project, &grant.path, errno))?;
    Ok((place, held, identity))
}

/// Makes sure of a regular file that can be read, and keeps the folder that holds it.
fn open_file(project: &ProjectDir, place: &Place) -> Result<Held, Errno> {
    let (folders, name) = place.as_str().rsplit_once('/').unwrap_or((".", place.as_str()));
    let parent = project.walk.folder(&project.handle, folders)?;
    let is_file = |stat: &Stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    if !look(&parent, name)?.as_ref().is_some_and(is_file) {
        return Err(Errno::NOTDIR);
    }
    project.walk.open(&parent, name, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
    Ok(Held::File { parent: Arc::new(parent), name: name.to_owned() })
}
