//! Commands that are printed to be copied.

use std::ffi::OsStr;

/// The word as a shell reads it back: bare where it can be, else in single quotes.
pub fn quote(word: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:,=+@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(bare) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of a command, quoted where needed.
pub fn command<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> String {
    let quoted: Vec<_> = words.into_iter().map(|word| quote(&word.as_ref().to_string_lossy())).collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_a_shell_would_misread_them() {
        assert_eq!(
            command(["ringfence", "run", "./a-b", "--max-time=1h"]),
            "ringfence run ./a-b --max-time=1h"
        );
        assert_eq!(quote(""), "''");
        assert_eq!(quote("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quote("分析"), "'分析'");
    }
}
