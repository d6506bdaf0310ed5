use crate::ground::Ground;
use ringfence_files::{Failure, FileText, ReadRequest, read_file};
use ringfence_guest_project::Fault;

fn read(ground: &Ground, path: &str, first: Option<u32>, most: Option<u32>) -> Result<FileText, Failure> {
    read_file(&ground.root(), &ReadRequest { file_path: path, first_line: first, max_lines: most })
}

fn numbered(lines: u32) -> String {
    (1..=lines).map(|n| format!("line {n}\n")).collect()
}

#[test]
fn a_hundred_lines_are_read_unless_asked_otherwise() {
    let ground = Ground::new(&[("a.txt", &numbered(250))]);
    let page = read(&ground, "./a.txt", None, None).unwrap();
    assert_eq!((page.first_line, page.last_line, page.total_lines, page.cut), (1, 100, Some(250), true));
    assert_eq!(page.text, numbered(100));
    assert_eq!(page.path, "a.txt");
    assert_eq!(page.size, numbered(250).len() as u64);
}

#[test]
fn reading_on_after_last_line_gives_the_whole_file() {
    let whole = numbered(1234) + "no end";
    let ground = Ground::new(&[("a.txt", &whole)]);
    let (mut text, mut first) = (String::new(), 1);
    loop {
        let page = read(&ground, "a.txt", Some(first), Some(77)).unwrap();
        assert_eq!(page.total_lines, Some(1235));
        text.push_str(&page.text);
        first = page.last_line + 1;
        if !page.cut {
            break;
        }
    }
    assert_eq!(text, whole);
}

#[test]
fn a_file_that_fits_is_not_cut() {
    let ground = Ground::new(&[("a.txt", &numbered(100)), ("b.txt", "one")]);
    let page = read(&ground, "a.txt", None, None).unwrap();
    assert_eq!((page.last_line, page.total_lines, page.cut), (100, Some(100), false));
    let page = read(&ground, "b.txt", None, None).unwrap();
    assert_eq!((page.text.as_str(), page.last_line, page.total_lines, page.cut), ("one", 1, Some(1), false));
}

#[test]
fn an_empty_file_has_no_lines() {
    let ground = Ground::new(&[("a.txt", "")]);
    let page = read(&ground, "a.txt", None, None).unwrap();
    assert_eq!((page.text.as_str(), page.first_line, page.last_line, page.total_lines), ("", 1, 0, Some(0)));
    assert!(!page.cut);
}

#[test]
fn a_range_past_the_end_says_how_many_lines_there_are() {
    let ground = Ground::new(&[("a.txt", "x\ny\n")]);
    let Err(Failure::InvalidRange(why)) = read(&ground, "a.txt", Some(3), None) else { panic!("read") };
    assert_eq!(why, "first_line is 3, but `a.txt` has 2 lines");
    for (first, most) in [(Some(0), None), (None, Some(0))] {
        assert!(matches!(read(&ground, "a.txt", first, most), Err(Failure::InvalidRange(_))));
    }
    assert_eq!(read(&ground, "a.txt", Some(2), Some(u32::MAX)).unwrap().text, "y\n");
    assert!(matches!(read(&ground, "a.txt", Some(u32::MAX), None), Err(Failure::InvalidRange(_))));
}

#[test]
fn line_ends_stay_as_they_are_and_a_byte_order_mark_goes() {
    let ground = Ground::new(&[("a.txt", "\u{feff}one\r\ntwo\nthree\r\n")]);
    let page = read(&ground, "a.txt", None, None).unwrap();
    assert_eq!(page.text, "one\r\ntwo\nthree\r\n");
    assert_eq!(page.total_lines, Some(3));
}

#[test]
fn a_line_of_fifty_megabytes_is_shortened() {
    let ground = Ground::new(&[]);
    let mut bytes = b"short\n".to_vec();
    bytes.resize(50 << 20, b'x');
    bytes.extend_from_slice(b"\nlast\n");
    ground.put("a.txt", &bytes);
    let page = read(&ground, "a.txt", None, None).unwrap();
    let long = (50 << 20) - 6 - 8192;
    assert_eq!(page.text, format!("short\n{}…[+{long} bytes]\nlast\n", "x".repeat(8192)));
    assert_eq!((page.shortened_lines, page.total_lines, page.cut), (1, Some(3), false));
}

#[test]
fn a_shortened_line_keeps_whole_characters() {
    let line = "a".to_owned() + &"文".repeat(5000);
    let ground = Ground::new(&[("a.txt", &line)]);
    let page = read(&ground, "a.txt", None, None).unwrap();
    assert!(!page.lossy);
    let kept = 1 + 2730 * 3;
    assert_eq!(page.text, format!("{}…[+{} bytes]", &line[..kept], line.len() - kept));
}

#[test]
fn a_line_of_just_the_longest_length_is_whole() {
    let ground = Ground::new(&[("a.txt", &format!("{}\n", "x".repeat(8192)))]);
    let page = read(&ground, "a.txt", None, None).unwrap();
    assert_eq!((page.shortened_lines, page.text.len()), (0, 8193));
}

#[test]
fn a_page_ends_before_it_gets_too_big_and_says_where_to_go_on() {
    let line = format!("{}\n", "y".repeat(8000));
    let ground = Ground::new(&[("a.txt", &line.repeat(100))]);
    let page = read(&ground, "a.txt", None, Some(5000)).unwrap();
    assert!(page.text.len() <= 160 * 1024 && page.cut);
    assert_eq!(page.text.len(), page.last_line as usize * line.len());
    assert_eq!(page.total_lines, Some(100));
    let next = read(&ground, "a.txt", Some(page.last_line + 1), Some(1)).unwrap();
    assert_eq!(next.text, line);
}

#[test]
fn binary_files_are_refused_by_name() {
    let ground = Ground::new(&[]);
    ground.put("a.bin", b"\x7fELF\0\0\0");
    ground.put("b.txt", b"\xff\xfeh\0i\0");
    ground.put("gbk.txt", &[0xc4, 0xe3, 0xba, 0xc3, b'\n']);
    for (path, word) in [("a.bin", "binary"), ("b.txt", "UTF-16"), ("gbk.txt", "another encoding")] {
        let Err(Failure::Fault(Fault::NotText(why))) = read(&ground, path, None, None) else {
            panic!("{path}")
        };
        assert!(why.contains(path) && why.contains(word), "{why}");
    }
}

#[test]
fn a_stray_byte_is_replaced_and_said() {
    let ground = Ground::new(&[]);
    ground.put("a.py", b"# by Andr\xe9, who wrote this long ago\n");
    let page = read(&ground, "a.py", None, None).unwrap();
    assert!(page.lossy && page.text.contains("Andr\u{fffd},"));
}

#[test]
fn a_line_is_found_across_the_pieces_that_the_host_gives() {
    // Lines of 7 bytes: the pieces of 64 KiB end inside them.
    let ground = Ground::new(&[("a.txt", &"abcdef\n".repeat(40_000))]);
    for first in [9_362, 9_363, 18_725, 40_000] {
        let page = read(&ground, "a.txt", Some(first), Some(1)).unwrap();
        assert_eq!((page.text.as_str(), page.total_lines), ("abcdef\n", Some(40_000)));
    }
}

#[test]
fn every_failure_names_the_path() {
    let ground = Ground::new(&[("d/a.txt", "x")]);
    for path in ["absent.txt", "d", "d/a.txt/b"] {
        let Err(Failure::Fault(fault)) = read(&ground, path, None, None) else { panic!("{path}") };
        assert!(fault.message().contains(&format!("`{path}`")), "{fault}");
    }
}
