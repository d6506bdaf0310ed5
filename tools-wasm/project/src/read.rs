//! Reading a whole file of bounded size with as few calls to the host as will do.

use std::io::{self, Read};

/// Replaces what is in `buffer` by the file's content: `size` bytes as its metadata said, less
/// where it has become shorter. The buffer keeps its memory for the next file.
pub fn read_whole(file: &mut impl Read, size: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.resize(size, 0);
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(())
}
