//! What a deterministic call saw: looked at again, it holds until something of it has changed, and
//! no longer.

use crate::fence_guest::{FOLLOW, Guest, Project, WALKS, code, ready};
use ringfence_sandbox::Footprint;
use std::fs::{self, File, FileTimes};
use std::time::{Duration, SystemTime};
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptor, HostDirectoryEntryStream, OpenFlags, PathFlags,
};

fn project() -> Project {
    let project = Project::empty();
    project
        .folder("src/empty")
        .file("src/f", "0123456789")
        .file("src/g", "0123456789")
        .file("src/in/x", "x")
        .file("beside/y", "y")
        .link("src/l", "f");
    project
}

type Look = fn(&mut Guest);
type Change = fn(&Project);

/// Looks, changes something, and says whether what was seen is still to be seen.
fn holds_after(look: Look, change: Change) -> bool {
    let [one, other] = WALKS.map(|walk| {
        let project = project();
        let tree = project.steady_tree(walk, &["src"]);
        let mut guest = Guest::of(tree.clone());
        look(&mut guest);
        let footprint = guest.footprint().expect("all of it was noted");
        let written = serde_json::to_string(&footprint).expect("JSON");
        let footprint: Footprint = serde_json::from_str(&written).expect("read back");
        assert!(tree.still_holds(&footprint), "nothing has changed yet");
        change(&project);
        tree.still_holds(&footprint)
    });
    assert_eq!(one, other, "both ways of walking");
    one
}

fn read(guest: &mut Guest) {
    guest.text("src/f").expect("a file");
}

fn read_two_bytes(guest: &mut Guest) {
    let fd = guest.open("src/f").expect("a file");
    let (bytes, _) = code(ready(guest.host().read(fd, 2, 0))).expect("bytes");
    assert_eq!(bytes, b"01");
}

fn list(guest: &mut Guest) {
    guest.list("src").expect("a folder");
}

fn miss(guest: &mut Guest) {
    assert_eq!(guest.read("src/new"), Err(ErrorCode::NoEntry));
}

fn stat(guest: &mut Guest) {
    guest.stat("src/f", FOLLOW).expect("there");
}

fn stat_open(guest: &mut Guest) {
    let fd = guest.open("src/f").expect("a file");
    code(ready(guest.host().stat(fd))).expect("there");
}

fn identify(guest: &mut Guest) {
    let root = guest.root();
    code(ready(guest.host().metadata_hash_at(root, FOLLOW, "src/f".to_owned()))).expect("there");
}

fn set_times(project: &Project, times: FileTimes) {
    File::options().write(true).open(project.at("src/f")).unwrap().set_times(times).unwrap();
}

fn touch(project: &Project) {
    set_times(project, FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000)));
}

fn append(project: &Project) {
    project.file("src/f", "0123456789+");
}

fn replace(project: &Project) {
    project.file("src/new", "0123456789");
    fs::rename(project.at("src/new"), project.at("src/f")).unwrap();
}

fn relink(project: &Project) {
    fs::remove_file(project.at("src/l")).unwrap();
    project.link("src/l", "g");
}

#[test]
fn the_bytes_that_were_read_decide_and_no_others() {
    assert!(!holds_after(read, |project| {
        project.file("src/f", "012345678X");
    }));
    assert!(!holds_after(read, append));
    assert!(!holds_after(read, |project| {
        project.file("src/f", "01234");
    }));
    assert!(!holds_after(read, |project| fs::remove_file(project.at("src/f")).unwrap()));
    assert!(!holds_after(read_two_bytes, |project| {
        project.file("src/f", "X123456789");
    }));
    assert!(holds_after(read_two_bytes, |project| {
        project.file("src/f", "01XXX");
    }));
    assert!(holds_after(read_two_bytes, append));
    assert!(holds_after(read, |project| {
        project.file("src/g", "other");
    }));
}

#[test]
fn equal_bytes_are_the_same_whoever_wrote_them_when() {
    assert!(holds_after(read, touch));
    assert!(holds_after(read, replace));
}

#[test]
fn where_a_file_was_seen_to_end_counts_also_when_no_byte_was_read() {
    fn beyond(guest: &mut Guest) {
        let fd = guest.open("src/f").expect("a file");
        assert_eq!(code(ready(guest.host().read(fd, 5, 100))), Ok((Vec::new(), true)));
    }
    assert!(holds_after(beyond, append));
    assert!(!holds_after(beyond, |project| {
        project.file("src/f", "x".repeat(200));
    }));
}

