//! What a guest changes is there for it and for the calls after it, and nowhere else.

use crate::fence_guest::{Project, WALKS};
use crate::stage_guest::{How, Run};
use ringfence_sandbox::{KnownReads, Stage, WrittenChange};
use std::fs;
use std::sync::Arc;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, DescriptorType, ErrorCode, HostDescriptor, PathFlags,
};

fn run() -> Run {
    let project = Project::empty();
    project
        .file("src/a.txt", "one\ntwo\n")
        .file("src/sub/b.txt", "bee")
        .folder("src/empty")
        .file("top.txt", "top");
    Run::on(project, &["src"])
}

#[test]
fn a_write_is_seen_by_later_calls_and_not_by_the_project() {
    for walk in WALKS {
        let run = Run { walk, ..run() };
        run.call(|guest| {
            guest.read_first("src/a.txt");
            guest.write("src/a.txt", "changed").unwrap();
            assert_eq!(guest.text("src/a.txt").as_deref(), Ok("changed"));
            guest.write("src/new.txt", "new").unwrap();
        });
        assert_eq!(run.sees("src/a.txt").as_deref(), Ok("changed"));
        assert_eq!(run.sees("src/new.txt").as_deref(), Ok("new"));
        assert_eq!(run.in_project("src/a.txt").as_deref(), Some("one\ntwo\n"));
        assert_eq!(run.in_project("src/new.txt"), None);
        let mut guest = run.guest();
        assert_eq!(guest.size("src/a.txt"), 7);
        assert_eq!(guest.names("src"), ["a.txt", "empty", "new.txt", "sub"]);
    }
}

#[test]
fn each_way_of_writing_gives_what_a_file_system_gives() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.append("src/a.txt", "three\n").unwrap();
        guest.write_at("src/a.txt", "ONE", 0).unwrap();
        assert_eq!(guest.text("src/a.txt").as_deref(), Ok("ONE\ntwo\nthree\n"));
        assert!(guest.set_size("src/a.txt", 3).is_ok());
        assert!(guest.set_size("src/a.txt", 5).is_ok());
        assert_eq!(guest.text("src/a.txt").as_deref(), Ok("ONE\0\0"));
        guest.write_at("src/a.txt", "x", 7).unwrap();
        assert_eq!(guest.text("src/a.txt").as_deref(), Ok("ONE\0\0\0\0x"));
        guest.append("src/log", "1").unwrap();
        guest.append("src/log", "2").unwrap();
        assert_eq!(guest.text("src/log").as_deref(), Ok("12"));
    });
    run.call(|guest| guest.append("src/log", "3").unwrap());
    assert_eq!(run.sees("src/log").as_deref(), Ok("123"));
}

#[test]
fn opening_follows_the_flags() {
    let run = run();
    let mut guest = run.guest();
    assert!(matches!(guest.open_to_write("src/none", How::Existing), Err(ErrorCode::NoEntry)));
    assert!(matches!(guest.open_to_write("src/a.txt", How::New), Err(ErrorCode::Exist)));
    assert!(matches!(guest.open_to_write("src/sub", How::Create), Err(ErrorCode::IsDirectory)));
    assert!(matches!(guest.open_to_write("src/none/x", How::Create), Err(ErrorCode::NoEntry)));
    assert!(matches!(guest.open_to_write("src/a.txt/x", How::Create), Err(ErrorCode::NotDirectory)));
    let fd = guest.open_to_write("src/fresh", How::New).unwrap();
    guest.close(fd);
    assert!(matches!(guest.open_to_write("src/fresh", How::New), Err(ErrorCode::Exist)));
    // Looking at a file that is there needs no right to change it, create flag or not.
    let fd = guest.open_with("src/a.txt", How::Create, DescriptorFlags::READ).unwrap();
    guest.close(fd);
    assert_eq!(guest.denials(), []);
}

