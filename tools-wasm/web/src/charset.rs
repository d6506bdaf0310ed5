//! From bytes to text: by byte-order mark, header, `<meta>`, or what fits.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How much of a page is looked through for its own word on its encoding.
const HEAD: usize = 4096;

/// The bytes as text. `truncated`: whether they may end inside a character.
pub(crate) fn decode(bytes: &[u8], charset: Option<&str>, html: bool, truncated: bool) -> String {
    let declared = charset
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| html.then(|| declared_in(bytes)).flatten());
    let encoding = declared.unwrap_or_else(|| if is_utf_8(bytes, truncated) { UTF_8 } else { WINDOWS_1252 });
    let (text, _, _) = encoding.decode(bytes);
    let mut text = text.into_owned();
    if truncated && text.ends_with(char::REPLACEMENT_CHARACTER) {
        text.pop();
    }
    text
}

fn is_utf_8(bytes: &[u8], truncated: bool) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => truncated && error.error_len().is_none(),
    }
}

/// What `<meta charset=…>` or `<meta http-equiv … content="…; charset=…">` says. A page that can be
/// read so far isn't in UTF-16, whatever it says.
fn declared_in(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..HEAD).unwrap_or(bytes).to_ascii_lowercase();
    let mut rest = head.as_slice();
    while let Some(at) = find(rest, b"charset") {
        rest = rest.get(at + b"charset".len()..).unwrap_or_default();
        let Some(value) = rest.trim_ascii_start().strip_prefix(b"=") else { continue };
        let value = value.trim_ascii_start();
        let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
        let end = value.iter().position(|b| !b.is_ascii_alphanumeric() && !b"-_:.".contains(b));
        let label = value.get(..end.unwrap_or(value.len())).unwrap_or_default();
        if let Some(encoding) = Encoding::for_label(label) {
            return Some(encoding.output_encoding());
        }
    }
    None
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}
