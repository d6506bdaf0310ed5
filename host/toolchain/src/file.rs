//! Built files: their digest, and writing them whole or not at all.

use crate::error::BuildError;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Components are compressed once and read often.
const ZSTD_LEVEL: i32 = 19;

/// The BLAKE3 digest of these bytes, as it is written.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("blake3:{}", blake3::hash(bytes).to_hex())
}

/// The bytes compressed.
pub(crate) fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(bytes, ZSTD_LEVEL)
}

/// Writes beside the place and renames, so that a half-written file is never taken for a whole one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error: io::Error| BuildError::write(path, error);
    fs::create_dir_all(folder).map_err(failed)?;
    let mut part = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(failed)?;
    part.write_all(bytes).map_err(failed)?;
    part.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
