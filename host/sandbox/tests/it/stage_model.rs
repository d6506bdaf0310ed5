//! Any sequence of operations gives what the same one gives on a real folder: to the calls that
//! follow, and to the project once it is applied.

use crate::fence_guest::{Guest, Project};
use crate::stage_apply::tree;
use crate::stage_guest::Run;
use proptest::prelude::*;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;

#[derive(Debug, Clone)]
enum Op {
    Write(usize, u8),
    Append(usize, u8),
    WriteAt(usize, u8, u8),
    SetSize(usize, u8),
    Remove(usize),
    MakeFolder(usize),
    RemoveFolder(usize),
    Rename(usize, usize),
    /// The call ends and another begins.
    NextCall,
    Apply,
}

const PATHS: [&str; 9] = ["a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "f", "f/a"];

fn op() -> impl Strategy<Value = Op> {
    let at = 0..PATHS.len();
    prop_oneof![
        4 => (at.clone(), any::<u8>()).prop_map(|(at, text)| Op::Write(at, text)),
        2 => (at.clone(), any::<u8>()).prop_map(|(at, text)| Op::Append(at, text)),
        1 => (at.clone(), any::<u8>(), 0..40u8).prop_map(|(at, text, to)| Op::WriteAt(at, text, to)),
        1 => (at.clone(), 0..40u8).prop_map(|(at, size)| Op::SetSize(at, size)),
        2 => at.clone().prop_map(Op::Remove),
        2 => at.clone().prop_map(Op::MakeFolder),
        2 => at.clone().prop_map(Op::RemoveFolder),
        4 => (at.clone(), at).prop_map(|(from, to)| Op::Rename(from, to)),
        2 => Just(Op::NextCall),
        1 => Just(Op::Apply),
    ]
}

fn text(seed: u8) -> String {
    format!("{seed:x}").repeat(usize::from(seed % 7))
}

/// Does it in a real folder; whether it could be done.
fn really(root: &Path, op: &Op) -> bool {
    let at = |at: &usize| root.join("src").join(PATHS[*at]);
    let write = |at: &usize| OpenOptions::new().write(true).open(root.join("src").join(PATHS[*at]));
    match op {
        Op::Write(path, seed) => fs::write(at(path), text(*seed)).is_ok(),
        Op::Append(path, seed) => OpenOptions::new()
            .append(true)
            .create(true)
            .open(at(path))
            .is_ok_and(|mut file| file.write_all(text(*seed).as_bytes()).is_ok()),
        Op::WriteAt(path, seed, to) => {
            write(path).is_ok_and(|file| file.write_all_at(text(*seed).as_bytes(), u64::from(*to)).is_ok())
        }
        Op::SetSize(path, size) => write(path).is_ok_and(|file| file.set_len(u64::from(*size)).is_ok()),
        Op::Remove(path) => fs::remove_file(at(path)).is_ok(),
        Op::MakeFolder(path) => fs::create_dir(at(path)).is_ok(),
        Op::RemoveFolder(path) => fs::remove_dir(at(path)).is_ok(),
        Op::Rename(from, to) => fs::rename(at(from), at(to)).is_ok(),
        Op::NextCall | Op::Apply => true,
    }
}

/// Does it in a call; whether it could be done.
fn staged(guest: &mut Guest, op: &Op) -> bool {
    let at = |at: &usize| format!("src/{}", PATHS[*at]);
    // Whoever changes a file has read it.
    let mut read = |path: &usize| {
        let _ = guest.read(&at(path));
    };
    match op {
        Op::Write(path, _)
        | Op::Append(path, _)
        | Op::WriteAt(path, ..)
        | Op::SetSize(path, _)
        | Op::Remove(path) => {
            read(path);
        }
        Op::Rename(_, to) => read(to),
        Op::MakeFolder(_) | Op::RemoveFolder(_) | Op::NextCall | Op::Apply => {}
    }
    match op {
        Op::Write(path, seed) => guest.write(&at(path), text(*seed)).is_ok(),
        Op::Append(path, seed) => guest.append(&at(path), &text(*seed)).is_ok(),
        Op::WriteAt(path, seed, to) => guest.write_at(&at(path), &text(*seed), u64::from(*to)).is_ok(),
        Op::SetSize(path, size) => guest.set_size(&at(path), u64::from(*size)).is_ok(),
        Op::Remove(path) => guest.remove(&at(path)).is_ok(),
        Op::MakeFolder(path) => guest.make_folder(&at(path)).is_ok(),
        Op::RemoveFolder(path) => guest.remove_folder(&at(path)).is_ok(),
        Op::Rename(from, to) => guest.rename(&at(from), &at(to)).is_ok(),
        Op::NextCall | Op::Apply => true,
    }
}

/// What a guest finds, as `tree` lists it.
fn merged(guest: &mut Guest) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut todo = vec!["src".to_owned()];
    while let Some(folder) = todo.pop() {
        found.push((folder.clone(), "/".to_owned()));
        for (name, kind) in guest.list(&folder).expect("a folder") {
            let path = format!("{folder}/{name}");
            if kind == wasmtime_wasi::p2::bindings::filesystem::types::DescriptorType::Directory {
                todo.push(path);
            } else {
                let text = guest.text(&path).expect("readable");
                assert_eq!(guest.size(&path), text.len() as u64);
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

fn filled() -> Project {
    let project = Project::empty();
    project
        .file("src/a", "project a")
        .file("src/d/a", "project d/a")
        .file("src/d/e/a", "deep")
        .folder("src/f");
    project
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_stage_over_a_project_is_like_a_real_folder(ops in prop::collection::vec(op(), 1..40)) {
        let run = Run::on(filled(), &["src"]);
        let model = filled();
        let mut guest = run.guest();
        for op in &ops {
            match op {
                Op::NextCall => {
                    guest.settle(true);
                    guest = run.guest();
                }
                Op::Apply => {
                    guest.settle(true);
                    run.apply().expect("applied");
                    prop_assert_eq!(tree(&run.project.root()), tree(&model.root()));
                    guest = run.guest();
                }
                op => prop_assert_eq!(staged(&mut guest, op), really(&model.root(), op), "{:?}", op),
            }
            prop_assert_eq!(merged(&mut guest), tree(&model.root()), "after {:?}", op);
        }
        guest.settle(true);
        let untouched = run.guest();
        drop(untouched);
        run.apply().expect("applied");
        prop_assert_eq!(tree(&run.project.root()), tree(&model.root()));
        prop_assert!(run.stage.is_empty().expect("readable"));
    }
}
