//! Work on many files by the host: who works on them, what is remembered, what a worker sees, and
//! that each file's failure is its own.

use crate::fan_out_guest::{Desk, InHand, outcomes};
use crate::guests::join_all;
use crate::watchdog::ends;
use ringfence_sandbox::Stage;
use ringfence_sandbox::{
    CallRequest, Content, DenialReason, Digest, FilesWorked, LimitKind, Limits, MaskPattern, Memo, Outcome,
    SandboxConfig,
};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;

fn worked(worked: u64, remembered: u64) -> Option<FilesWorked> {
    Some(FilesWorked { worked, remembered })
}

fn strings(of: &[&str]) -> Vec<String> {
    of.iter().map(|one| (*one).to_owned()).collect()
}

#[tokio::test]
async fn as_many_instances_work_as_there_are_processors_and_each_on_many_files() {
    let desk = Desk::new();
    let paths = desk.files(&["w"; 40]);
    let report = desk.go(&paths).await;
    let all = outcomes(&report);
    let instances = all.iter().filter(|one| *one == "done 1").count();
    let processors = std::thread::available_parallelism().unwrap().get();
    assert_eq!(instances, processors.min(8), "{all:?}");
    assert_eq!((all.len(), report.receipt.files_worked), (40, worked(40, 0)));
}

#[tokio::test]
async fn calls_that_have_files_worked_on_never_wait_for_each_other_s_workers() {
    for config in [SandboxConfig { max_calls: 2, ..SandboxConfig::default() }, SandboxConfig::for_few_calls()]
    {
        let desk = Desk::with(config);
        let paths = desk.files(&["w"; 6]);
        let all = join_all((0..8).map(|_| desk.go(&paths))).await;
        for report in all {
            assert!(outcomes(&report).iter().all(|one| one.starts_with("done")));
        }
    }
}

#[tokio::test]
async fn outcomes_are_in_the_order_of_the_paths_with_the_hash_of_each_content() {
    let desk = Desk::new();
    let mut paths = desk.files(&["w", "p", "p"]);
    paths.reverse();
    let report = desk.go(&paths).await;
    let Outcome::Done(Value::Array(all)) = &report.outcome else { panic!("{:?}", report.outcome) };
    let content = |of: &str| json!(Digest::of(of.as_bytes()).hex());
    assert_eq!(all[0]["value"]["content"], content("p"));
    assert_eq!(all[2]["value"]["content"], content("w"));
    assert_ne!(all[0]["value"]["value"], all[1]["value"]["value"], "each is told its own path");
    let opened: Vec<_> = report.receipt.opened.iter().map(|one| (one.path.as_str(), one.content)).collect();
    let whole = |of: &str| Content::Whole { hash: Digest::of(of.as_bytes()) };
    assert_eq!(opened, [("f0002.txt", whole("p")), ("f0001.txt", whole("p")), ("f0000.txt", whole("w"))]);
}

#[tokio::test]
async fn a_file_that_is_as_it_was_is_not_worked_on_again() {
    let memory = Arc::new(InHand::default());
    let desk = Desk::with_memory(&memory);
    let paths = desk.files(&["c", "p", "c again"]);
    let first = desk.go(&paths).await;
    assert_eq!(first.receipt.files_worked, worked(3, 0));
    // Another process.
    let again = Desk { project: desk.project, ..Desk::with_memory(&memory) };
    let second = again.go(&paths).await;
    assert_eq!((second.receipt.files_worked, &second.outcome), (worked(0, 3), &first.outcome));
    assert_eq!(second.receipt.opened, first.receipt.opened, "it was read all the same");

    again.project.file(&paths[1], "p changed");
    assert_eq!(again.go(&paths).await.receipt.files_worked, worked(1, 2));
    let moved = [paths[0].clone(), "moved.txt".to_owned()];
    again.project.file("moved.txt", "p");
    assert_eq!(
        again.go(&moved).await.receipt.files_worked,
        worked(1, 1),
        "at another path it is another file"
    );
    let other = again.request("go", json!({"task": "b3RoZXI=", "paths": paths}));
    assert_eq!(again.call(other).await.receipt.files_worked, worked(3, 0), "for another task");
    again.sandbox.forget_files();
    assert_eq!(again.go(&paths).await.receipt.files_worked, worked(3, 0));
}

#[tokio::test]
async fn a_failure_is_the_file_s_own_and_is_not_remembered() {
    let memory = Arc::new(InHand::default());
    let desk = Desk::with_memory(&memory);
    let paths = desk.files(&["c", "t", "e no\u{1b}", "r", "b", "c"]);
    for known in [0, 2] {
        let report = desk.go(&paths).await;
        let all = outcomes(&report);
        assert!(all[0].starts_with("done") && all[5].starts_with("done"), "{all:?}");
        assert!(all[1].starts_with("failed wasm `unreachable`"), "{all:?}");
        assert_eq!(all[2], "failed e no ");
        assert!(all[3].contains("only a tool's own call may have files worked on"), "{all:?}");
        assert_eq!(all[4], "failed it handed over more than 4 MiB");
        assert_eq!(report.receipt.files_worked, worked(6 - known, known));
    }
}

