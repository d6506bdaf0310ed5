//! Places in text, and text cut to size.

/// A text with its lines, to tell where a byte is.
#[derive(Debug)]
pub(super) struct Text<'t> {
    pub(super) all: &'t str,
    /// Where each line starts.
    starts: Vec<usize>,
}

impl<'t> Text<'t> {
    pub(super) fn new(all: &'t str) -> Self {
        let breaks = all.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { all, starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// The line of a byte, from 1.
    pub(super) fn line_of(&self, byte: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= byte)).unwrap_or(u32::MAX).max(1)
    }

    /// Lines with their numbers, without line ends.
    pub(super) fn lines(&self) -> impl Iterator<Item = (u32, &'t str)> {
        (1..).zip(self.all.lines())
    }

    /// What stands on a line, trimmed and cut.
    pub(super) fn shown(&self, line: u32) -> String {
        let text = self.all.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        cut(text.trim(), 120)
    }
}

/// A text in one line, cut at so many bytes.
pub(super) fn cut(text: &str, most: usize) -> String {
    let one: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain: String = one.chars().filter(|c| !c.is_control()).collect();
    if plain.len() <= most {
        return plain;
    }
    let end = (0..=most).rev().find(|at| plain.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", plain.get(..end).unwrap_or_default())
}

/// What stands between the first pair of quotes.
pub(super) fn quoted(text: &str) -> Option<&str> {
    let open = text.find(['"', '\''])?;
    let quote = text.as_bytes().get(open).copied()? as char;
    let rest = text.get(open + 1..)?;
    rest.get(..rest.find(quote)?)
}
