//! Paths, kinds of files, and changes: what is asked for by name.

use crate::bench::{Fence, SECRET, open};
use crate::guests::Guest;
use crate::threat::threats;
use ringfence_sandbox::Limits;
use serde_json::json;
use std::fs;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::{Duration, Instant};

threats! {
    "A path that leads above the project, spelled in many ways: `../x`, `a/../../x`, `/../x`, `.//..//x`, `a/b/../../../x`",
        View, "what was asked, what is granted, what would allow it"
        => EveryLanguage a_path_that_leads_above_the_project;
    "A path of the project that isn't granted, and one whose name begins as a granted one does",
        View, "what was asked, what is granted, and `--dir lib` as what would allow it"
        => EveryLanguage a_folder_beside_the_grant;
    "A path of the host: `/etc/passwd`, `/proc/self/environ`, `/proc/self/root/…`, `/dev/fd/0`, the project's own full path",
        View, "what was asked and what is granted; nothing would allow it"
        => EveryLanguage a_path_of_the_host;
    "Dots and slashes that are none: percent signs, full-width and other look-alikes",
        View, "no such file: each is an ordinary name"
        => EveryLanguage look_alikes_of_dots_and_slashes;
    "A NUL in the middle of a path",
        View, "the language's own error, or no such file"
        => EveryLanguage a_nul_in_a_path;
    "A path of 5,000 bytes, and one of 2,000 names",
        View, "the tool's own error; the host goes on"
        => EveryLanguage a_path_without_end;
    "The folder `.ringfence`, also where the whole project is granted, also in capitals",
        Masks, "that it is hidden from all tools; nothing would allow it"
        => EveryLanguage the_folder_that_is_ringfence_s_own;
    "A pipe that nobody writes to, and a socket",
        Kinds, "that only files and folders can be opened, at once"
        => EveryLanguage a_pipe_and_a_socket;
    "A sparse file of 3 GiB, read whole",
        Limits, "that the limit of memory was exceeded, or the tool's own error for want of memory"
        => EveryLanguage a_sparse_file_of_three_gibibytes;
    "More bytes read than the call may read",
        Limits, "that the limit of bytes read was exceeded"
        => EveryLanguage more_bytes_than_a_call_may_read;
    "A folder of 100,000 entries, listed with a lower bound",
        Limits, "that the limit of folder entries was exceeded"
        => EveryLanguage a_folder_of_a_hundred_thousand_entries;
    "A folder tree 2,000 deep, searched",
        Limits, "an answer that says what was left out"
        => Library a_tree_two_thousand_folders_deep;
    "A file of one line of 50 MB",
        Cut, "a bounded result with a mark of what was cut"
        => EveryLanguage a_line_of_fifty_megabytes;
    "A file that changes or vanishes while it is read again and again",
        View, "one of the contents, or no such file"
        => EveryLanguage a_file_that_comes_and_goes;
    "A granted folder that is removed during a run, and another put in its place",
        Walk, "no such file: the grant is the folder that was granted"
        => EveryLanguage a_grant_that_is_replaced_during_a_run;
    "A granted folder that is missing, a link, or behind one, or `.ringfence`",
        Loading, "which grant can't be opened and why, before anything runs"
        => Library a_grant_that_is_no_folder;
    "Names in a listing with line breaks, escape sequences, reversed direction, bytes that are no text",
        View, "the names, and none of them leads out"
        => EveryLanguage names_that_are_made_to_confuse;
}

const SPELLINGS: &[&str] = &[
    "../secret.txt",
    "src/../../secret.txt",
    "/../secret.txt",
    ".//..//secret.txt",
    "src/sub/../../../secret.txt",
    "./src/./sub/.././../../secret.txt",
    "..",
    "src/../..",
];

/// Some libraries tidy `..` away before they ask: then it's the project's own `secret.txt`.
const ABOVE: &[&str] = &["leaves_root", "not_granted"];

