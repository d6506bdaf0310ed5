//! Reading a page's tags in order, with the elements that are open.
//!
//! Owns: which elements are open, which end is meant by an end tag, what is passed over. Every step
//! costs what it closes, so that no nesting makes it slow.

use super::element::{Role, ends, is_barrier, is_table_part};
use super::hidden::is_hidden;
use super::writer::{Block, Writer};
use crate::seen::one_line;
use html5gum::{DefaultEmitter, EndTag, StartTag, Token, Tokenizer};
use std::collections::BTreeMap;
use url::Url;

/// How far up an element is looked for that another one's start ends.
const REACH: usize = 32;
const TITLE_CHARACTERS: usize = 300;
const ALT_CHARACTERS: usize = 200;
/// The most bytes of a text that is kept for later.
const KEPT_BYTES: usize = 64 << 10;

/// A page, read.
pub(super) struct Walked {
    pub(super) title: Option<String>,
    pub(super) blocks: Vec<Block>,
    pub(super) cut: bool,
}

/// Reads `html`; `whole`: also what stands beside the subject.
pub(super) fn walk(html: &str, url: &Url, whole: bool) -> Walked {
    let mut walk = Walk {
        whole,
        open: Vec::new(),
        names: BTreeMap::new(),
        places: Vec::new(),
        barriers: Vec::new(),
        suppressed: 0,
        main: 0,
        title: None,
        no_script: String::new(),
        writer: Writer::new(url.clone()),
    };
    walk.read(html);
    if walk.writer.is_empty() && !walk.no_script.is_empty() {
        let instead = std::mem::take(&mut walk.no_script);
        walk.read(&instead);
    }
    let (blocks, cut) = walk.writer.finish();
    let title = walk.title.map(|title| one_line(&title, TITLE_CHARACTERS)).filter(|title| !title.is_empty());
    Walked { title, blocks, cut }
}

/// An element that was begun and not ended.
struct Open {
    /// Its name, as a number in `names`.
    name: usize,
    role: Role,
    is_barrier: bool,
    /// Whether it keeps what is in it from being read.
    suppresses: bool,
}

struct Walk {
    whole: bool,
    open: Vec<Open>,
    names: BTreeMap<Vec<u8>, usize>,
    /// For each name, where in `open` the elements of that name are.
    places: Vec<Vec<usize>>,
    /// Where in `open` elements are that hide those around them from ends within.
    barriers: Vec<usize>,
    suppressed: usize,
    main: usize,
    title: Option<String>,
    no_script: String,
    writer: Writer,
}

impl Walk {
    fn read(&mut self, html: &str) {
        let mut emitter = DefaultEmitter::default();
        emitter.naively_switch_states(true);
        for token in Tokenizer::new_with_emitter(html, emitter) {
            let Ok(token) = token;
            match token {
                Token::StartTag(tag) => self.start(&tag),
                Token::EndTag(tag) => self.end(&tag),
                Token::String(text) => self.text(&String::from_utf8_lossy(&text.value)),
                Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
            }
            if self.writer.is_full() {
                break;
            }
        }
        self.close_from(0);
        self.writer.block();
    }

    fn text(&mut self, text: &str) {
        match self.open.last().map(|open| open.role) {
            Some(Role::Title) if self.suppressed <= 1 && self.title.is_none() => {
                self.title = Some(text.chars().take(KEPT_BYTES / 4).collect());
            }
            Some(Role::NoScript) if self.suppressed <= 1 && self.no_script.len() < KEPT_BYTES => {
                self.no_script.extend(text.chars().take(KEPT_BYTES / 4));
            }
            _ if self.suppressed == 0 => self.writer.text(text),
            _ => {}
        }
    }

    fn start(&mut self, tag: &StartTag<()>) {
        let name = tag.name.as_slice();
        let role = role(tag);
        if let Some((ended, beyond)) = ends(name) {
            self.end_open(ended, beyond);
        }
        if role.ends_paragraph() {
            self.end_open(&[b"p"], &[b"td", b"th", b"table", b"caption", b"button"]);
        }
        if role == Role::Link && self.suppressed == 0 {
            self.end_open(&[b"a"], &[b"td", b"th", b"table"]);
        }
        if role.is_void() {
            if self.suppressed == 0 && !is_hidden(tag) {
                self.void(role, tag);
            }
            return;
        }
        let suppresses = self.suppresses(role, tag);
        if role == Role::Inline && !suppresses && self.suppressed == 0 {
            return;
        }
        if suppresses && role != Role::Title && role.ends_paragraph() && self.suppressed == 0 {
            self.writer.block();
        }
        self.push(name, role, suppresses);
        if self.suppressed == 0 {
            self.begin(role, tag);
        }
    }

    fn suppresses(&self, role: Role, tag: &StartTag<()>) -> bool {
        let is_aside = match role {
            Role::Unread | Role::NoScript | Role::Title => return true,
            Role::Aside => true,
            Role::Header => self.main == 0,
            _ => attribute(tag, b"role").is_some_and(|role| {
                matches!(role.as_str(), "navigation" | "banner" | "contentinfo" | "search" | "menu")
            }),
        };
        (is_aside && !self.whole) || is_hidden(tag)
    }

