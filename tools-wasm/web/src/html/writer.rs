//! Growing a page's text block by block, as plain Markdown.
//!
//! Owns: white space, marks of headings, lists, quotes, code and tables, links and where they
//! stand, the bound of the whole. Doesn't own: which elements are read (`walk`).

mod table;

use super::Link;
use crate::seen::{is_unseen, one_line};
use table::Table;
use url::Url;

/// Where a page's text ends, in bytes.
const MOST_BYTES: usize = 8 << 20;
/// Deeper lists and quotes are shown at this depth.
const MOST_DEPTH: usize = 8;
/// Links kept, and characters and bytes of each.
const MOST_LINKS: usize = 20_000;
const LINK_CHARACTERS: usize = 100;
const LINK_BYTES: usize = 2000;

/// A paragraph, item, heading, row of a table or the like.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) text: String,
    /// Whether it follows what is before it without an empty line.
    pub(super) is_tight: bool,
    /// Whether it belongs to the page's main part.
    pub(super) is_main: bool,
    pub(super) links: Vec<Link>,
}

/// What stands at the beginning of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lead {
    Paragraph,
    Heading(u8),
    Item,
}

struct List {
    /// The next number, where they are numbered.
    number: Option<u32>,
}

pub(super) struct Writer {
    blocks: Vec<Block>,
    bytes: usize,
    is_full: bool,
    base: Url,
    line: String,
    /// Whether white space is due before the next word.
    space: bool,
    lead: Lead,
    lists: Vec<List>,
    quotes: usize,
    /// How many elements of preformatted text are open.
    preformatted: usize,
    /// How many elements of code are open, within a line.
    code: usize,
    tables: Vec<Table>,
    is_main: bool,
    /// Where the open link leads, and where in the line its text starts.
    link: Option<(String, usize)>,
    links: Vec<Link>,
    links_kept: usize,
}