#[test]
fn folders_are_made_moved_and_removed() {
    let run = run();
    let written = run.call(|guest| {
        guest.make_folder("src/made").unwrap();
        assert_eq!(guest.make_folder("src/made"), Err(ErrorCode::Exist));
        assert_eq!(guest.make_folder("src/sub"), Err(ErrorCode::Exist));
        guest.write("src/made/x", "x").unwrap();
        assert_eq!(guest.remove_folder("src/made"), Err(ErrorCode::NotEmpty));
        assert_eq!(guest.remove_folder("src/sub"), Err(ErrorCode::NotEmpty));
        assert_eq!(guest.remove_folder("src/made/x"), Err(ErrorCode::NotDirectory));
        assert_eq!(guest.remove("src/made"), Err(ErrorCode::IsDirectory));
        guest.remove_folder("src/empty").unwrap();
        guest.rename("src/sub", "src/made/inner").unwrap();
        assert_eq!(guest.names("src"), ["a.txt", "made"]);
        assert_eq!(
            guest.list("src/made").unwrap(),
            [("inner".to_owned(), DescriptorType::Directory), ("x".to_owned(), DescriptorType::RegularFile)]
        );
        assert_eq!(guest.text("src/made/inner/b.txt").as_deref(), Ok("bee"));
        assert_eq!(guest.text("src/sub/b.txt"), Err(ErrorCode::NoEntry));
        assert_eq!(guest.rename("src/made", "src/made/inner/made"), Err(ErrorCode::Invalid));
    });
    let moved = written.iter().find(|written| written.path == "src/made/inner/b.txt").unwrap();
    assert_eq!(moved.change, WrittenChange::Renamed { from: "src/sub/b.txt".to_owned() });
    // A folder that was taken away can come again, with nothing of the project's in it.
    run.call(|guest| {
        guest.make_folder("src/sub").unwrap();
        assert_eq!(guest.names("src/sub"), Vec::<String>::new());
        guest.rename("src/made/inner", "src/sub").unwrap();
        assert_eq!(guest.names("src/sub"), ["b.txt"]);
    });
    assert!(
        run.changes().iter().all(|change| !change.path.to_string().starts_with("src/sub")),
        "{:?}",
        run.changes()
    );
}

#[test]
fn a_file_written_beside_and_renamed_over_takes_its_place() {
    let run = run();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/.a.txt.swp", "better").unwrap();
        guest.rename("src/.a.txt.swp", "src/a.txt").unwrap();
    });
    assert_eq!(run.sees("src/a.txt").as_deref(), Ok("better"));
    assert_eq!(run.changes().len(), 1);
    run.apply().unwrap();
    assert_eq!(run.in_project("src/a.txt").as_deref(), Some("better"));
}

#[test]
fn an_open_file_stays_the_same_file_under_another_name() {
    let run = run();
    run.call(|guest| {
        let fd = guest.open_to_write("src/one", How::New).unwrap();
        guest.rename("src/one", "src/two").unwrap();
        let stream = guest.host().write_via_stream(wasmtime::component::Resource::new_borrow(fd.rep()), 0);
        guest.stream_write(stream, b"late").unwrap();
    });
    assert_eq!(run.sees("src/two").as_deref(), Ok("late"));
    assert_eq!(run.sees("src/one"), Err(ErrorCode::NoEntry));
}

#[test]
fn times_are_kept() {
    let run = run();
    run.call(|guest| {
        guest.write("src/new", "x").unwrap();
        guest.set_modified("src/new", 1_000_000).unwrap();
        guest.set_modified("src/sub/b.txt", 2_000_000).unwrap();
    });
    let modified = |file| {
        let time = run.guest().stat(file, PathFlags::empty()).unwrap().data_modification_timestamp.unwrap();
        (time.seconds, time.nanoseconds)
    };
    assert_eq!((modified("src/new"), modified("src/sub/b.txt")), ((1_000_000, 7), (2_000_000, 7)));
    run.apply().unwrap();
    let on_disk = fs::metadata(run.project.at("src/new")).unwrap().modified().unwrap();
    assert_eq!(on_disk.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs(), 1_000_000);
}