#[test]
fn a_stream_is_reading_like_any_other() {
    fn stream(guest: &mut Guest) {
        let fd = guest.open("src/f").expect("a file");
        let stream = code(guest.host().read_via_stream(fd, 4)).expect("a stream");
        while guest.stream_read(&stream, 3).is_some() {}
    }
    assert!(holds_after(stream, |project| {
        project.file("src/f", "XXXX456789");
    }));
    assert!(!holds_after(stream, |project| {
        project.file("src/f", "012345678X");
    }));
    assert!(!holds_after(stream, append));
}

#[test]
fn a_folder_that_was_listed_has_the_same_names_and_kinds() {
    assert!(!holds_after(list, |project| {
        project.file("src/new", "");
    }));
    fn list_empty(guest: &mut Guest) {
        assert_eq!(guest.list("src/empty"), Ok(Vec::new()));
    }
    assert!(!holds_after(list_empty, |project| {
        project.file("src/empty/new", "");
    }));
    assert!(!holds_after(list, |project| fs::remove_file(project.at("src/g")).unwrap()));
    assert!(!holds_after(list, |project| {
        fs::remove_file(project.at("src/g")).unwrap();
        project.folder("src/g");
    }));
    assert!(holds_after(list, append));
    assert!(holds_after(list, |project| {
        project.file("src/in/new", "");
    }));
    assert!(
        holds_after(list, |project| {
            project.file("src/.env", "hidden");
        }),
        "nobody sees that"
    );
}

#[test]
fn a_folder_that_was_begun_is_compared_as_far_as_it_was_read() {
    fn begin(guest: &mut Guest) {
        let fd = guest.open("src").expect("a folder");
        let entries = code(ready(guest.host().read_directory(fd))).expect("a listing");
        let at = Resource::new_borrow(entries.rep());
        assert!(code(ready(guest.host().read_directory_entry(at))).expect("an entry").is_some());
    }
    fn empty(project: &Project) {
        fs::remove_dir_all(project.at("src")).unwrap();
        project.folder("src");
    }
    assert!(!holds_after(begin, empty));
}

#[test]
fn what_was_missing_is_missing_still() {
    fn stat_missing(guest: &mut Guest) {
        assert_eq!(guest.stat("src/new", FOLLOW).err(), Some(ErrorCode::NoEntry));
    }
    fn deep(guest: &mut Guest) {
        assert_eq!(guest.read("src/no/such/file"), Err(ErrorCode::NoEntry));
    }
    for look in [miss, stat_missing] {
        assert!(!holds_after(look, |project| {
            project.file("src/new", "");
        }));
        assert!(!holds_after(look, |project| {
            project.link("src/new", "f");
        }));
        assert!(holds_after(look, append));
    }
    assert!(!holds_after(deep, |project| {
        project.file("src/no/such/file", "");
    }));
}

#[test]
fn what_was_refused_is_refused_still_whatever_is_there() {
    fn outside(guest: &mut Guest) {
        assert_eq!(guest.read("beside/y"), Err(ErrorCode::NoEntry));
        assert_eq!(guest.read("src/.env"), Err(ErrorCode::NoEntry));
    }
    assert!(holds_after(outside, |project| {
        project.file("src/.env", "SECRET");
        fs::remove_file(project.at("beside/y")).unwrap();
    }));
}

#[test]
fn times_and_sizes_count_once_they_were_seen() {
    for look in [stat, stat_open] {
        assert!(!holds_after(look, touch));
        assert!(!holds_after(look, append));
    }
    assert!(holds_after(miss, touch));
}

#[test]
fn the_time_of_the_last_reading_is_not_told_and_doesnt_count() {
    let project = project();
    let seen = Guest::of(project.steady_tree(WALKS[0], &["src"])).stat("src/f", FOLLOW).expect("there");
    assert!(seen.data_access_timestamp.is_none() && seen.data_modification_timestamp.is_some());
    let ordinary = project.guest(WALKS[0], &["src"]).stat("src/f", FOLLOW).expect("there");
    assert!(ordinary.data_access_timestamp.is_some());
}

