//! Pages as they are written, and what becomes of them.

use ringfence_web::{Extracted, extract};
use url::Url;

pub(crate) fn read(html: &str) -> Extracted {
    extract(html, &Url::parse("https://a.test/dir/page").unwrap(), false)
}

#[track_caller]
fn gives(html: &str, text: &str) {
    assert_eq!(read(html).text, text);
}

#[test]
fn an_article_is_read_without_what_is_around_it() {
    let page = read(
        r##"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>
          How to fence   a tool </title><style>p { color: red }</style>
        <script>if (a < b) document.write("<p>no</p>");</script></head><body class="x">
        <header><a href=/>Home</a> <nav><ul><li><a href="/a">A</a></ul></nav></header>
        <div id=cookie style="display: none">We value your privacy</div>
        <main><article>
          <header><h1>How to fence a tool</h1><p>By <a href="../who">Someone</a></header>
          <p>First <b>bold</b> and <em>so</em> on,
             with a <a href="https://b.test/?q=1&amp;r=2">link</a>.<br>Next&nbsp;line &lt;here&gt;.
          <h2 id=list>What <code>x == y</code> is</h2>
          <ul><li>one</li><li>two<ul><li>deep</ul><li><p>three</p><p>more of three</p></ul>
          <ol start=3><li>c<li>d</ol>
          <pre><code class=rust>fn main() {
    println!("```");
}
</code></pre>
          <blockquote><p>Said once.<p>Said twice.</blockquote>
          <figure><img src=x.png alt="A fence"><figcaption>The fence</figcaption></figure>
          <aside>Subscribe!</aside><p aria-hidden="true">★</p><p hidden>gone</p>
          <hr><p>End.</p>
        </article></main>
        <footer>© 2026</footer><noscript>Enable scripts</noscript></body></html>"##,
    );
    assert_eq!(page.title.as_deref(), Some("How to fence a tool"));
    let wanted = "# How to fence a tool\n\nBy Someone\n\nFirst bold and so on, with a link.\nNext line <here>.\n\n## What `x == y` is\n- one\n- two\n  - deep\n- three\n\n  more of three\n3. c\n4. d\n\n````\nfn main() {\n    println!(\"```\");\n}\n````\n\n> Said once.\n\n> Said twice.\n\n[image: A fence]\n\nThe fence\n\n---\n\nEnd.";
    assert_eq!(page.text, wanted);
    let links: Vec<&str> = page.links.iter().map(|(_, link)| link.url.as_str()).collect();
    assert_eq!(links, ["https://a.test/who", "https://b.test/?q=1&r=2"]);
}

#[test]
fn the_whole_page_is_read_where_asked() {
    let html = "<nav><a href=/x>Menu</a></nav><main><p>Text</main><footer>Foot</footer><p hidden>no</p>";
    gives(html, "Text");
    let all = extract(html, &Url::parse("https://a.test/").unwrap(), true);
    assert_eq!(all.text, "Menu\n\nText\n\nFoot");
    assert_eq!(all.links.len(), 1);
}

#[test]
fn a_page_that_is_all_menu_is_read_as_a_whole() {
    let items: String = (0..50).map(|n| format!("<li><a href=/{n}>Entry number {n}</a>")).collect();
    let page = read(&format!("<nav><ul>{items}</ul></nav><p>x"));
    assert!(page.text.starts_with("- Entry number 0\n- Entry number 1\n"), "{}", page.text);
    let page = read(&format!("<p>Welcome<nav>{}", "<p>The nav is never closed.".repeat(20)));
    assert!(page.text.matches("never closed").count() == 20);
}

#[test]
fn a_page_that_needs_scripts_says_so() {
    let page = read(
        "<title>App</title><div id=root></div><noscript><p>You need to enable <b>JavaScript</b></noscript><script>x</script>",
    );
    assert_eq!(page.text, "You need to enable JavaScript");
}

#[test]
fn tables_of_data_become_rows() {
    gives(
        "<table><caption>Prices</caption><thead><tr><th>Name<th>Price</tr><tbody><tr><td>A|B<td>1<br>2<tr><td><p>C</p><td><a href=/c>3</a></table><p>after",
        "Prices\n\n| Name | Price |\n| --- | --- |\n| A\\|B | 1 2 |\n| C | 3 |\n\nafter",
    );
}

#[test]
fn tables_that_place_things_become_blocks() {
    gives(
        "<table><tr><td><table><tr><td>a<td>b</table></td><td><h1>Title</h1><p>One<p>Two<ul><li>x</ul></td></tr></table>",
        "| a | b |\n| --- | --- |\n\n# Title\n\nOne\n\nTwo\n- x",
    );
    gives("<table><tr><td>only one</table>", "only one");
}

