use crate::net::Net;
use flate2::{Compression, write::GzEncoder};
use ringfence_web::{Failure, FetchRequest, Fetched, Link, NetError, fetch_page};
use std::io::Write;

const URL: &str = "https://a.test/";

fn fetch(net: &mut Net, url: &str) -> Result<Fetched, Failure> {
    fetch_page(net, &FetchRequest { url, ..FetchRequest::default() })
}

#[test]
fn a_page_comes_with_its_title_type_and_links() {
    let html = "<title>A &amp; B</title><p>See <a href='/x?y=1#z'>this</a> or <a href=b>that</a>.";
    let mut net = Net::default().page(URL, "text/html; charset=utf-8", html);
    let page = fetch(&mut net, "https://a.test#top").unwrap();
    assert_eq!((page.title.as_deref(), page.text.as_str()), (Some("A & B"), "See this or that."));
    assert_eq!((page.url.as_str(), page.status, page.content_type.as_str()), (URL, 200, "text/html"));
    let link = |text: &str, url: &str| Link { text: text.into(), url: url.into() };
    assert_eq!(page.links, [link("this", "https://a.test/x?y=1#z"), link("that", "https://a.test/b")]);
    assert_eq!((page.total_characters, page.next_offset, page.truncated), (17, None, false));
}

#[test]
fn redirects_are_asked_for_one_by_one_and_each_can_be_refused() {
    let mut net = Net::default()
        .answer(URL, 301, &[("location", "/b")], "")
        .answer("https://a.test/b", 307, &[("Location", "http://b.test/c#d")], "")
        .page("http://b.test/c", "text/plain", "here");
    let page = fetch(&mut net, URL).unwrap();
    assert_eq!((page.url.as_str(), page.text.as_str()), ("http://b.test/c", "here"));
    assert_eq!(net.asked, [URL, "https://a.test/b", "http://b.test/c"]);

    let mut net = Net::default().answer(URL, 302, &[("location", "https://evil.test/?q=secret")], "");
    let Err(Failure::NotPermitted(why)) = fetch(&mut net, URL) else { panic!("fetched") };
    assert_eq!(why, "`https://evil.test/?q=secret`: not permitted: the host is not granted");

    for to in ["file:///etc/passwd", "https://me:pw@a.test/", "javascript:1", "http://[::"] {
        let mut net = Net::default().answer(URL, 302, &[("location", to)], "");
        assert!(matches!(fetch(&mut net, URL), Err(Failure::InvalidUrl(_))), "{to}");
        assert_eq!(net.asked.len(), 1);
    }
}

#[test]
fn redirects_without_end_are_given_up() {
    let mut net = Net::default().answer(URL, 302, &[("location", URL)], "");
    let Err(Failure::Network(why)) = fetch(&mut net, URL) else { panic!("fetched") };
    assert!(why.starts_with("more than 5 redirects"), "{why}");
    assert_eq!(net.asked.len(), 6);
}

#[test]
fn addresses_that_cannot_be_fetched_say_why_and_ask_nothing() {
    let mut net = Net::default();
    for (url, word) in [
        ("", "not absolute"),
        ("example.com/x", "not absolute"),
        ("ftp://a.test/", "only `http://`"),
        ("data:text/plain,x", "only `http://`"),
        ("https://user:secret@a.test/", "user's name or password"),
        ("https://例え.test/", "xn--"),
        ("https://a b.test/", "can't be used"),
        (&format!("https://a.test/{}", "x".repeat(9000)), "longer than"),
    ] {
        let Err(Failure::InvalidUrl(why)) = fetch(&mut net, url) else { panic!("{url}") };
        assert!(why.contains(word) && !why.contains("secret") && why.len() < 500, "{why}");
    }
    assert!(net.asked.is_empty());
}

#[test]
fn a_long_text_comes_in_parts_with_their_links() {
    let html: String = (0..2000).map(|n| format!("<p>Абзац {n} <a href='/{n}'>ссылка {n}</a></p>")).collect();
    let mut net = Net::default().page(URL, "text/html; charset=utf-8", html.as_str());
    let (mut text, mut links, mut offset) = (String::new(), 0, 0);
    loop {
        let request =
            FetchRequest { url: URL, offset: Some(offset), limit: Some(1500), ..FetchRequest::default() };
        let page = fetch_page(&mut net, &request).unwrap();
        assert!(page.text.chars().count() <= 1500 && page.offset == offset);
        for link in &page.links {
            assert!(page.text.contains(link.text.split(' ').next().unwrap()), "{link:?}");
        }
        text.push_str(&page.text);
        links += page.links.len();
        let Some(next) = page.next_offset else { break };
        offset = next;
    }
    assert_eq!(links, 2000);
    assert!(text.starts_with("Абзац 0 ссылка 0\n\nАбзац 1") && text.ends_with("ссылка 1999"));

    for (offset, limit) in [(Some(10_000_000), None), (None, Some(0))] {
        let request = FetchRequest { url: URL, offset, limit, ..FetchRequest::default() };
        assert!(matches!(fetch_page(&mut net, &request), Err(Failure::InvalidRange(_))));
    }
}

#[test]
fn links_of_one_part_are_bounded() {
    let html: String = (0..500).map(|n| format!("<a href='/{n}'>x</a> ")).collect();
    let mut net = Net::default().page(URL, "text/html", html.as_str());
    assert_eq!(fetch(&mut net, URL).unwrap().links.len(), 100);
    let html: String = (0..500).map(|n| format!("<a href='/{n}{}'>x</a> ", "y".repeat(1000))).collect();
    let mut net = Net::default().page(URL, "text/html", html.as_str());
    let links = fetch(&mut net, URL).unwrap().links;
    assert!(links.iter().map(|link| link.url.len()).sum::<usize>() <= 40 << 10 && links.len() > 30);
}

