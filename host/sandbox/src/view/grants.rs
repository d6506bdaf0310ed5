//! The granted directories, opened once and shared by all calls under the same grants.

use super::beneath::{Handle, Walk};
use super::escape::from_os;
use super::node::Node;
use super::place::Place;
use super::policy::is_state_folder;
use super::project::ProjectDir;
use crate::digest::Digest;
use crate::grant::{Access, DirGrant, GrantPath, Grants};
use crate::mask::{MAX_MASKS, MaskError, MaskSet, Masks};
use crate::receipt::GrantedDir;
use rustix::fs::{AtFlags, FileType, OFlags, fstat, readlinkat, statat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::sync::Arc;
use thiserror::Error;

/// More directories than this can't be granted to one call.
const MAX_GRANTS: usize = 256;

/// One granted directory, open.
#[derive(Debug)]
pub(super) struct Granted {
    pub(super) place: Place,
    pub(super) access: Access,
    pub(super) masks: Arc<MaskSet>,
    pub(super) handle: Handle,
}

/// What the calls under one set of grants may see. Share it: it is opened once, and the handles
/// stay those of the folders that were granted, whatever is put at their places later.
#[derive(Debug)]
pub struct GrantedTree {
    project: ProjectDir,
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

/// A grant that can't be honoured. Nothing runs then.
#[derive(Debug, Error)]
pub enum GrantError {
    /// The folder isn't there.
    #[error(
        "`{grant}` can't be granted: there is no `{missing}` in the project; create it or leave the grant out"
    )]
    Missing {
        /// The grant.
        grant: GrantPath,
        /// The part of it that isn't there.
        missing: String,
    },
    /// It is, or leads through, something else than a folder.
    #[error("`{grant}` can't be granted: `{at}` is not a folder; grant the folder that holds it")]
    NotAFolder {
        /// The grant.
        grant: GrantPath,
        /// What is no folder.
        at: String,
    },
    /// It is, or leads through, a link.
    #[error(
        "`{grant}` can't be granted: `{at}` is a link to `{target}`; grant the folder it leads to by its own \
         path, if that is inside the project"
    )]
    Link {
        /// The grant.
        grant: GrantPath,
        /// The link.
        at: String,
        /// What it says.
        target: String,
    },
    /// It's there twice.
    #[error("`{0}` is granted twice; keep one of the two grants")]
    Twice(GrantPath),
    /// Two paths lead to one folder (case is ignored here, or it's mounted twice).
    #[error("`{one}` and `{other}` are the same folder; grant it once")]
    SameFolder {
        /// One of them.
        one: String,
        /// The other.
        other: GrantPath,
    },
    /// Ringfence's own folder.
    #[error("`{0}` can't be granted: `.ringfence` is Ringfence's own folder and hidden from every tool")]
    StateFolder(GrantPath),
    /// A mask hides it.
    #[error(
        "`{grant}` can't be granted: the mask `{mask}` of `{of}` hides `{at}`; the mask `!/{at}`, in your own \
         configuration or with --mask, shows it"
    )]
    Masked {
        /// The grant.
        grant: GrantPath,
        /// The pattern.
        mask: String,
        /// What it hides: the grant, or a folder on the way to it.
        at: String,
        /// The grant that the pattern belongs to: the same, or one that holds it.
        of: GrantPath,
    },
    /// More masks than a grant may have.
    #[error(
        "`{grant}` has {count} masks, {MAX_MASKS} at most are possible; let one pattern fit several names"
    )]
    TooManyMasks {
        /// The grant.
        grant: GrantPath,
        /// How many.
        count: usize,
    },
    /// Masks that can't be used.
    #[error("the masks of `{grant}` can't be used: {source}")]
    Masks {
        /// The grant.
        grant: GrantPath,
        /// What is wrong.
        source: MaskError,
    },
    /// The system refuses.
    #[error("`{grant}` can't be granted: {source}; check the folder's permissions")]
    Unreadable {
        /// The grant.
        grant: GrantPath,
        /// What the system said.
        source: std::io::Error,
    },
    /// Deeper or longer than any path of a guest may be.
    #[error("`{0}` can't be granted: it has more than 256 names or 4,096 bytes")]
    TooLong(GrantPath),
    /// Too many.
    #[error(
        "{0} directories are granted, {MAX_GRANTS} at most are possible; grant a folder that holds several of them"
    )]
    TooMany(usize),
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
        let mut identities: Vec<(u64, u64)> = Vec::with_capacity(grants.dirs.len());
        let mut masks = ReadyMasks::default();
        for grant in &grants.dirs {
            let (one, identity) = open_grant(project, grant, masks.of(grant)?)?;
            if granted.iter().any(|other| other.place == one.place) {
                return Err(GrantError::Twice(grant.path.clone()));
            }
            if let Some(same) = identities.iter().position(|other| *other == identity) {
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

    pub(super) fn walk(&self) -> Walk {
        self.project.walk
    }

    /// What a guest finds at `/`.
    pub(super) fn root(&self) -> Node {
        let place = Place::root();
        match self.holder(&place) {
            Some(granted) => Node::Folder { place, handle: granted.handle.clone() },
            None => Node::Bare(place),
        }
    }

    /// The deepest grant that holds a place.
    pub(super) fn holder(&self, place: &Place) -> Option<&Granted> {
        self.granted.iter().find(|g| place.below(&g.place).is_some())
    }

    /// What hides things at a place.
    pub(super) fn masks(&self, place: &Place) -> &Arc<MaskSet> {
        self.holder(place).map_or(&self.usual_masks, |granted| &granted.masks)
    }

    /// Whether there is nothing but the way to a grant at a place that no grant holds.
    pub(super) fn is_bare(&self, place: &Place) -> bool {
        place.is_root() || self.granted.iter().any(|g| g.place.below(place).is_some())
    }

    /// The names in a bare folder, in order.
    pub(super) fn bare_names(&self, place: &Place) -> BTreeSet<&str> {
        let ways = self.granted.iter().filter_map(|g| g.place.below(place));
        ways.filter_map(|way| way.split('/').next()).filter(|name| !name.is_empty()).collect()
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
                && let Some(hidden) = outer.masks.hides(inner.place.as_str())
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

fn open_grant(
    project: &ProjectDir,
    grant: &DirGrant,
    masks: Arc<MaskSet>,
) -> Result<(Granted, (u64, u64)), GrantError> {
    let mut place = Place::root();
    for name in grant.path.names() {
        place.push(&from_os(name.as_bytes())).map_err(|_| GrantError::TooLong(grant.path.clone()))?;
    }
    if is_state_folder(place.as_str()) {
        return Err(GrantError::StateFolder(grant.path.clone()));
    }
    let way = if place.is_root() { "." } else { place.as_str() };
    let handle = project
        .walk
        .open(&project.handle, way, OFlags::RDONLY | OFlags::DIRECTORY)
        .map_err(|errno| explain(project, grant, errno))?;
    let stat = fstat(&handle).map_err(|errno| explain(project, grant, errno))?;
    let granted = Granted { place, access: grant.access, masks, handle: Arc::new(handle) };
    Ok((granted, (stat.st_dev, stat.st_ino)))
}

/// Finds the name on a grant's path that is to blame.
fn explain(project: &ProjectDir, grant: &DirGrant, errno: Errno) -> GrantError {
    let path = grant.path.clone();
    let mut at = String::new();
    for name in grant.path.names() {
        if !at.is_empty() {
            at.push('/');
        }
        at.push_str(name);
        let kind = match statat(&project.handle, at.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => FileType::from_raw_mode(stat.st_mode),
            Err(Errno::NOENT) => return GrantError::Missing { grant: path, missing: at },
            Err(errno) => return GrantError::Unreadable { grant: path, source: errno.into() },
        };
        match kind {
            FileType::Directory => {}
            FileType::Symlink => {
                let target = readlinkat(&project.handle, at.as_str(), Vec::new())
                    .map(|text| text.to_string_lossy().into_owned())
                    .unwrap_or_default();
                return GrantError::Link { grant: path, at, target };
            }
            _ => return GrantError::NotAFolder { grant: path, at },
        }
    }
    GrantError::Unreadable { grant: path, source: errno.into() }
}