#[tokio::test]
async fn a_file_that_takes_for_ever_fails_alone_and_the_answer_is_not_kept() {
    let desk = Desk::new();
    let paths = desk.files(&["l", "c"]);
    let report = desk.go(&paths).await;
    assert_eq!(outcomes(&report)[0], "failed it took longer than 5 s");
    assert!(outcomes(&report)[1].starts_with("done"));
    assert_eq!(Memo::of(&report, 1), None, "another time there might be more of it");
    let usual = desk.files(&["c", "c"]);
    assert!(Memo::of(&desk.go(&usual).await, 1).is_some());
}

#[tokio::test]
async fn when_the_call_s_time_is_nearly_over_the_rest_is_not_reached() {
    let desk = Desk::new();
    let paths = desk.files(&["l"; 20]);
    let limits = Limits { time_ms: 2_000, ..Limits::default() };
    let report = desk.call(CallRequest { limits, ..desk.going(&paths) }).await;
    assert_eq!(outcomes(&report), vec!["not_reached"; 20]);
    assert_eq!(Memo::of(&report, 1), None);
}

#[tokio::test]
async fn what_the_call_may_not_read_it_is_not_given() {
    let mut desk = Desk::new();
    desk.grants.dirs[0].masks.patterns.push(MaskPattern::parse("hidden.txt").unwrap());
    desk.project.file("hidden.txt", "c").file("large.txt", vec![b'c'; (2 << 20) + 1]).folder("folder");
    desk.project.file("most.txt", vec![b'c'; 2 << 20]);
    symlink(desk.project.outside().join("secret.txt"), desk.project.at("out.txt")).unwrap();
    symlink("most.txt", desk.project.at("in.txt")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, desk.project.at("fifo"), rustix::fs::Mode::RWXU).unwrap();
    let paths = [
        "hidden.txt",
        "out.txt",
        "../outside/secret.txt",
        "fifo",
        "folder",
        "none",
        "large.txt",
        "/most.txt",
        "in.txt",
    ];
    let report = desk.go(&strings(&paths)).await;
    let all = outcomes(&report);
    assert_eq!(all[0], "unreadable there is no such file");
    assert_eq!(all[1], "unreadable it may not be read");
    assert_eq!(all[2], "unreadable it may not be read");
    assert_eq!(all[3], "unreadable it may not be read");
    assert_eq!(all[4], "unreadable it is a folder");
    assert_eq!(all[5], "unreadable there is no such file");
    assert_eq!(all[6], format!("too_large {}", (2 << 20) + 1));
    assert!(all[7].starts_with("done") && all[8].starts_with("done"), "{all:?}");
    let refused: Vec<_> = report.receipt.denials.iter().map(|one| (one.asked.as_str(), one.reason)).collect();
    assert_eq!(
        refused,
        [
            ("hidden.txt", DenialReason::Masked),
            ("out.txt", DenialReason::LinkLeaves),
            ("../outside/secret.txt", DenialReason::LeavesRoot),
            ("fifo", DenialReason::SpecialFile)
        ]
    );
}

#[tokio::test]
async fn an_answer_is_given_again_until_a_file_that_was_worked_on_changes() {
    let desk = Desk::new();
    let paths = desk.files(&["c", "p"]);
    let request = desk.going(&paths);
    let memo = Memo::of(&desk.call(request.clone()).await, 1).unwrap();
    let again = desk.sandbox.recall(memo.clone(), &request.tree).await.unwrap();
    assert_eq!(again.receipt.files_worked, None, "no file was worked on");
    desk.project.file(&paths[1], "p changed");
    assert!(desk.sandbox.recall(memo, &request.tree).await.is_none());
}

#[tokio::test]
async fn a_worker_sees_no_file_no_variable_and_no_setting() {
    let mut desk = Desk::new();
    desk.grants.deterministic = false;
    desk.grants.env.insert(ringfence_sandbox::VariableName::parse("SEEN").unwrap());
    desk.grants.settings.insert("key".to_owned(), "value".to_owned());
    desk.project.file("seen.txt", "s");
    let own = desk.call(desk.request("surroundings", json!({}))).await;
    assert_eq!(own.outcome, Outcome::Done(json!("AQEB")), "the call itself sees one of each");
    let report = desk.go(&strings(&["seen.txt"])).await;
    assert_eq!(outcomes(&report), ["done 0 0 0"]);
    assert!(report.receipt.denials.is_empty(), "what a worker tries is its own");
}

#[tokio::test]
async fn cancelling_the_call_stops_its_workers() {
    let desk = Desk::new();
    let paths = desk.files(&["l"; 8]);
    let request = desk.going(&paths);
    let cancel = request.cancel.clone();
    let (report, ()) = tokio::join!(desk.call(request), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancel.cancel();
    });
    assert_eq!(report.outcome, Outcome::Cancelled);
    // They leave their places: else one instance alone would work on these for ever.
    let paths = desk.files(&["w"; 20]);
    let both = std::thread::available_parallelism().unwrap().get().min(2);
    ends(async {
        while outcomes(&desk.go(&paths).await).iter().filter(|one| *one == "done 1").count() < both {}
    })
    .await;
}

