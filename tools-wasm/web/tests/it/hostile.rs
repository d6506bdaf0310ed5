//! Pages made to break a reader: they cost what their length costs, and nothing panics.

use crate::pages::read;
use proptest::prelude::*;
use ringfence_web::extract;
use url::Url;

const DEEP: usize = 100_000;

#[test]
fn ten_megabytes_in_one_line_are_cut_at_the_bound() {
    let page = read(&"word ".repeat(2 << 20));
    assert!(page.cut && page.text.len() <= 8 << 20);
    let page = read(&format!("<p title='{}'>x", "y".repeat(10 << 20)));
    assert_eq!(page.text, "x");
    let page = read(&format!("<{}>x", "y".repeat(10 << 20)));
    assert_eq!(page.text, "x");
}

#[test]
fn elements_nested_a_hundred_thousand_deep_are_read() {
    for tag in [
        "div",
        "span",
        "b",
        "ul><li",
        "blockquote",
        "table><tr><td",
        "p",
        "a href=x",
        "pre",
        "code",
        "my-tag",
        "nav",
        "section hidden",
        "ol",
        "font",
        "article",
        "svg",
    ] {
        let html = format!("{}x", format!("<{tag}>").repeat(DEEP));
        let page = read(&html);
        assert!(page.text.len() < 3 << 20, "{tag}");
        let name = tag.split(['>', ' ']).next().unwrap();
        let closed = format!("{html}{}y", format!("</{name}>").repeat(DEEP));
        let page = read(&closed);
        assert!(page.text.len() < 3 << 20, "{tag}");
    }
}

#[test]
fn marks_before_each_line_count_against_the_bound() {
    let nested = format!("{}{}<pre>x", "<blockquote>".repeat(8), "<ul>".repeat(8));
    for lines in ["\n".repeat(1 << 20), "é\n".repeat(1 << 20)] {
        let page = read(&format!("{nested}{lines}x"));
        assert!(page.cut && page.text.len() <= 8 << 20, "{}", page.text.len());
    }
    let page = read(&format!("{}x", format!("<p>{}", "y".repeat(300)).repeat(40_000)));
    assert!(page.cut && page.text.len() <= 8 << 20, "{}", page.text.len());
}

#[test]
fn ends_that_end_nothing_cost_nothing() {
    let html = format!("{}<td>{}text", "<div>".repeat(DEEP), "</div></span></b></p>".repeat(DEEP));
    assert!(read(&html).text.ends_with("text"));
    let html = format!("{}{}text", "<section hidden><i>".repeat(DEEP), "</u>".repeat(DEEP));
    assert_eq!(read(&html).text, "");
}

#[test]
fn starts_that_end_others_do_not_look_far() {
    for tags in ["<li>", "<dt><dd>", "<tr>", "<td>", "<a href=x>", "<p>", "<tbody>", "<h1>"] {
        let html = format!("{}{}", "<div>".repeat(DEEP), format!("{tags}z").repeat(DEEP));
        assert!(read(&html).text.contains('z'), "{tags}");
    }
}

#[test]
fn entities_do_not_grow() {
    let bomb = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]><p>&b;&b;";
    assert!(read(bomb).text.len() < 100);
    let html = "&NotEqualTilde;&#x1F600;&amp;".repeat(100_000);
    assert!(read(&html).text.len() <= html.len());
}

#[test]
fn attributes_and_names_without_number_are_read() {
    let many: String = (0..DEEP).map(|n| format!(" a{n}=1")).collect();
    assert_eq!(read(&format!("<p{many}>x")).text, "x");
    let many: String = (0..DEEP).map(|n| format!("<x{n} hidden></x{n}>")).collect();
    assert_eq!(read(&format!("{many}x")).text, "x");
    let cells = format!("<table><tr>{}", "<td>1".repeat(DEEP));
    assert!(read(&cells).text.starts_with("| 1 | 1 |"));
    let links: String = (0..DEEP).map(|n| format!("<a href=/{n}>x</a>")).collect();
    assert_eq!(read(&links).links.len(), 20_000);
}

fn piece() -> impl Strategy<Value = String> {
    let names = vec![
        "p",
        "div",
        "ul",
        "ol",
        "li",
        "table",
        "tr",
        "td",
        "th",
        "pre",
        "code",
        "a href=/x",
        "a",
        "h1",
        "nav",
        "main",
        "article",
        "span hidden",
        "blockquote",
        "br",
        "hr",
        "img alt=i",
        "title",
        "noscript",
        "svg",
        "script",
        "style",
        "template",
        "dl",
        "dt",
        "dd",
        "tbody",
        "caption",
        "base href=//b/",
        "textarea",
        "x-y",
    ];
    let name = prop::sample::select(names);
    prop_oneof![
        name.clone().prop_map(|name| format!("<{name}>")),
        name.prop_map(|name| format!("</{}>", name.split(' ').next().unwrap_or(name))),
        "[ a-c\n`|&;#\u{202e}文]{0,6}",
        Just("<!--".to_owned()),
        Just("-->".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn no_soup_of_tags_makes_it_panic(pieces in prop::collection::vec(piece(), 0..60), whole: bool) {
        let html = pieces.concat();
        let page = extract(&html, &Url::parse("http://a/").unwrap(), whole);
        let is_trick = |c| c == '\u{202e}';
        prop_assert!(!page.text.contains(is_trick));
        prop_assert!(page.links.iter().all(|(at, _)| *at < page.text.len().max(1)));
        prop_assert_eq!(page.text.trim_end(), page.text.as_str(), "{}", html);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes));
    }
}