impl Writer {
    pub(super) fn new(base: Url) -> Self {
        Self {
            blocks: Vec::new(),
            bytes: 0,
            is_full: false,
            base,
            line: String::new(),
            space: false,
            lead: Lead::Paragraph,
            lists: Vec::new(),
            quotes: 0,
            preformatted: 0,
            code: 0,
            tables: Vec::new(),
            is_main: false,
            link: None,
            links: Vec::new(),
            links_kept: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.line.trim().is_empty()
    }

    /// Whether no more text is taken.
    pub(super) fn is_full(&self) -> bool {
        self.is_full || self.bytes > MOST_BYTES
    }

    /// The blocks, and whether there would have been more.
    pub(super) fn finish(mut self) -> (Vec<Block>, bool) {
        let is_full = self.is_full();
        self.block();
        (self.blocks, is_full)
    }

    pub(super) fn text(&mut self, text: &str) {
        let room = MOST_BYTES.saturating_sub(self.bytes + self.line.len());
        let end = (0..=room.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        self.is_full |= end < text.len();
        let text = text.get(..end).unwrap_or_default();
        if self.preformatted > 0 {
            self.line.extend(text.chars().filter(|c| !is_unseen(*c)));
            return;
        }
        for c in text.chars() {
            if c.is_whitespace() {
                self.space = true;
            } else if !is_unseen(c) {
                self.due_space();
                self.line.push(c);
            }
        }
    }

    fn due_space(&mut self) {
        if std::mem::take(&mut self.space) && !self.line.is_empty() && !self.line.ends_with('\n') {
            self.line.push(' ');
        }
    }

    pub(super) fn line_break(&mut self) {
        if self.preformatted > 0 {
            self.line.push('\n');
        } else if self.in_row() || self.line.is_empty() {
            self.space = true;
        } else {
            self.line.push('\n');
            self.space = false;
        }
    }

    /// Ends the block that is under way.
    pub(super) fn block(&mut self) {
        if self.preformatted > 0 {
            if !self.line.is_empty() && !self.line.ends_with('\n') {
                self.line.push('\n');
            }
            return;
        }
        if self.in_row() {
            self.space = true;
            return;
        }
        self.flush();
    }

    /// Whatever was open in the line ends with it.
    fn flush(&mut self) {
        self.note_link();
        let line = std::mem::take(&mut self.line);
        self.space = false;
        let text = line.trim_end();
        if text.is_empty() {
            return;
        }
        let lead = std::mem::replace(&mut self.lead, Lead::Paragraph);
        let (mark, is_tight) = match lead {
            Lead::Paragraph => (String::new(), false),
            Lead::Heading(level) => (format!("{} ", "#".repeat(usize::from(level))), false),
            Lead::Item => (self.item_mark(), true),
        };
        self.push(&mark, text, is_tight && !self.blocks.is_empty());
    }

    /// Adds a block, each of its lines with what it stands in.
    fn push(&mut self, mark: &str, text: &str, is_tight: bool) {
        let quotes = "> ".repeat(self.quotes.min(MOST_DEPTH));
        let depth = self.lists.len().min(MOST_DEPTH);
        // An item's mark stands where what follows it is indented to.
        let outer = if mark.is_empty() || self.lists.is_empty() { depth } else { depth - 1 };
        let room = MOST_BYTES.saturating_sub(self.bytes);
        let mut out = String::with_capacity(text.len() + mark.len() + 16);
        for (number, line) in text.split('\n').enumerate() {
            let (indent, mark) = if number == 0 { (outer, mark) } else { (depth, "") };
            if number > 0 {
                out.push('\n');
            }
            out.push_str(&quotes);
            out.push_str(&"  ".repeat(indent));
            out.push_str(mark);
            out.push_str(line.trim_end());
            // The marks can be more than the text.
            if out.len() > room {
                out.truncate(out.floor_char_boundary(room));
                self.is_full = true;
                break;
            }
        }
        self.bytes += out.len() + 2;
        let links = std::mem::take(&mut self.links);
        self.blocks.push(Block { text: out, is_tight, is_main: self.is_main, links });
    }

    fn item_mark(&mut self) -> String {
        match self.lists.last_mut().and_then(|list| list.number.as_mut()) {
            Some(number) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            None => "- ".to_owned(),
        }
    }

    /// Begins or ends a main part.
    pub(super) fn main(&mut self, is_main: bool) {
        self.leave_row();
        self.block();
        self.is_main = is_main;
    }

    pub(super) fn heading(&mut self, level: u8) {
        self.leave_row();
        self.block();
        self.lead = Lead::Heading(level);
    }

    pub(super) fn end_heading(&mut self) {
        self.block();
        self.lead = Lead::Paragraph;
    }

    pub(super) fn rule(&mut self) {
        self.leave_row();
        self.block();
        if self.preformatted == 0 {
            self.push("", "---", false);
        }
    }

    pub(super) fn list(&mut self, number: Option<u32>) {
        self.leave_row();
        self.block();
        self.lists.push(List { number });
    }

    pub(super) fn end_list(&mut self) {
        self.block();
        self.lists.pop();
    }

    pub(super) fn item(&mut self) {
        self.block();
        if !self.in_row() {
            self.lead = Lead::Item;
        }
    }

    pub(super) fn end_item(&mut self) {
        self.block();
        self.lead = Lead::Paragraph;
    }

    pub(super) fn quote(&mut self) {
        self.leave_row();
        self.block();
        self.quotes += 1;
    }

    pub(super) fn end_quote(&mut self) {
        self.block();
        self.quotes = self.quotes.saturating_sub(1);
    }

    pub(super) fn preformatted(&mut self) {
        self.leave_row();
        self.block();
        self.preformatted += 1;
    }

    pub(super) fn end_preformatted(&mut self) {
        self.preformatted = self.preformatted.saturating_sub(1);
        if self.preformatted > 0 {
            return;
        }
        self.note_link();
        let code = std::mem::take(&mut self.line);
        let code = code.strip_prefix('\n').unwrap_or(&code).trim_end();
        if code.trim().is_empty() {
            return;
        }
        // A fence is longer than any within.
        let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let lead = std::mem::replace(&mut self.lead, Lead::Paragraph);
        let mark = if lead == Lead::Item { self.item_mark() } else { String::new() };
        self.push(&mark, &format!("{fence}\n{code}\n{fence}"), false);
    }

    pub(super) fn code(&mut self) {
        self.code += 1;
        if self.preformatted == 0 && self.code == 1 {
            self.due_space();
            self.line.push('`');
        }
    }

    pub(super) fn end_code(&mut self) {
        self.code = self.code.saturating_sub(1);
        if self.preformatted == 0 && self.code == 0 {
            if self.line.ends_with('`') {
                self.line.pop();
            } else if !self.line.is_empty() {
                self.line.push('`');
            }
        }
    }

    pub(super) fn base(&mut self, href: &str) {
        if let Ok(base) = self.base.join(href) {
            self.base = base;
        }
    }

    pub(super) fn link(&mut self, href: String) {
        self.due_space();
        self.link = Some((href, self.line.len()));
    }

    pub(super) fn end_link(&mut self) {
        if let Some((href, start)) = self.link.take() {
            self.keep_link(&href, start);
        }
    }

    /// The line ends, and with it the open link, unless its text is still to come.
    fn note_link(&mut self) {
        let Some((href, start)) = self.link.take() else { return };
        if self.line.get(start..).unwrap_or_default().trim().is_empty() {
            self.link = Some((href, 0));
        } else {
            self.keep_link(&href, start);
        }
    }

    /// Keeps a link, if it leads to another page.
    fn keep_link(&mut self, href: &str, start: usize) {
        if href.is_empty()
            || href.starts_with('#')
            || href.len() > LINK_BYTES
            || self.links_kept >= MOST_LINKS
        {
            return;
        }
        let Ok(url) = self.base.join(href) else { return };
        if !matches!(url.scheme(), "http" | "https") || url.as_str().len() > LINK_BYTES {
            return;
        }
        let text = one_line(self.line.get(start..).unwrap_or_default(), LINK_CHARACTERS);
        self.links.push(Link { text, url: url.into() });
        self.links_kept += 1;
    }
}
