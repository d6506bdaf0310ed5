//! Lists of runs and the look-up of one.

use crate::sample::*;
use ringfence_engine::{Ending, RunId, Stage, StageName, Timestamp};
use ringfence_store::{NewRun, Store, StoreError};
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

fn enter(store: &Store, id: &str, project: &str, created: i64) {
    let run = NewRun { project: PathBuf::from(project), created: Timestamp(created), ..new_run(id) };
    drop(store.create_run(&run, &entry(&started(id), &planning())).unwrap());
}

#[test]
fn runs_are_listed_newest_first_for_one_project_or_all() {
    let folder = Folder::new();
    let store = folder.store();
    enter(&store, "a", "/one", 10);
    enter(&store, "b", "/two", 30);
    enter(&store, "c", "/one", 20);
    enter(&store, "d", "/one", 20);
    let ids = |project: Option<&str>| -> Vec<String> {
        store.runs(project.map(Path::new)).unwrap().into_iter().map(|run| run.id.0).collect()
    };
    assert_eq!(ids(None), ["b", "d", "c", "a"]);
    assert_eq!(ids(Some("/one")), ["d", "c", "a"]);
    assert_eq!(ids(Some("/on")), Vec::<String>::new());
}

#[test]
fn a_summary_follows_the_run() {
    let folder = Folder::new();
    let store = folder.store();
    let project = PathBuf::from(OsStr::from_bytes(b"/srv/\xff\xfe"));
    let run = NewRun { project: project.clone(), ..new_run("one") };
    let mut lease = store.create_run(&run, &entry(&started("one"), &planning())).unwrap();
    let summary = store.find("one").unwrap();
    assert_eq!((summary.stage, &summary.ending, summary.events), (StageName::Planning, &None, 1));
    assert_eq!(
        (summary.project, summary.goal.as_str(), summary.model.as_str()),
        (project, "分析主要技术栈", "playbook")
    );

    let ending = Ending::Limit { which: "30 iterations".into() };
    let failed = Stage::Failed { ending: ending.clone() };
    lease.append(&entry(&tool_finished(1, json!(1)), &failed)).unwrap();
    let summary = store.find("one").unwrap();
    assert_eq!((summary.stage, summary.ending, summary.events), (StageName::Failed, Some(ending), 2));
    assert_eq!((summary.created, summary.updated), (Timestamp(1_000), Timestamp(2_000)));
}

#[test]
fn a_run_is_found_by_an_unambiguous_prefix() {
    let folder = Folder::new();
    let store = folder.store();
    for id in ["abc", "abcd", "abx", "q%_"] {
        match id {
            "q%_" => assert!(matches!(
                store.create_run(&new_run(id), &entry(&started(id), &planning())),
                Err(StoreError::InvalidRunId { .. })
            )),
            id => enter(&store, id, "/one", 1),
        }
    }
    assert_eq!(store.find("abc").unwrap().id, RunId::from("abc"), "the whole id wins over a prefix");
    assert_eq!(store.find("abcd").unwrap().id, RunId::from("abcd"));
    assert_eq!(store.find("abx").unwrap().id, RunId::from("abx"));
    let ambiguous = store.find("ab").unwrap_err().to_string();
    assert_eq!(ambiguous, "`ab` could be any of 3 runs (abx, abcd, abc); give more of the id");
    for nothing in ["", "x", "%", "a_c", "ABC", "abcde"] {
        assert!(matches!(store.find(nothing), Err(StoreError::NoSuchRun { .. })), "{nothing}");
    }
}