#[test]
fn broken_markup_is_read_as_browsers_do() {
    gives("<p>a<p>b</div></p>c<//x><b>d</i> e", "a\n\nb\n\ncd e");
    gives("a</p>b", "a\n\nb");
    gives("<ul><li>a<li>b<p>c</ul>d", "- a\n- b\n\n  c\n\nd");
    gives("<div><nav>menu</div>text that is outside of the menu", "text that is outside of the menu");
    gives("<table><tr><td>a</div></b></td><td>b</table>", "| a | b |\n| --- | --- |");
    gives("1 < 2 && 3 > 2 &zzz; &amp &#x41;&#65;&#0;&#xD800;", "1 < 2 && 3 > 2 &zzz; & AA\u{fffd}\u{fffd}");
    gives("<p class='never closed", "");
    gives("text <!-- <p>comment --> more <!-- open", "text more");
    gives("<h1>a<h2>b", "# a\n\n## b");
    gives("<a href=/1>one <a href=/2>two</a>", "one two");
    gives("<pre>a\n  b", "```\na\n  b\n```");
    gives("", "");
}

#[test]
fn what_cannot_be_seen_is_not_read() {
    for hidden in [
        "<div hidden>X</div>",
        "<div hidden=''><p>X<div>X</div></div>",
        "<span style='display:none'>X<span>X</span>X</span>",
        "<p style='color:red; DISPLAY : none !important'>X</p>",
        "<p style=visibility:hidden>X</p>",
        "<p style='font-size: 0px'>X</p>",
        "<p style='opacity:0.0'>X</p>",
        "<template>X</template>",
        "<dialog>X</dialog>",
        "<svg><title>X</title><text>X</text></svg>",
        "<textarea><p>X</textarea>",
        "<iframe>X</iframe>",
        "<select><option>X</select>",
        "<style><p>X</style>",
        "<script><!-- <script>X</script> --></script>",
        "<img style='display:none' alt=X>",
        "<input type=hidden value=X>",
        "<!-- X -->",
    ] {
        gives(&format!("<p>before</p>{hidden}<p>after</p>"), "before\n\nafter");
    }
    gives("<p style='opacity:0.5;font-size:0.9em'>seen</p>", "seen");
    gives("<dialog open>seen</dialog>", "seen");
}

#[test]
fn characters_that_trick_a_reader_are_dropped() {
    let page = read(
        "<title>pay\u{202e}dlog\u{1b}[31m</title><p>a\u{202e}b\u{2066}c\u{200b}d\u{ad}e\u{e0041}f\u{feff}g&#x202e;h&#27;[2Ji\u{200d}j</p><pre>x\u{202e}\u{7}y</pre><a href='/\u{202e}x' title=y>l\u{200f}k</a><img alt='i\u{202e}m'>",
    );
    assert_eq!(page.title.as_deref(), Some("paydlog[31m"));
    assert_eq!(page.text, "abcdefgh[2Ji\u{200d}j\n\n```\nxy\n```\n\nlk[image: im]");
    assert_eq!(page.links[0].1.url, "https://a.test/%E2%80%AEx");
}

#[test]
fn links_are_absolute_and_each_comes_once() {
    let page = read(
        "<base href='https://b.test/x/'><a href='y'>1</a><a href='./y'>2</a><a href='#here'>3</a><a href='javascript:x'>4</a><a href='mailto:a@b'>5</a><a>6</a><a href='//c.test'>7</a><a href='http://['>8</a><a href='/z'><img alt=Logo><div>block</div></a>",
    );
    let links: Vec<(&str, &str)> =
        page.links.iter().map(|(_, link)| (link.text.as_str(), link.url.as_str())).collect();
    assert_eq!(
        links,
        [("1", "https://b.test/x/y"), ("7", "https://c.test/"), ("[image: Logo]", "https://b.test/z")]
    );
}

#[test]
fn a_link_around_blocks_has_the_first_one_s_text() {
    let page = read(
        "<a href=/1><h3>Card</h3><p>More</p></a><a href=/2><div><img></div></a><a href=/3><div>x</div></a>",
    );
    let links: Vec<(&str, &str)> =
        page.links.iter().map(|(_, link)| (link.text.as_str(), link.url.as_str())).collect();
    assert_eq!(page.text, "### Card\n\nMore\n\nx");
    assert_eq!(links, [("Card", "https://a.test/1"), ("", "https://a.test/2"), ("x", "https://a.test/3")]);
}
