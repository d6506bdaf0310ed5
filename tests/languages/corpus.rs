//! A folder of everything that languages read differently when they aren't careful.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

/// What is asked of it: path, pattern, top.
pub(crate) const ASKED: [(&str, Option<&str>, Option<u32>); 26] = [
    ("/", None, None),
    (".", None, Some(0)),
    ("", Some("*"), Some(1)),
    ("texts", None, Some(100)),
    ("texts/", None, Some(1000)),
    ("./texts", Some("*.txt"), Some(4_294_967_295)),
    ("/texts", Some("?.txt"), None),
    ("texts", Some("*.t?t"), None),
    ("texts", Some("**a*"), None),
    ("texts", Some("[ab]*"), None),
    ("texts", Some("*.TXT"), None),
    ("texts", Some(""), None),
    ("texts", Some("\\*"), None),
    ("names", Some("*字*"), None),
    ("names", Some("??.md"), None),
    ("names", Some("?"), None),
    ("names", Some("notes"), None),
    ("names", Some("*a*a*a*a*a*a*a*a*a*a*a*b"), None),
    ("deep", None, None),
    ("many", Some("*7*"), Some(3)),
    ("broken", None, None),
    ("texts/frequent.txt", Some("nothing"), Some(100)),
    ("broken/cut", None, None),
    ("links/to-file", None, None),
    ("links/to-folder", None, None),
    ("links", None, None),
];

/// Fills a folder with it. `outside` is a file that no link may reach.
pub(crate) fn make(folder: &Path, outside: &Path) {
    texts(&folder.join("texts"));
    broken(&folder.join("broken"));
    names(&folder.join("names"));
    let mut deep = folder.join("deep");
    for _ in 0..60 {
        deep.push("deeper");
    }
    write(&deep, "bottom", b"all the way down\n");
    for number in 0..300 {
        write(&folder.join("many"), &format!("file{number}"), format!("number {number}\n").as_bytes());
    }
    let links = folder.join("links");
    write(&links, "real", b"a real file\n");
    for (name, target) in [
        ("to-file", Path::new("real")),
        ("to-folder", Path::new("../texts")),
        ("to-itself", Path::new("to-itself")),
        ("to-above", Path::new("..")),
        ("to-nothing", Path::new("nothing")),
        ("to-outside", outside),
    ] {
        symlink(target, links.join(name)).unwrap();
    }
}

fn texts(folder: &Path) {
    let long = "x".repeat(100);
    // Sorted by UTF-16 units, the second pair would be the other way round.
    let order = "\u{ff5e} \u{1f980} \u{e000} \u{10000} b a B A ab a\u{0} é É ß ẞ İ ı K\n";
    let files: [(&str, Vec<u8>); 17] = [
        ("empty.txt", Vec::new()),
        ("a.txt", b"one line\n".to_vec()),
        ("b.txt", b"no line feed at the end".to_vec()),
        ("crlf.txt", b"one\r\ntwo\r\n\r\nthree\r".to_vec()),
        ("feeds.txt", b"\n\n\n".to_vec()),
        ("spaces.txt", b" \t\x0b\x0c\r".to_vec()),
        ("nul.txt", b"a\0b \0 \0\0 a\0b".to_vec()),
        ("control.txt", b"\x01 \x1b[31m \x7f \x1c\x1d\x1e\x1f \x08".to_vec()),
        (
            "unicode.txt",
            "二 三 二 \u{1f980}\u{1f980} é e\u{301}\u{85}nel\u{a0}nbsp\u{2003}em\u{2028}line\u{3000}wide"
                .into(),
        ),
        ("bom.txt", "\u{feff}word word".into()),
        ("order.txt", order.into()),
        ("frequent.txt", "The the THE a A b".repeat(50).into()),
        ("long.txt", format!("{long} {long}y {}z {} ", "é".repeat(50), "é".repeat(51)).into()),
        ("case.txt", "ÀÉ àé STRASSE straße ǅ ǆ Ω ω".into()),
        ("big.txt", "lorem ipsum dolor 二\n".repeat(8_000).into()),
        ("distinct.txt", (0..3_000).map(|at| format!("w{at} ")).collect::<String>().into()),
        ("[ab]x*.txt", b"brackets and a star in a name".to_vec()),
    ];
    for (name, text) in files {
        write(folder, name, &text);
    }
}

/// Not UTF-8, each in its own way.
fn broken(folder: &Path) {
    let files: [(&str, &[u8]); 13] = [
        ("overlong-2", b"a \xc0\x80"),
        ("overlong-3", b"a \xe0\x80\x80"),
        ("overlong-4", b"a \xf0\x80\x80\x80"),
        ("surrogate", b"a \xed\xa0\x80"),
        ("surrogates", b"\xed\xa0\xbd\xed\xb8\x80"),
        ("beyond", b"\xf4\x90\x80\x80"),
        ("five", b"\xf8\x88\x80\x80\x80"),
        ("ff", b"good words \xff"),
        ("fe", b"\xfe\xff\0a"),
        ("alone", b"\x80"),
        ("cut", b"cut here \xe2\x82"),
        ("cut-4", b"\xf0\x9f\xa6"),
        ("latin", b"caf\xe9 au lait"),
    ];
    for (name, bytes) in files {
        write(folder, name, bytes);
    }
    write(folder, "fine", b"this one is text\n");
    // The same, cut by no buffer: beyond what is read at once.
    let mut late = b"word ".repeat(20_000);
    late.push(0xc3);
    write(folder, "late", &late);
}

fn names(folder: &Path) {
    for name in [
        "文字.md",
        "字",
        "a字b.txt",
        "🦀.md",
        "e\u{301}",
        "é",
        "-",
        "--help",
        "~",
        "a b",
        "a\nb",
        "%41",
        "'\"`$(x)",
        "notes.md",
    ] {
        write(folder, name, format!("in {name}\n").as_bytes());
    }
    write(&folder.join("notes"), "notes", b"in a folder of its own name\n");
    write(&folder.join("字典"), "字", b"deeper\n");
    write(folder, &"a".repeat(200), b"a long name\n");
    fs::write(folder.join(OsStr::from_bytes(b"latin-\xe9.md")), b"a name that isn't text\n").unwrap();
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(name), bytes).unwrap();
}
