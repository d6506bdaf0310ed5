//! Answers of earlier calls: kept, found again, bounded, and never in anybody's way.

use ringfence_store::{AnswerBounds, Answers, StoreError};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers.db");
    (folder, path)
}

fn open(path: &Path) -> Answers {
    Answers::open(path, AnswerBounds::default()).unwrap()
}

fn keys(answers: &mut Answers, keys: std::ops::Range<u32>) -> Vec<u32> {
    keys.filter(|key| answers.get(&key.to_string()).unwrap().is_some()).collect()
}

#[test]
fn an_answer_is_found_again_by_its_key_alone() {
    let (_folder, path) = place();
    let mut answers = open(&path);
    assert!(answers.put("one", b"1").unwrap());
    assert!(answers.put("two", b"2").unwrap());
    assert_eq!(answers.get("one").unwrap().as_deref(), Some(&b"1"[..]));
    assert_eq!(answers.get("three").unwrap(), None);
    answers.put("one", b"another").unwrap();
    assert_eq!(answers.get("one").unwrap().as_deref(), Some(&b"another"[..]));
    drop(answers);
    assert_eq!(open(&path).get("two").unwrap().as_deref(), Some(&b"2"[..]), "in another process, too");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_longest_unused_make_room_for_the_latest() {
    let (_folder, path) = place();
    let mut answers = Answers::open(&path, AnswerBounds { bytes: 100, entries: 1_000 }).unwrap();
    for key in 0..10 {
        answers.put(&key.to_string(), &[7; 10]).unwrap();
    }
    assert_eq!(keys(&mut answers, 0..10).len(), 10, "just enough room");
    answers.get("0").unwrap();
    answers.put("10", &[7; 20]).unwrap();
    assert_eq!(keys(&mut answers, 0..11), [0, 3, 4, 5, 6, 7, 8, 9, 10]);
}

#[test]
fn there_are_never_more_than_are_allowed() {
    let (_folder, path) = place();
    let mut answers = Answers::open(&path, AnswerBounds { bytes: 1 << 20, entries: 3 }).unwrap();
    for key in 0..20 {
        answers.put(&key.to_string(), b"x").unwrap();
    }
    assert_eq!(keys(&mut answers, 0..20), [17, 18, 19]);
}

#[test]
fn the_file_doesn_t_grow_with_what_was_ever_kept() {
    let (_folder, path) = place();
    let bounds = AnswerBounds { bytes: 1 << 20, entries: 1_000 };
    let mut answers = Answers::open(&path, bounds).unwrap();
    for key in 0..200 {
        answers.put(&key.to_string(), &vec![7; 100_000]).unwrap();
    }
    drop(answers);
    let length = fs::metadata(&path).unwrap().len();
    assert!(length < 3 << 20, "{length}");
}

#[test]
fn one_that_would_push_out_all_others_isn_t_kept() {
    let (_folder, path) = place();
    let mut answers = Answers::open(&path, AnswerBounds { bytes: 100, entries: 10 }).unwrap();
    answers.put("small", b"x").unwrap();
    assert!(!answers.put("large", &[7; 60]).unwrap());
    assert_eq!(answers.get("large").unwrap(), None);
    assert!(answers.get("small").unwrap().is_some());
}

#[test]
fn a_damaged_file_is_begun_anew() {
    let damages: [fn(&Path); 3] = [
        |path| fs::write(path, "no database at all, though long enough to be one ".repeat(100)).unwrap(),
        |path| fs::write(path, "stump").unwrap(),
        |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes[100..4096].fill(0xff);
            fs::write(path, bytes).unwrap();
        },
    ];
    for (at, damage) in damages.into_iter().enumerate() {
        let (_folder, path) = place();
        open(&path).put("one", b"1").unwrap();
        damage(&path);
        let mut answers = Answers::open(&path, AnswerBounds::default())
            .unwrap_or_else(|error| panic!("damage {at}: {error}"));
        match answers.get("one") {
            Ok(None) | Err(StoreError::Corrupt { .. }) => {}
            other => panic!("damage {at}: {other:?}"),
        }
    }
}

#[test]
fn a_file_that_turns_out_to_be_damaged_later_is_begun_anew_by_the_next() {
    let (_folder, path) = place();
    for key in 0..200 {
        open(&path).put(&key.to_string(), &[7; 1_000]).unwrap();
    }
    let mut bytes = fs::read(&path).unwrap();
    bytes[8192..].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let mut answers = open(&path);
    let damaged =
        (0..200).any(|key| matches!(answers.get(&key.to_string()), Err(StoreError::Corrupt { .. })));
    assert!(damaged);
    let mut answers = open(&path);
    assert!(answers.put("one", b"1").unwrap());
    assert_eq!(answers.get("one").unwrap().as_deref(), Some(&b"1"[..]));
}

#[test]
fn an_answer_that_was_tampered_with_is_reported_and_gone() {
    let (_folder, path) = place();
    open(&path).put("one", b"the true answer").unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE answers SET body = CAST('a false answer!' AS BLOB)", []).unwrap();
    drop(connection);
    let mut answers = open(&path);
    assert!(matches!(answers.get("one"), Err(StoreError::Corrupt { .. })));
    assert_eq!(answers.get("one").unwrap(), None);
}

