//! Reading what strangers wrote: ordinary files of a bounded length, and nothing that never ends.

use rustix::fs::{FileType, Mode, OFlags, fstat};
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::os::fd::OwnedFd;
use std::path::Path;

/// Of a file that is written by hand (settings, cases, WIT), in bytes.
pub const MAX_TEXT: u64 = 1 << 20;

/// Reads an ordinary file of at most `most` bytes. A pipe or a device is an error at once: opening and
/// reading it doesn't wait for anybody.
pub fn read_ordinary(path: &Path, most: u64) -> Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    read_opened(rustix::fs::open(path, flags, Mode::empty())?, most)
}

/// The same of an open file, which was opened with `O_NONBLOCK`.
pub fn read_opened(file: OwnedFd, most: u64) -> Result<Vec<u8>> {
    if FileType::from_raw_mode(fstat(&file)?.st_mode) != FileType::RegularFile {
        return Err(Error::other("it is not an ordinary file"));
    }
    let mut bytes = Vec::new();
    // The length that the system tells may be wrong: the file may grow, or be one of the kernel's.
    File::from(file).take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// The text of such a file, of at most [`MAX_TEXT`] bytes.
pub fn read_text(path: &Path) -> Result<String> {
    text(read_ordinary(path, MAX_TEXT)?)
}

/// These bytes as text.
pub fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A named pipe that nobody writes to.
    pub(crate) fn pipe(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }

    #[test]
    fn only_an_ordinary_file_within_the_limit_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let (file, fifo) = (dir.path().join("file"), dir.path().join("pipe"));
        std::fs::write(&file, "four").unwrap();
        pipe(&fifo);
        assert_eq!(read_ordinary(&file, 4).unwrap(), b"four");
        assert_eq!(read_ordinary(&file, 3).unwrap_err().to_string(), "it has more than 3 bytes");
        for strange in [&*fifo, dir.path(), Path::new("/dev/zero")] {
            let said = read_ordinary(strange, 10).unwrap_err().to_string();
            assert_eq!(said, "it is not an ordinary file", "{}", strange.display());
        }
        let missing = read_ordinary(&dir.path().join("none"), 10).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        std::fs::write(&file, [0xff]).unwrap();
        assert_eq!(read_text(&file).unwrap_err().to_string(), "it is not UTF-8 text");
    }
}