#[test]
fn which_file_it_is_counts_once_it_was_asked() {
    assert!(!holds_after(identify, replace));
    assert!(holds_after(identify, append));
}

#[test]
fn a_link_counts_by_its_text_or_by_where_it_leads() {
    fn read_link(guest: &mut Guest) {
        assert_eq!(guest.readlink("src/l").as_deref(), Ok("f"));
    }
    fn through(guest: &mut Guest) {
        assert_eq!(guest.text("src/l").as_deref(), Ok("0123456789"));
    }
    assert!(!holds_after(read_link, relink));
    assert!(!holds_after(through, relink), "the same bytes under another name");
    assert!(!holds_after(through, append));
    assert!(holds_after(read, relink));
}

#[test]
fn nothing_is_waited_for_and_nothing_outside_is_read_when_it_is_looked_at_again() {
    fn becomes_fifo(project: &Project) {
        fs::remove_file(project.at("src/f")).unwrap();
        project.fifo("src/f");
    }
    fn becomes_link(project: &Project) {
        fs::remove_file(project.at("src/f")).unwrap();
        fs::write(project.outside().join("copy"), "0123456789").unwrap();
        project.link("src/f", "../../outside/copy");
    }
    for look in [read, stat, read_two_bytes] {
        assert!(!holds_after(look, becomes_fifo));
        assert!(!holds_after(look, becomes_link));
    }
}

#[test]
fn a_call_that_isn_t_deterministic_leaves_no_footprint() {
    let project = project();
    let mut guest = project.guest(WALKS[0], &["src"]);
    read(&mut guest);
    assert_eq!(guest.footprint(), None);
}

#[test]
fn too_much_to_look_at_again_leaves_none() {
    let project = project();
    let guest = || Guest::of(project.steady_tree(WALKS[0], &["src"]));
    let mut many = guest();
    for name in 0..25_000 {
        assert_eq!(many.read(&format!("src/no-{name}")), Err(ErrorCode::NoEntry));
    }
    assert_eq!(many.footprint(), None);

    project.file("src/long", vec![b'x'; 100_000]);
    let mut scattered = guest();
    let fd = scattered.open("src/long").expect("a file").rep();
    for at in (0..100_000).step_by(1_000) {
        let fd = Resource::new_borrow(fd);
        assert_eq!(code(ready(scattered.host().read(fd, 1, at))).map(|(bytes, _)| bytes.len()), Ok(1));
    }
    assert_eq!(scattered.footprint(), None);
}

#[test]
fn a_call_that_tries_to_change_something_leaves_none() {
    let project = project();
    let guest = || Guest::of(project.steady_tree(WALKS[0], &["src"]));
    let mut maker = guest();
    let root = maker.root();
    assert!(code(ready(maker.host().create_directory_at(root, "src/new".to_owned()))).is_err());
    assert_eq!(maker.footprint(), None);
    let mut writer = guest();
    let (root, write) = (writer.root(), DescriptorFlags::WRITE);
    let path = "src/f".to_owned();
    let opened = ready(writer.host().open_at(root, PathFlags::empty(), path, OpenFlags::empty(), write));
    assert!(code(opened).is_err());
    assert_eq!(writer.footprint(), None);
}

#[test]
fn what_changes_while_it_is_looked_at_never_holds() {
    let project = project();
    let tree = project.steady_tree(WALKS[0], &["src"]);
    let mut guest = Guest::of(tree.clone());
    stat(&mut guest);
    append(&project);
    stat(&mut guest);
    assert_eq!(guest.footprint(), None, "two answers to one question");

    let mut guest = Guest::of(tree.clone());
    read(&mut guest);
    project.file("src/f", "something else");
    read(&mut guest);
    assert!(guest.footprint().is_none_or(|footprint| !tree.still_holds(&footprint)));
}

#[test]
fn a_listing_counts_whether_it_was_closed_or_not() {
    fn left_open(guest: &mut Guest) {
        let fd = guest.open("src").expect("a folder");
        let entries = code(ready(guest.host().read_directory(fd))).expect("a listing");
        let next = |guest: &mut Guest| {
            let at = Resource::new_borrow(entries.rep());
            code(ready(guest.host().read_directory_entry(at))).expect("an entry")
        };
        while next(guest).is_some() {}
    }
    assert!(!holds_after(left_open, |project| {
        project.file("src/new", "");
    }));
}