    fn push(&mut self, name: &[u8], role: Role, suppresses: bool) {
        let next = self.places.len();
        let name_at = match self.names.get(name) {
            Some(at) => *at,
            None => {
                self.names.insert(name.to_owned(), next);
                self.places.push(Vec::new());
                next
            }
        };
        let at = self.open.len();
        let is_barrier = is_barrier(name);
        if let Some(places) = self.places.get_mut(name_at) {
            places.push(at);
        }
        if is_barrier {
            self.barriers.push(at);
        }
        self.suppressed += usize::from(suppresses);
        self.main += usize::from(role == Role::Main);
        self.open.push(Open { name: name_at, role, is_barrier, suppresses });
    }

    fn begin(&mut self, role: Role, tag: &StartTag<()>) {
        match role {
            Role::Heading(level) => self.writer.heading(level),
            Role::List { ordered } => {
                let start = attribute(tag, b"start").and_then(|start| start.parse().ok());
                self.writer.list(ordered.then(|| start.unwrap_or(1)));
            }
            Role::Item => self.writer.item(),
            Role::Quote => self.writer.quote(),
            Role::Preformatted => self.writer.preformatted(),
            Role::Code => self.writer.code(),
            Role::Table => self.writer.table(),
            Role::Row => self.writer.row(),
            Role::Cell => self.writer.cell(),
            Role::Link => self.writer.link(attribute(tag, b"href").unwrap_or_default()),
            Role::Main => self.writer.main(true),
            Role::Block | Role::Aside | Role::Header => self.writer.block(),
            Role::Inline
            | Role::Unread
            | Role::NoScript
            | Role::Title
            | Role::LineBreak
            | Role::Rule
            | Role::Image
            | Role::Base
            | Role::Empty => {}
        }
    }

    fn void(&mut self, role: Role, tag: &StartTag<()>) {
        match role {
            Role::LineBreak => self.writer.line_break(),
            Role::Rule => self.writer.rule(),
            Role::Image => {
                let alt = one_line(&attribute(tag, b"alt").unwrap_or_default(), ALT_CHARACTERS);
                if !alt.is_empty() {
                    self.writer.text(&format!("[image: {alt}]"));
                }
            }
            Role::Base => self.writer.base(&attribute(tag, b"href").unwrap_or_default()),
            _ => {}
        }
    }

    fn end(&mut self, tag: &EndTag<()>) {
        let name = tag.name.as_slice();
        let place = self.names.get(name).and_then(|at| self.places.get(*at)?.last().copied());
        let barrier = self.barriers.last().copied();
        match place {
            Some(at)
                if is_table_part(name) || barrier.is_none_or(|barrier| at > barrier || is_barrier(name)) =>
            {
                self.close_from(at);
            }
            Some(_) => {}
            None if self.suppressed > 0 => {}
            None if name == b"p" => self.writer.block(),
            None if name == b"br" => self.writer.line_break(),
            None => {}
        }
    }

    /// Ends the outermost of these elements that is near enough and not beyond one of those.
    fn end_open(&mut self, ended: &[&[u8]], beyond: &[&[u8]]) {
        let number = |name: &&[u8]| self.names.get(*name).copied();
        let ended: Vec<usize> = ended.iter().filter_map(number).collect();
        if ended.is_empty() {
            return;
        }
        let beyond: Vec<usize> = beyond.iter().filter_map(number).collect();
        let mut found = None;
        for (at, open) in self.open.iter().enumerate().rev().take(REACH) {
            if beyond.contains(&open.name) {
                break;
            }
            if ended.contains(&open.name) {
                found = Some(at);
            }
        }
        if let Some(at) = found {
            self.close_from(at);
        }
    }

    fn close_from(&mut self, at: usize) {
        while self.open.len() > at {
            let Some(open) = self.open.pop() else { return };
            if let Some(places) = self.places.get_mut(open.name) {
                places.pop();
            }
            if open.is_barrier {
                self.barriers.pop();
            }
            self.main -= usize::from(open.role == Role::Main);
            if self.suppressed == 0 {
                self.finish(open.role);
            }
            self.suppressed -= usize::from(open.suppresses);
        }
    }

    fn finish(&mut self, role: Role) {
        match role {
            Role::List { .. } => self.writer.end_list(),
            Role::Quote => self.writer.end_quote(),
            Role::Preformatted => self.writer.end_preformatted(),
            Role::Code => self.writer.end_code(),
            Role::Table => self.writer.end_table(),
            Role::Row => self.writer.end_row(),
            Role::Cell => self.writer.end_cell(),
            Role::Link => self.writer.end_link(),
            Role::Heading(_) => self.writer.end_heading(),
            Role::Item => self.writer.end_item(),
            Role::Main => self.writer.main(self.main > 0),
            Role::Block | Role::Aside | Role::Header => self.writer.block(),
            Role::Inline
            | Role::Unread
            | Role::NoScript
            | Role::Title
            | Role::LineBreak
            | Role::Rule
            | Role::Image
            | Role::Base
            | Role::Empty => {}
        }
    }
}

fn role(tag: &StartTag<()>) -> Role {
    match Role::of(tag.name.as_slice()) {
        Role::Inline | Role::Block if attribute(tag, b"role").as_deref() == Some("main") => Role::Main,
        role => role,
    }
}

fn attribute(tag: &StartTag<()>, name: &[u8]) -> Option<String> {
    tag.attributes.get(name).map(|value| String::from_utf8_lossy(&value.value).into_owned())
}
