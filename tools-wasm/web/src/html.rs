//! From HTML to readable text with title and links.
//!
//! Owns: what is kept of a page and what is shown. Builds no tree: tags are read one after the
//! other (`walk`), what an element does is a table (`element`), text grows block by block
//! (`writer`), so that time and memory follow the page's length, however it is nested.

mod element;
mod hidden;
mod walk;
mod writer;

use std::collections::BTreeSet;
use url::Url;
use writer::Block;

/// Fewer bytes of text than this are no page; what was left out is looked at then.
const LITTLE: usize = 200;

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its text.
    pub text: String,
    /// Where it leads.
    pub url: String,
}

/// What a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// Its title.
    pub title: Option<String>,
    /// Its text.
    pub text: String,
    /// Its links, each once, with the byte of the text near which it stands.
    pub links: Vec<(usize, Link)>,
    /// Whether there is more text than is kept.
    pub cut: bool,
}

/// Reads a page that was found at `url`. Leaves out menus, header and footer, and where the page
/// says which its main part is, everything else; with `whole` only what is hidden.
pub fn extract(html: &str, url: &Url, whole: bool) -> Extracted {
    let (part, is_main) = once(html, url, whole);
    if whole || is_main || part.text.len() >= LITTLE {
        return part;
    }
    // A menu that never ends, or a page that is nothing else.
    let (all, _) = once(html, url, true);
    let is_more = part.text.is_empty() || (all.text.len() >= LITTLE && all.text.len() > 2 * part.text.len());
    if is_more { all } else { part }
}

/// What is read, and whether that is what the page calls its main part.
fn once(html: &str, url: &Url, whole: bool) -> (Extracted, bool) {
    let walked = walk::walk(html, url, whole);
    let size = |blocks: &mut dyn Iterator<Item = &Block>| blocks.map(|block| block.text.len()).sum::<usize>();
    let all = size(&mut walked.blocks.iter());
    let main = size(&mut walked.blocks.iter().filter(|block| block.is_main));
    let only_main = !whole && main > 0 && (main >= LITTLE || main * 4 >= all);
    let mut text = String::new();
    let mut links = Vec::new();
    let mut known = BTreeSet::new();
    for block in walked.blocks.into_iter().filter(|block| block.is_main || !only_main) {
        if !text.is_empty() {
            text.push_str(if block.is_tight { "\n" } else { "\n\n" });
        }
        let at = text.len();
        text.push_str(&block.text);
        let at = at.min(text.len().saturating_sub(1));
        links.extend(
            block.links.into_iter().filter(|link| known.insert(link.url.clone())).map(|link| (at, link)),
        );
    }
    (Extracted { title: walked.title, text, links, cut: walked.cut }, only_main)
}