#[tokio::test]
async fn runaways_in_workers_delay_no_other_call() {
    // A place for each, and one for the other.
    let desk = Desk::with(SandboxConfig { max_calls: 9, ..SandboxConfig::for_few_calls() });
    let paths = desk.files(&["l"; 8]);
    let requests: Vec<_> = (0..8).map(|_| desk.going(&paths)).collect();
    let cancels: Vec<_> = requests.iter().map(|request| request.cancel.clone()).collect();
    let calls = join_all(requests.into_iter().map(|request| desk.call(request)));
    let (ended, ()) = tokio::join!(calls, async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let other = desk.call(desk.request("surroundings", json!({}))).await;
        assert!(matches!(other.outcome, Outcome::Done(_)));
        cancels.iter().for_each(ringfence_sandbox::CancellationToken::cancel);
    });
    // None of them had come to its end before the other was answered.
    assert!(ended.iter().all(|report| report.outcome == Outcome::Cancelled));
}

#[tokio::test]
async fn what_is_asked_for_at_once_is_bounded() {
    let desk = Desk::new();
    let crashed = |outcome: &Outcome| match outcome {
        Outcome::Trapped(why) => why.clone(),
        other => panic!("{other:?}"),
    };
    let paths = vec!["none".to_owned(); 5_001];
    assert!(crashed(&desk.go(&paths).await.outcome).contains("5001 paths; 5000 are the most"));
    let most = desk.call(desk.request("large_task", json!({"bytes": 2 << 20}))).await;
    assert_eq!(most.outcome, Outcome::Done(json!([])));
    let large = desk.call(desk.request("large_task", json!({"bytes": (2 << 20) + 1}))).await;
    assert!(crashed(&large.outcome).contains("2 MiB are the most"));
    let values = desk.files(&["a"; 22]);
    assert!(crashed(&desk.go(&values).await.outcome).contains("over 64 MiB"));
}

#[tokio::test]
async fn the_call_s_quotas_and_limits_hold_for_its_workers() {
    let desk = Desk::new();
    let paths = desk.files(&["c"; 10]);
    let within =
        async |limits: Limits, paths: &[String]| desk.call(CallRequest { limits, ..desk.going(paths) }).await;
    let usual = Limits { time_ms: 600_000, ..Limits::default() };
    let report = within(Limits { read_bytes: 5, ..usual.clone() }, &paths).await;
    assert_eq!(report.receipt.exceeded.map(|one| one.which), Some(LimitKind::ReadBytes));

    let working = desk.files(&["l"; 4]);
    let report = within(Limits { cpu_ms: Some(300), ..usual.clone() }, &working).await;
    assert_eq!(report.receipt.exceeded.map(|one| one.which), Some(LimitKind::Cpu), "{:?}", report.outcome);
    assert!(report.receipt.cpu_us >= 300_000, "what workers use is the call's: {}", report.receipt.cpu_us);

    let fuel = Limits { fuel: Some(50_000_000), ..usual.clone() };
    let report = within(fuel.clone(), &working).await;
    assert_eq!(report.receipt.exceeded.map(|one| one.which), Some(LimitKind::Fuel), "{:?}", report.outcome);
    let paths = desk.files(&["c"; 10]);
    let counted = [within(fuel.clone(), &paths).await, within(fuel, &paths).await];
    assert!(matches!(counted[0].outcome, Outcome::Done(_)), "{:?}", counted[0].outcome);
    assert_eq!(counted[0].receipt.fuel, counted[1].receipt.fuel, "the same work takes the same");

    let large = desk.files(&["a", "c"]);
    let report = within(Limits { memory_bytes: 1 << 20, ..usual }, &large).await;
    let all = outcomes(&report);
    assert!(all[0].starts_with("failed a limit was met: memory"), "{all:?}");
    assert!(all[1].starts_with("done"), "{all:?}");
}

#[tokio::test]
async fn what_the_run_has_changed_is_what_is_worked_on() {
    let desk = Desk::new();
    let paths = desk.files(&["c", "e"]);
    let folder = tempfile::tempdir().unwrap();
    let stage = Arc::new(Stage::open(&folder.path().join("stage")).unwrap());
    let request = CallRequest { stage: Some(stage), ..desk.going(&[paths[0].clone(), "none".to_owned()]) };
    assert_eq!(outcomes(&desk.call(request).await), ["done 1", "unreadable there is no such file"]);
}

#[tokio::test]
async fn memory_is_counted_over_all_workers_at_once() {
    let desk = Desk::new();
    let paths = desk.files(&["a", "c"]);
    let report = desk.go(&paths).await;
    assert!(report.receipt.peak_memory_bytes >= 4 << 20, "{}", report.receipt.peak_memory_bytes);
}
