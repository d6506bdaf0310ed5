//! The folder with compiled code.
//!
//! Owns: a folder that only this user writes, and files in it that are exactly what was written. A
//! file that isn't (another owner, a link, loose permissions, a wrong length or hash, another name)
//! is never given out; what it held is made again and replaces it. Doesn't own: what is compiled
//! and when (`sandbox`), loading it (`trusted_code`).
//!
//! A file is the content and a trailer: a magic word, the content's length, and a BLAKE3 hash over
//! the file's name and the content. The trailer comes last because wasmtime maps the file from its
//! beginning.

use crate::digest::Digest;
use crate::trusted_code::TrustedCode;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use thiserror::Error;

const MAGIC: &[u8; 16] = b"ringfence-cache1";
const TRAILER_BYTES: usize = MAGIC.len() + 8 + 32;
/// All files together; the oldest go first.
const TOTAL_BYTES: u64 = 2 << 30;
/// Text files (definitions) are read whole.
const TEXT_BYTES: u64 = 16 << 20;
const ABANDONED: Duration = Duration::from_secs(3600);

/// Why a folder can't hold compiled code: someone else could put code into it.
#[derive(Debug, Error)]
pub enum CacheRefused {
    /// Not a folder, or a link to one.
    #[error("{path}: the cache must be a folder and not a link; remove it or name another folder")]
    NotAFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Another user's.
    #[error("{path}: the cache folder belongs to user {owner}, not to you; name another folder")]
    OtherOwner {
        /// The folder.
        path: PathBuf,
        /// The owner's user id.
        owner: u32,
    },
    /// Group or world may write.
    #[error("{path}: others can write to the cache folder (mode {mode:o}); run `chmod go-w {path}`")]
    WritableByOthers {
        /// The folder.
        path: PathBuf,
        /// Permission bits.
        mode: u32,
    },
}

/// What opening a cache folder can come to besides success.
#[derive(Debug, Error)]
pub enum CacheError {
    /// It must not be used.
    #[error(transparent)]
    Refused(#[from] CacheRefused),
    /// It can't be used, for instance because nothing can be written there.
    #[error("{path}: {source}")]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A private folder with compiled code.
#[derive(Debug)]
pub struct CodeCache {
    folder: OwnedFd,
    path: PathBuf,
    warned: AtomicBool,
}

/// The name of one file in the cache: hex digits, a dot, a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CacheName(String);

impl CacheName {
    /// The code of a component, compiled with these settings.
    pub(crate) fn code(component: Digest, compatibility: Digest) -> Self {
        let settings: String = compatibility.hex().chars().take(32).collect();
        Self(format!("{}-{settings}.code", component.hex()))
    }

    /// The definitions of a component's tools, as this version of the crate reads them.
    pub(crate) fn definitions(component: Digest, version: Digest) -> Self {
        let version: String = version.hex().chars().take(32).collect();
        Self(format!("{}-{version}.tools", component.hex()))
    }
}

impl CodeCache {
    /// Opens the folder, making it (mode 0700) where it's missing.
    pub fn open(path: &Path) -> Result<Self, CacheError> {
        let unusable = |source: io::Error| CacheError::Unusable { path: path.to_owned(), source };
        make_private_folder(path).map_err(unusable)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => {
                return Err(CacheRefused::NotAFolder { path: path.to_owned() }.into());
            }
            Err(error) => return Err(unusable(error.into())),
        };
        let stat = rustix::fs::fstat(&folder).map_err(|error| unusable(error.into()))?;
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(CacheRefused::OtherOwner { path: path.to_owned(), owner: stat.st_uid }.into());
        }
        if stat.st_mode & 0o022 != 0 {
            let mode = stat.st_mode & 0o7777;
            return Err(CacheRefused::WritableByOthers { path: path.to_owned(), mode }.into());
        }
        Ok(Self { folder, path: path.to_owned(), warned: AtomicBool::new(false) })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is a file of this name; whether it is sound shows when it's loaded.
    pub(crate) fn has(&self, name: &CacheName) -> bool {
        rustix::fs::statat(&self.folder, &name.0, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Compiled code; none where there is none that is exactly ours.
    /// `of` is what a warning calls the component.
    pub(crate) fn code(&self, name: &CacheName, of: &str) -> Option<TrustedCode> {
        match self.open_checked(name, u64::MAX) {
            Ok(checked) => Some(TrustedCode::unchanged(checked?.file)),
            Err(why) => {
                let file = self.path.join(&name.0);
                let of = of.escape_debug();
                tracing::warn!(file = %file.display(), why, "cached code for {of} was not what was written; compiling it again");
                None
            }
        }
    }

    /// A text; none where there is none that is exactly ours.
    /// `of` is what a warning calls the component.
    pub(crate) fn text(&self, name: &CacheName, of: &str) -> Option<String> {
        let mut checked = match self.open_checked(name, TEXT_BYTES) {
            Ok(checked) => checked?,
            Err(why) => {
                let file = self.path.join(&name.0);
                let of = of.escape_debug();
                tracing::warn!(file = %file.display(), why, "cached definitions for {of} were not what was written; reading them again");
                return None;
            }
        };
        checked.file.seek(SeekFrom::Start(0)).ok()?;
        let mut text = String::new();
        checked.file.take(checked.content_bytes).read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// Keeps a content. That it can't be kept is no obstacle: it is said once, as a warning.
    pub(crate) fn store(&self, name: &CacheName, content: &[u8]) {
        self.make_room(content.len() as u64);
        if let Err(error) = self.write_whole(name, content)
            && !self.warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(folder = %self.path.display(), %error, "compiled code can't be kept; it will be compiled again next time");
        }
    }

    fn write_whole(&self, name: &CacheName, content: &[u8]) -> io::Result<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let temporary =
            format!("{}.{}.{}.tmp", name.0, std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        // A name that a crashed process left behind is in the way of O_EXCL.
        let _ = rustix::fs::unlinkat(&self.folder, &temporary, AtFlags::empty());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let written = rustix::fs::openat(&self.folder, &temporary, flags, mode)
            .map_err(io::Error::from)
            .and_then(|file| {
                let mut file = File::from(file);
                file.write_all(content)?;
                file.write_all(&trailer(name, content))?;
                rustix::fs::renameat(&self.folder, &temporary, &self.folder, &name.0)?;
                Ok(())
            });
        if written.is_err() {
            let _ = rustix::fs::unlinkat(&self.folder, &temporary, AtFlags::empty());
        }
        written
    }

    /// Opens a file, if there is one, and makes sure that it is what was written under this name.
    fn open_checked(&self, name: &CacheName, most_bytes: u64) -> Result<Option<Checked>, String> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.folder, &name.0, flags, Mode::empty()) {
            Ok(file) => check(File::from(file), name, most_bytes).map(Some),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(format!("it can't be opened: {error}")),
        }
    }

    /// Removes what crashed writers left, and the oldest files where all are too large together.
    fn make_room(&self, coming: u64) {
        let Ok(entries) = std::fs::read_dir(&self.path) else { return };
        let now = SystemTime::now();
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in entries.flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let Ok(modified) = meta.modified() else { continue };
            let path = entry.path();
            let kind = path.extension().and_then(OsStr::to_str);
            let age = now.duration_since(modified).unwrap_or_default();
            match kind {
                Some("tmp") if age > ABANDONED => drop(std::fs::remove_file(&path)),
                Some("code" | "tools") => files.push((modified, meta.len(), path)),
                _ => {}
            }
        }
        let mut total = files.iter().map(|(_, len, _)| len).sum::<u64>().saturating_add(coming);
        files.sort();
        for (_, len, path) in files {
            if total <= TOTAL_BYTES {
                break;
            }
            if std::fs::remove_file(&path).is_ok() {
                total = total.saturating_sub(len);
            }
        }
    }
}

