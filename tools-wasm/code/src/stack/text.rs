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
        let at = line.saturating_sub(1) as usize;
        let start = self.starts.get(at).copied().unwrap_or(self.all.len());
        let end = self.starts.get(at + 1).copied().unwrap_or(self.all.len());
        cut(self.all.get(start..end).unwrap_or_default().trim(), 120)
    }
}

/// A text in one line, cut at so many bytes.
pub(super) fn cut(text: &str, most: usize) -> String {
    // Of a line of megabytes only the beginning is looked at: blanks take most of it at worst.
    let head = (0..=text.len().min(most * 8)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let text = text.get(..head).unwrap_or_default();
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

/// All quoted texts of a line, each with what comes after it.
pub(super) fn all_quoted(line: &str) -> Vec<(&str, &str)> {
    let (mut rest, mut all) = (line, Vec::new());
    while let Some(open) = rest.find(['"', '\''])
        && let Some(one) = quoted(rest)
    {
        rest = rest.get(open + one.len() + 2..).unwrap_or_default();
        all.push((one, rest));
    }
    all
}