fn a_path_that_leads_above_the_project(guest: &Guest) {
    let fence = Fence::new();
    for path in SPELLINGS {
        for tool in ["read_text", "look_at", "list_folder", "read_link"] {
            let called = fence.call(guest, tool, json!({ "path": path }));
            // The project's root itself can be looked at and shows the way to the grant.
            if tool == "read_link" || path.ends_with("..") {
                assert!(called.report.receipt.opened.is_empty(), "{called}");
                continue;
            }
            called.is_denied(ABOVE, &["src, read)"]);
        }
    }
}

fn a_folder_beside_the_grant(guest: &Guest) {
    let fence = Fence::new();
    for (path, allow) in [
        ("lib/secret.txt", "`--dir lib` would allow it"),
        ("src2/secret.txt", "`--dir src2` would allow it"),
        ("secret.txt", "`--dir secret.txt` would allow it"),
        ("src/../lib/secret.txt", "`--dir lib` would allow it"),
    ] {
        for tool in ["read_text", "look_at"] {
            let called = fence.call(guest, tool, json!({ "path": path }));
            called.is_denied(
                &["not_granted"],
                &["secret.txt is outside the granted folders (src, read)", allow],
            );
        }
    }
    fence.call(guest, "list_folder", json!({ "path": "lib" })).is_denied(&["not_granted"], &["--dir lib"]);
}

fn a_path_of_the_host(guest: &Guest) {
    let fence = Fence::new();
    let own = fence.at("src/a.txt").to_str().unwrap().to_owned();
    for path in [
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd",
        "/dev/fd/0",
        "/dev/zero",
        "//etc/passwd",
        &own,
    ] {
        let called = fence.call(guest, "read_text", json!({ "path": path }));
        called.is_denied(ABOVE, &["(src, read)"]);
        assert!(called.report.receipt.denials.iter().all(|denial| denial.would_allow.is_none()), "{called}");
    }
}

fn look_alikes_of_dots_and_slashes(guest: &Guest) {
    let fence = Fence::new();
    for path in [
        "src/%2e%2e/%2e%2e/secret.txt",
        "src/..%2f..%2fsecret.txt",
        "src/..\\..\\secret.txt",
        "src/\u{ff0e}\u{ff0e}/\u{ff0e}\u{ff0e}/secret.txt",
        "src/..\u{2215}..\u{2215}secret.txt",
        "src/\u{2025}/\u{2025}/secret.txt",
        "src/.\u{200b}./.\u{200b}./secret.txt",
        "src/\u{2024}\u{2024}/secret.txt",
        "src/... /secret.txt",
    ] {
        fence.call(guest, "read_text", json!({ "path": path })).is_failure();
    }
}

fn a_nul_in_a_path(guest: &Guest) {
    let fence = Fence::new();
    for path in ["src/a.txt\0", "src/a.txt\0/../../secret.txt", "src/\0../../secret.txt"] {
        let called = fence.call(guest, "read_text", json!({ "path": path }));
        assert!(called.report.receipt.opened.is_empty(), "{called}");
    }
}

fn a_path_without_end(guest: &Guest) {
    let fence = Fence::new();
    for path in [
        format!("src/{}", "x".repeat(5_000)),
        format!("src/{}secret.txt", "../".repeat(2_000)),
        format!("{}lib/secret.txt", "src/../".repeat(2_000)),
        format!("src/{}a.txt", "d/".repeat(2_000)),
    ] {
        let called = fence.call(guest, "read_text", json!({ "path": path }));
        assert!(called.report.receipt.opened.is_empty(), "{called}");
        assert!(called.message().len() < 8_000, "{called}");
    }
}

fn the_folder_that_is_ringfence_s_own(guest: &Guest) {
    for grants in [&["."][..], &["src"]] {
        let fence = Fence::granting(grants);
        for path in
            [".ringfence/state", ".RingFence/state", "src/../.ringfence/state", ".ring\u{200b}fence/state"]
        {
            let called = fence.call(guest, "read_text", json!({ "path": path }));
            called.is_denied(&["masked"], &["is hidden from all tools"]);
            assert!(called.report.receipt.denials[0].would_allow.is_none(), "{called}");
        }
    }
    let listed = Fence::granting(&["."]).call(guest, "list_folder", json!({ "path": "." }));
    assert!(!listed.done().to_string().contains(".ringfence"), "{listed}");
}