#[test]
fn a_call_that_is_not_done_leaves_nothing_behind() {
    let run = run();
    run.call(|guest| guest.write("src/kept", "1").unwrap());
    let contents = || fs::read_dir(run.stage_path().join("contents")).unwrap().count();
    let before = contents();
    let mut guest = run.guest();
    guest.write("src/kept", "2").unwrap();
    guest.write("src/dropped", "2").unwrap();
    guest.settle(false);
    assert_eq!(run.sees("src/kept").as_deref(), Ok("1"));
    assert_eq!(run.sees("src/dropped"), Err(ErrorCode::NoEntry));
    let mut guest = run.guest();
    guest.write("src/kept", "3").unwrap();
    drop(guest);
    assert_eq!((run.sees("src/kept").as_deref(), contents()), (Ok("1"), before));
}

#[test]
fn what_is_staged_is_there_again_when_the_stage_is_opened_anew() {
    let mut run = run();
    run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/a.txt", "changed").unwrap();
        guest.rename("src/sub/b.txt", "src/c.txt").unwrap();
        guest.remove_folder("src/empty").unwrap();
    });
    let shown = |run: &Run| -> Vec<_> {
        let changes = run.changes().into_iter();
        changes.map(|change| (change.path, change.kind, change.before, change.after)).collect()
    };
    let before = shown(&run);
    run.stage = Arc::new(Stage::open(&run.stage_path()).unwrap());
    assert_eq!(shown(&run), before);
    assert_eq!(run.sees("src/c.txt").as_deref(), Ok("bee"));
    assert_eq!(run.guest().names("src"), ["a.txt", "c.txt", "sub"]);
}

#[test]
fn a_mark_leads_back_also_in_another_process() {
    let run = run();
    let empty = run.stage.mark().unwrap();
    run.call(|guest| guest.write("src/x", "1").unwrap());
    let first = run.stage.mark().unwrap();
    run.call(|guest| guest.write("src/x", "2").unwrap());
    let again = Stage::open(&run.stage_path()).unwrap();
    again.roll_back(first).unwrap();
    assert_eq!(run.sees("src/x").as_deref(), Ok("1"));
    run.call(|guest| guest.write("src/x", "3").unwrap());
    run.stage.roll_back(empty).unwrap();
    assert!(run.stage.is_empty().unwrap());
    run.stage.roll_back(first).unwrap();
    assert_eq!(run.sees("src/x").as_deref(), Ok("1"));
    for i in 0..40 {
        run.call(|guest| guest.write("src/x", i.to_string()).unwrap());
    }
    assert!(run.stage.roll_back(first).is_err(), "too long ago");
    let contents = fs::read_dir(run.stage_path().join("contents")).unwrap().count();
    assert!(contents <= 40, "{contents}");
}

#[test]
fn only_one_call_at_a_time_can_write() {
    let run = run();
    let guest = run.guest();
    assert!(run.begin().is_err_and(|error| error.to_string().contains("being changed")));
    let other = Run {
        stage: Arc::new(Stage::open(&run.stage_path()).unwrap()),
        known: KnownReads::new(),
        ..self::run()
    };
    assert!(other.begin().is_err());
    drop(guest);
    assert!(other.begin().is_ok());
}

#[test]
fn a_stage_that_others_can_enter_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().join("stage");
    drop(Stage::open(&at).unwrap());
    assert_eq!(fs::metadata(&at).unwrap().permissions().mode() & 0o777, 0o700);
    fs::set_permissions(&at, fs::Permissions::from_mode(0o750)).unwrap();
    let error = Stage::open(&at).unwrap_err().to_string();
    assert!(error.contains("chmod 700"), "{error}");
}

#[test]
fn what_a_call_wrote_is_in_its_receipt() {
    let run = run();
    let written = run.call(|guest| {
        guest.read_first("src/a.txt");
        guest.write("src/a.txt", "1").unwrap();
        guest.write("src/new", "22").unwrap();
        guest.write("src/tmp", "gone again").unwrap();
        guest.remove("src/tmp").unwrap();
        guest.rename("src/sub/b.txt", "src/c.txt").unwrap();
        guest.remove_folder("src/empty").unwrap();
    });
    insta::assert_json_snapshot!(written);
    let again = run.call(|guest| guest.write("src/a.txt", "1").unwrap());
    assert_eq!(again, [], "the same again is no change");
}
