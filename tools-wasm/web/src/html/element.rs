//! What each element does to the text around it.

/// An element's part in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Flows with the text around it.
    Inline,
    /// Stands on its own.
    Block,
    /// The page's own subject.
    Main,
    /// What stands beside the subject on every page of a site.
    Aside,
    /// The head of a page or of a part of it.
    Header,
    /// Never read.
    Unread,
    /// Read where nothing else is there.
    NoScript,
    Title,
    Heading(u8),
    List {
        ordered: bool,
    },
    Item,
    Quote,
    Preformatted,
    Code,
    Table,
    Row,
    Cell,
    Link,
    // The rest has no content, and no end.
    LineBreak,
    Rule,
    Image,
    Base,
    Empty,
}

impl Role {
    pub(super) fn of(name: &[u8]) -> Self {
        match name {
            b"main" | b"article" => Self::Main,
            b"nav" | b"footer" | b"aside" | b"menu" => Self::Aside,
            b"header" => Self::Header,
            b"script" | b"style" | b"template" | b"svg" | b"iframe" | b"object" | b"canvas" | b"audio"
            | b"video" | b"select" | b"datalist" | b"textarea" | b"button" | b"noembed" | b"noframes"
            | b"noframe" | b"map" | b"progress" | b"meter" => Self::Unread,
            b"noscript" => Self::NoScript,
            b"title" => Self::Title,
            b"h1" => Self::Heading(1),
            b"h2" => Self::Heading(2),
            b"h3" => Self::Heading(3),
            b"h4" => Self::Heading(4),
            b"h5" => Self::Heading(5),
            b"h6" => Self::Heading(6),
            b"ul" | b"dir" => Self::List { ordered: false },
            b"ol" => Self::List { ordered: true },
            b"li" => Self::Item,
            b"blockquote" => Self::Quote,
            b"pre" | b"listing" | b"xmp" | b"plaintext" => Self::Preformatted,
            b"code" | b"kbd" | b"samp" | b"tt" => Self::Code,
            b"table" => Self::Table,
            b"tr" => Self::Row,
            b"td" | b"th" => Self::Cell,
            b"a" => Self::Link,
            b"br" => Self::LineBreak,
            b"hr" => Self::Rule,
            b"img" => Self::Image,
            b"base" => Self::Base,
            b"area" | b"col" | b"embed" | b"input" | b"link" | b"meta" | b"param" | b"source" | b"track"
            | b"wbr" => Self::Empty,
            b"p" | b"div" | b"section" | b"address" | b"center" | b"dd" | b"dl" | b"dt" | b"details"
            | b"dialog" | b"fieldset" | b"figcaption" | b"figure" | b"form" | b"hgroup" | b"legend"
            | b"summary" | b"search" | b"html" | b"head" | b"body" | b"frameset" | b"caption" | b"thead"
            | b"tbody" | b"tfoot" | b"optgroup" | b"option" => Self::Block,
            _ => Self::Inline,
        }
    }

    /// Whether it has no content and so no end.
    pub(super) fn is_void(self) -> bool {
        matches!(self, Self::LineBreak | Self::Rule | Self::Image | Self::Base | Self::Empty)
    }

    /// Whether its start ends a paragraph that is open.
    pub(super) fn ends_paragraph(self) -> bool {
        match self {
            Self::Block
            | Self::Main
            | Self::Aside
            | Self::Header
            | Self::Heading(_)
            | Self::List { .. }
            | Self::Item
            | Self::Quote
            | Self::Preformatted
            | Self::Table
            | Self::Rule => true,
            Self::Inline
            | Self::Unread
            | Self::NoScript
            | Self::Title
            | Self::Code
            | Self::Row
            | Self::Cell
            | Self::Link
            | Self::LineBreak
            | Self::Image
            | Self::Base
            | Self::Empty => false,
        }
    }
}

/// Elements that nothing outside of them ends by its own end.
pub(super) fn is_barrier(name: &[u8]) -> bool {
    matches!(name, b"td" | b"th" | b"caption" | b"table" | b"template" | b"object")
}

/// Parts of a table, whose ends reach through cells.
pub(super) fn is_table_part(name: &[u8]) -> bool {
    matches!(name, b"table" | b"tbody" | b"thead" | b"tfoot" | b"tr" | b"td" | b"th" | b"caption")
}

/// Names of elements.
pub(super) type Names = &'static [&'static [u8]];

/// The open elements that the start of one named `name` ends, and those that it doesn't look beyond.
pub(super) fn ends(name: &[u8]) -> Option<(Names, Names)> {
    match name {
        b"li" => Some((&[b"li"], &[b"ul", b"ol", b"menu"])),
        b"dt" | b"dd" => Some((&[b"dt", b"dd"], &[b"dl"])),
        b"td" | b"th" => Some((&[b"td", b"th"], &[b"tr", b"table"])),
        b"tr" => Some((&[b"tr", b"td", b"th"], &[b"table"])),
        b"thead" | b"tbody" | b"tfoot" => {
            Some((&[b"thead", b"tbody", b"tfoot", b"tr", b"td", b"th", b"caption"], &[b"table"]))
        }
        _ => None,
    }
}