fn a_pipe_and_a_socket(guest: &Guest) {
    let fence = Fence::new();
    assert!(Command::new("mkfifo").arg(fence.at("src/pipe")).status().unwrap().success());
    let _listener = UnixListener::bind(fence.at("src/socket")).unwrap();
    fence.link("src/to-pipe", "pipe");
    for path in ["src/pipe", "src/socket", "src/to-pipe"] {
        let began = Instant::now();
        let called = fence.call(guest, "read_text", json!({ "path": path }));
        called.is_denied(&["special_file"], &["only files and folders can be opened"]);
        assert!(began.elapsed() < Duration::from_secs(20), "it waited: {called}");
    }
}

fn a_sparse_file_of_three_gibibytes(guest: &Guest) {
    let fence = Fence::new().within(Limits { memory_bytes: 128 << 20, time_ms: 60_000, ..Limits::default() });
    fs::File::create(fence.at("src/sparse")).unwrap().set_len(3 << 30).unwrap();
    let called = fence.call(guest, "read_text", json!({ "path": "src/sparse" }));
    assert!(called.report.receipt.peak_memory_bytes <= 128 << 20, "{called}");
    // Rust's library asks for the room at once, and copes with the refusal.
    if guest.language == "rust" { called.is_failure() } else { called.is_stopped_by("memory") }
}

fn more_bytes_than_a_call_may_read(guest: &Guest) {
    let fence = Fence::new().within(Limits { read_bytes: 10_000, ..Limits::default() });
    fence.file("src/large", "x".repeat(20_000));
    fence.call(guest, "read_text", json!({ "path": "src/large" })).is_stopped_by("bytes read");
}

fn a_folder_of_a_hundred_thousand_entries(guest: &Guest) {
    let fence = Fence::new().within(Limits { dir_entries: 50_000, ..Limits::default() });
    fs::create_dir(fence.at("src/many")).unwrap();
    for at in 0..100_000 {
        fs::hard_link(fence.at("src/a.txt"), fence.at(&format!("src/many/{at}")))
            .or_else(|_| fs::write(fence.at(&format!("src/many/{at}")), ""))
            .unwrap();
    }
    fence.call(guest, "list_folder", json!({ "path": "src/many" })).is_stopped_by("entries");
}

fn a_tree_two_thousand_folders_deep() {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let fence = Fence::new();
    let mut at = openat(CWD, fence.at("src"), OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    for _ in 0..2_000 {
        mkdirat(&at, "deeper", Mode::RWXU).unwrap();
        at = openat(&at, "deeper", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    }
    let listed = fence
        .call_tool(&crate::made::standard("list_files"), json!({ "directory": "src", "recursive": true }));
    let left_out = listed.done()["unreadable"][0].as_str().unwrap();
    assert!(left_out.ends_with("the name is too long"), "{listed}");
    let found = fence.call_tool(&crate::made::standard("search_text"), json!({ "pattern": "granted" }));
    assert!(found.done().to_string().contains("src/a.txt"), "{found}");
}

fn a_line_of_fifty_megabytes(guest: &Guest) {
    let fence = Fence::new().within(Limits { memory_bytes: 1 << 30, time_ms: 60_000, ..Limits::default() });
    fence.file("src/line", vec![b'x'; 50_000_000]);
    let called = fence.call(guest, "read_text", json!({ "path": "src/line" }));
    let kept = called.done().as_str().unwrap();
    assert!(kept.len() < 300_000 && kept.ends_with(" of 50000000 bytes]"), "{}", kept.len());
    assert!(called.report.receipt.truncated);
}

fn a_file_that_comes_and_goes(guest: &Guest) {
    let fence = Fence::new();
    let (path, next) = (fence.at("src/moving"), fence.at("lib/next"));
    let outcomes = while_doing(
        |turn| {
            if turn % 3 == 2 {
                let _ = fs::remove_file(&path);
            } else {
                // In one piece: a file that is written while it is read shows a mixture to anybody.
                fs::write(&next, ["one", "other"][turn % 3]).unwrap();
                fs::rename(&next, &path).unwrap();
            }
        },
        || fence.call(guest, "read_again", json!({ "path": "src/moving", "times": 2_000 })),
    );
    for outcome in outcomes.done().as_array().unwrap() {
        let outcome = outcome.as_str().unwrap();
        let known = ["one", "other"].contains(&outcome) || outcome.starts_with("error: ");
        assert!(known, "{outcome}");
    }
}

/// Does the one thing again and again on a thread while the other is done once.
pub(crate) fn while_doing<T>(mut again: impl FnMut(usize) + Send, once: impl FnOnce() -> T) -> T {
    use std::sync::atomic::{AtomicBool, Ordering};
    /// Raised when it is dropped, by a panic too: the thread would go on for ever.
    struct AtTheEnd<'a>(&'a AtomicBool);
    impl Drop for AtTheEnd<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let _stop = AtTheEnd(&stop);
        threads.spawn(|| {
            for turn in 0.. {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                again(turn);
            }
        });
        once()
    })
}

