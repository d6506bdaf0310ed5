//! Why a grant can't be honoured, in words that say what to do.

use super::grants::MAX_GRANTS;
use super::project::ProjectDir;
use crate::grant::GrantPath;
use crate::mask::{MAX_MASKS, MaskError};
use rustix::fs::{AtFlags, FileType, readlinkat, statat};
use rustix::io::Errno;
use thiserror::Error;

/// A grant that can't be honoured. Nothing runs then.
#[derive(Debug, Error)]
pub enum GrantError {
    /// It isn't there.
    #[error(
        "`{grant}` can't be granted: there is no `{missing}` in the project; create it or leave the grant out"
    )]
    Missing {
        /// The grant.
        grant: GrantPath,
        /// The part of it that isn't there.
        missing: String,
    },
    /// It leads through something else than a folder.
    #[error("`{grant}` can't be granted: `{at}` is not a folder; grant the folder that holds it")]
    NotAFolder {
        /// The grant.
        grant: GrantPath,
        /// What is no folder.
        at: String,
    },
    /// It is neither a folder nor a regular file.
    #[error("`{0}` can't be granted: it is a pipe, socket or device; only folders and files can be")]
    Special(GrantPath),
    /// It is, or leads through, a link.
    #[error(
        "`{grant}` can't be granted: `{at}` is a link to `{target}`; grant what it leads to by its own \
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
    #[error("`{grant}` can't be granted: {source}; check its permissions")]
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
        "{0} folders and files are granted, {MAX_GRANTS} at most are possible; grant a folder that holds several of them"
    )]
    TooMany(usize),
}

impl GrantError {
    /// Finds the name on a grant's path that is to blame.
    pub(super) fn explain(project: &ProjectDir, grant: &GrantPath, errno: Errno) -> Self {
        let path = grant.clone();
        let mut at = String::new();
        let mut names = grant.names().iter().peekable();
        while let Some(name) = names.next() {
            if !at.is_empty() {
                at.push('/');
            }
            at.push_str(name);
            let kind = match statat(&project.handle, at.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(Errno::NOENT) => return Self::Missing { grant: path, missing: at },
                Err(errno) => return Self::Unreadable { grant: path, source: errno.into() },
            };
            match kind {
                FileType::Directory => {}
                FileType::Symlink => {
                    let target = readlinkat(&project.handle, at.as_str(), Vec::new())
                        .map(|text| text.to_string_lossy().into_owned())
                        .unwrap_or_default();
                    return Self::Link { grant: path, at, target };
                }
                FileType::RegularFile if names.peek().is_none() => {}
                _ if names.peek().is_none() => return Self::Special(path),
                _ => return Self::NotAFolder { grant: path, at },
            }
        }
        Self::Unreadable { grant: path, source: errno.into() }
    }
}