/// A file that is exactly what was written under its name.
struct Checked {
    file: File,
    content_bytes: u64,
}

fn check(mut file: File, name: &CacheName, most_bytes: u64) -> Result<Checked, String> {
    let failed = |error: io::Error| format!("it can't be read: {error}");
    let stat = rustix::fs::fstat(&file).map_err(|error| failed(error.into()))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err("it is no regular file".into());
    }
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(format!("it belongs to user {}", stat.st_uid));
    }
    if stat.st_mode & 0o022 != 0 {
        return Err(format!("others can write to it (mode {:o})", stat.st_mode & 0o7777));
    }
    if stat.st_nlink != 1 {
        return Err("it has a second name".into());
    }
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    let Some(content_bytes) = size.checked_sub(TRAILER_BYTES as u64).filter(|len| *len <= most_bytes) else {
        return Err(format!("it has {size} bytes"));
    };
    let mut hasher = named_hasher(name);
    let mut buffer = vec![0; 256 << 10];
    let mut left = content_bytes;
    while left > 0 {
        let chunk = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let (part, _) = buffer.split_at_mut(chunk);
        file.read_exact(part).map_err(failed)?;
        hasher.update(part);
        left -= chunk as u64;
    }
    let mut end = Vec::new();
    (&mut file).take(TRAILER_BYTES as u64 + 1).read_to_end(&mut end).map_err(failed)?;
    if end == make_trailer(content_bytes, &hasher) {
        Ok(Checked { file, content_bytes })
    } else {
        Err("its content has changed".into())
    }
}

fn named_hasher(name: &CacheName) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(name.0.as_bytes()).update(b"\0");
    hasher
}

fn trailer(name: &CacheName, content: &[u8]) -> Vec<u8> {
    let mut hasher = named_hasher(name);
    hasher.update(content);
    make_trailer(content.len() as u64, &hasher)
}

fn make_trailer(content_bytes: u64, hasher: &blake3::Hasher) -> Vec<u8> {
    [MAGIC.as_slice(), &content_bytes.to_le_bytes(), hasher.finalize().as_bytes()].concat()
}

fn make_private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    match std::fs::symlink_metadata(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
        }
        Err(error) => Err(error),
    }
}