#[test]
fn every_encoding_is_read_as_declared() {
    let gbk = [0xc4, 0xe3, 0xba, 0xc3];
    let with = |head: &str, body: &[u8]| [head.as_bytes(), body].concat();
    for (content_type, body, wanted) in [
        ("text/html; charset=gb2312", gbk.to_vec(), "你好"),
        ("text/html; charset=\"GBK\"", gbk.to_vec(), "你好"),
        ("text/html", with("<meta charset=gbk>", &gbk), "你好"),
        (
            "text/html",
            with("<meta http-equiv=Content-Type content='text/html; charset=GB18030'>", &gbk),
            "你好",
        ),
        ("text/plain; charset=koi8-r", vec![0xd0, 0xd2, 0xc9], "при"),
        ("text/plain", "при".into(), "при"),
        ("text/plain", b"caf\xe9".to_vec(), "café"),
        ("text/plain; charset=utf-8", b"caf\xe9".to_vec(), "caf\u{fffd}"),
        ("text/plain; charset=nonsense", "né".into(), "né"),
        ("text/plain; charset=latin1", b"\xef\xbb\xbfn\xc3\xa9".to_vec(), "né"),
        ("text/plain", b"\xff\xfeh\0i\0".to_vec(), "hi"),
    ] {
        let mut net = Net::default().page(URL, content_type, body);
        assert_eq!(fetch(&mut net, URL).unwrap().text, wanted, "{content_type}");
    }
}

#[test]
fn text_and_json_come_as_they_are_and_the_rest_is_refused_with_its_size() {
    for content_type in
        ["text/plain", "application/json", "application/ld+json; x=y", "text/csv", "application/xml"]
    {
        let mut net = Net::default().page(URL, content_type, "{\"a\":  [1,\r\n 2]}\n");
        assert_eq!(fetch(&mut net, URL).unwrap().text, "{\"a\":  [1,\n 2]}\n", "{content_type}");
    }
    for content_type in ["application/pdf", "image/png", "application/octet-stream", "video/mp4"] {
        let headers = [("content-type", content_type), ("content-length", "123456")];
        let mut net = Net::default().answer(URL, 200, &headers, "");
        let Err(Failure::UnsupportedType(why)) = fetch(&mut net, URL) else { panic!("{content_type}") };
        assert!(why.contains(content_type) && why.contains("123456 bytes"), "{why}");
    }
    let mut net = Net::default().answer(URL, 200, &[], "  <!DOCTYPE HTML><p>hi");
    assert_eq!(fetch(&mut net, URL).unwrap().text, "hi");
    let mut net = Net::default().answer(URL, 200, &[], "a\0b");
    assert!(matches!(fetch(&mut net, URL), Err(Failure::UnsupportedType(why)) if why.contains("3 bytes")));
}

#[test]
fn an_error_of_the_server_shows_the_start_of_its_text() {
    let body = format!("<title>x</title><h1>Not\u{202e} found</h1>{}", "<p>word ".repeat(1000));
    let mut net = Net::default().answer(URL, 404, &[("content-type", "text/html")], body);
    let Err(Failure::Status(why)) = fetch(&mut net, URL) else { panic!("fetched") };
    assert!(why.starts_with("`https://a.test/`: the server answered 404: # Not found word word"), "{why}");
    assert!(why.len() < 600);
    let mut net = Net::default().answer(URL, 500, &[("content-type", "image/png")], "\0");
    let failure = Failure::Status("`https://a.test/`: the server answered 500".into());
    assert_eq!(fetch(&mut net, URL), Err(failure));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_packed_answer_is_unpacked_within_the_bound() {
    let headers = [("content-type", "text/plain"), ("content-encoding", "gzip")];
    let mut net = Net::default().answer(URL, 200, &headers, gzip(b"hello"));
    assert_eq!(fetch(&mut net, URL).unwrap().text, "hello");

    let bomb = gzip(&vec![b'x'; 200 << 20]);
    assert!(bomb.len() < 1 << 20);
    let mut net = Net::default().answer(URL, 200, &headers, bomb);
    let page = fetch(&mut net, URL).unwrap();
    assert!(page.truncated && page.total_characters == 2_000_000);

    let mut net = Net::default().answer(URL, 200, &headers, "no gzip");
    assert!(matches!(fetch(&mut net, URL), Err(Failure::Network(why)) if why.contains("broke off")));
    let headers = [("content-type", "text/plain"), ("content-encoding", "br")];
    let mut net = Net::default().answer(URL, 200, &headers, "x");
    assert!(matches!(fetch(&mut net, URL), Err(Failure::Network(why)) if why.contains("`br`")));
}

#[test]
fn a_page_too_large_is_read_in_part_and_says_so() {
    let mut net = Net::default().page(URL, "text/html; charset=utf-8", "é".repeat(3 << 20));
    let page = fetch(&mut net, URL).unwrap();
    assert!(page.truncated && page.total_characters == 2 << 20, "{}", page.total_characters);
    assert!(!page.text.contains('\u{fffd}'));
    let request = FetchRequest { url: URL, limit: Some(50_000), ..FetchRequest::default() };
    let mut net = Net::default().page(URL, "text/plain", "\u{1f600}".repeat(100_000));
    let page = fetch_page(&mut net, &request).unwrap();
    assert_eq!((page.text.len(), page.next_offset), (160 << 10, Some(40 << 10)));
}

#[test]
fn what_the_network_says_is_passed_on_with_the_address() {
    let mut net = Net::default().refuses(URL, NetError::Failed("the connection was refused".into()));
    let Err(Failure::Network(why)) = fetch(&mut net, URL) else { panic!("fetched") };
    assert_eq!(why, "`https://a.test/`: the connection was refused");
}