fn a_grant_that_is_replaced_during_a_run(guest: &Guest) {
    let fence = Fence::new();
    fs::rename(fence.at("src"), fence.at("moved")).unwrap();
    fs::rename(fence.at("lib"), fence.at("src")).unwrap();
    fence.call(guest, "read_text", json!({ "path": "src/secret.txt" })).is_failure();
    let still = fence.call(guest, "read_text", json!({ "path": "src/a.txt" }));
    assert_eq!(still.done(), "granted", "{still}");
    fs::remove_dir_all(fence.at("moved")).unwrap();
    fence.link("moved", "src");
    fence.call(guest, "read_text", json!({ "path": "src/a.txt" })).is_failure();
    fence.call(guest, "read_text", json!({ "path": "src/secret.txt" })).is_failure();
}

fn a_grant_that_is_no_folder() {
    let fence = Fence::new();
    fence.link("linked", "lib").link("far", "/etc");
    for (grant, why) in [
        ("none", "none"),
        ("linked", "linked"),
        ("far", "far"),
        ("linked/sub", "linked"),
        (".ringfence", ".ringfence"),
    ] {
        let refused = open(&fence.project(), &[grant]).unwrap_err();
        assert!(refused.contains(why) && !refused.contains(SECRET), "{grant}: {refused}");
    }
}

fn names_that_are_made_to_confuse(guest: &Guest) {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let fence = Fence::new();
    let names: &[&[u8]] = &[
        b"two\nlines",
        b"\x1b[2J\x1b]0;title\x07",
        "evil\u{202e}txt.exe".as_bytes(),
        b"not\xfftext",
        "\u{8bfb}\u{6211}".as_bytes(),
        "\u{43f}\u{440}\u{43e}\u{447}\u{442}\u{438}".as_bytes(),
        b"..\\..\\secret.txt",
        b"-rf",
        b" ",
    ];
    for name in names {
        fs::write(fence.at("src").join(OsStr::from_bytes(name)), "granted").unwrap();
    }
    fs::write(fence.at("src").join("n".repeat(255)), "granted").unwrap();
    let listed = fence.call(guest, "list_folder", json!({ "path": "src" }));
    let listed = listed.done().as_array().unwrap().clone();
    // Two files that were there, a folder, and those above; `.env` and `.git` are hidden.
    assert_eq!(listed.len(), names.len() + 3, "{listed:?}");
    for name in listed {
        let path = format!("src/{}", name.as_str().unwrap());
        let called = fence.call(guest, "look_at", json!({ "path": path }));
        let found = called.done();
        assert!(found == "file 7" || found == "folder", "{called}");
    }
}