#[test]
fn an_answer_under_another_s_key_is_none() {
    let (_folder, path) = place();
    open(&path).put("one", b"1").unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE answers SET key = 'two'", []).unwrap();
    drop(connection);
    assert!(matches!(open(&path).get("two"), Err(StoreError::Corrupt { .. })));
}

#[test]
fn a_file_of_another_program_or_a_newer_version_is_left_alone() {
    let (_folder, path) = place();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)").unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();
    let opened = Answers::open(&path, AnswerBounds::default());
    assert!(matches!(opened, Err(StoreError::Foreign { .. })), "{opened:?}");
    assert_eq!(fs::read(&path).unwrap(), before);

    let (_folder, path) = place();
    drop(open(&path));
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let opened = Answers::open(&path, AnswerBounds::default());
    assert!(matches!(opened, Err(StoreError::Newer { found: 99, .. })), "{opened:?}");
}

#[test]
fn a_journal_is_no_file_of_answers() {
    let (_folder, path) = place();
    drop(ringfence_store::Store::open(&path).unwrap());
    let opened = Answers::open(&path, AnswerBounds::default());
    assert!(matches!(opened, Err(StoreError::Foreign { .. })), "{opened:?}");
}

#[test]
fn several_processes_use_one_file_at_once() {
    let (_folder, path) = place();
    std::thread::scope(|threads| {
        for writer in 0..4_u32 {
            let path = &path;
            threads.spawn(move || {
                let mut answers = open(path);
                for key in 0..25 {
                    let key = (writer * 25 + key).to_string();
                    // Busy is an answer, too: the call is made then.
                    match answers.put(&key, key.as_bytes()) {
                        Ok(true) | Err(StoreError::Locked { .. }) => {}
                        other => panic!("{other:?}"),
                    }
                }
            });
        }
    });
    let mut answers = open(&path);
    let kept = keys(&mut answers, 0..100);
    assert!(!kept.is_empty());
    for key in kept {
        let key = key.to_string();
        assert_eq!(answers.get(&key).unwrap().as_deref(), Some(key.as_bytes()));
    }
}

#[test]
fn a_writer_that_never_ends_holds_nobody_up() {
    let (_folder, path) = place();
    let mut answers = open(&path);
    answers.put("one", b"1").unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(answers.put("two", b"2"), Err(StoreError::Locked { .. })));
    assert_eq!(answers.get("one").unwrap().as_deref(), Some(&b"1"[..]), "reading goes on");
}

#[test]
fn a_link_in_place_of_the_file_is_refused() {
    let (folder, path) = place();
    let elsewhere = folder.path().join("elsewhere");
    fs::write(&elsewhere, "").unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    assert!(matches!(Answers::open(&path, AnswerBounds::default()), Err(StoreError::CannotOpen { .. })));
}

fn named(keys: std::ops::Range<u32>) -> Vec<String> {
    keys.map(|key| key.to_string()).collect()
}

fn many(keys: std::ops::Range<u32>, bytes: usize) -> Vec<(String, Vec<u8>)> {
    named(keys).into_iter().map(|key| (key, vec![7; bytes])).collect()
}

#[test]
fn many_are_kept_and_found_in_one_go_each_in_its_place() {
    let (_folder, path) = place();
    let mut answers = open(&path);
    answers.put_many(&[("one".into(), b"1".to_vec()), ("two".into(), Vec::new())]).unwrap();
    let keys = ["two", "none", "one"].map(str::to_owned);
    let found = answers.get_many(&keys, 100).unwrap();
    assert_eq!(found, [Some(Vec::new()), None, Some(b"1".to_vec())]);
    assert_eq!(answers.get("one").unwrap().as_deref(), Some(&b"1"[..]));
    assert_eq!(answers.get_many(&[], 100).unwrap(), Vec::<Option<Vec<u8>>>::new());
    answers.put_many(&[]).unwrap();
}

#[test]
fn no_more_of_many_is_given_than_there_is_room_for() {
    let (_folder, path) = place();
    let mut answers = open(&path);
    answers.put_many(&many(0..4, 10)).unwrap();
    let given: Vec<_> = answers.get_many(&named(0..4), 25).unwrap().iter().map(Option::is_some).collect();
    assert_eq!(given, [true, true, false, false]);
}

#[test]
fn the_longest_unused_of_many_make_room() {
    let (_folder, path) = place();
    let mut answers = Answers::open(&path, AnswerBounds { bytes: 100, entries: 1_000 }).unwrap();
    answers.put_many(&many(0..10, 10)).unwrap();
    answers.get_many(&named(0..3), 100).unwrap();
    answers.put_many(&many(10..12, 10)).unwrap();
    assert_eq!(keys(&mut answers, 0..12), [0, 1, 2, 7, 8, 9, 10, 11], "an eighth of the room is left");
    answers.put_many(&many(12..13, 26)).unwrap();
    assert!(keys(&mut answers, 12..13).is_empty(), "one that takes over a quarter isn't kept");
}

#[test]
fn one_of_many_that_isn_t_what_was_put_there_is_left_out_and_removed() {
    let (_folder, path) = place();
    let mut answers = open(&path);
    answers.put_many(&many(0..2, 10)).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute("UPDATE answers SET body = x'00' WHERE key = '0'", []).unwrap();
    let given: Vec<_> = answers.get_many(&named(0..2), 100).unwrap().iter().map(Option::is_some).collect();
    assert_eq!(given, [false, true]);
    let left: i64 = other.query_row("SELECT count(*) FROM answers", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 1);
}
