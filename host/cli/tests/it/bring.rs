//! `tool add`, `tool update`, `tool remove`, `tool fetch`, `tool push`: components of others.

mod approved;
mod asked;
mod changed;
mod fetched;
mod fits;
mod interrupted;
mod login;
mod published;
mod shown;
mod signed;
mod together;
mod trusted;

use crate::program::{Home, Said};
use ringfence_sandbox::reflect::append_custom_section;
use ringfence_sandbox::{Digest, standard};

/// A component with one function of this name, which adds, and this much besides.
fn adder(name: &str, more: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $m (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
            (core instance $i (instantiate $m))
            (func (export "{name}") (param "left" u32) (param "right" u32) (result u32)
                (canon lift (core func $i "add"))) {more})"#
    );
    wat::parse_str(text).expect("a component")
}

/// A component of nobody's here that reads files: `read_file`, `list_files` and `search_text`.
fn reader() -> Vec<u8> {
    let files = standard::components().iter().find(|component| component.name() == "files").unwrap();
    let mut bytes = files.source().unwrap().bytes().unwrap().to_vec();
    append_custom_section(&mut bytes, "stranger", b"1");
    bytes
}

fn digest(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string()
}

fn project() -> Home {
    let home = Home::new();
    home.write("project/src/main.rs", "fn main() {}\n");
    home.write("project/docs/guide.md", "# Guide\n");
    home
}

/// `tool` with these words, on the project.
fn tool(home: &Home, words: &[&str]) -> Said {
    home.run(["tool"].iter().chain(words).chain(&["--project", "project"]))
}

/// Adds a file, approved.
fn add(home: &Home, path: &str, bytes: &[u8], more: &[&str]) -> Said {
    home.write(path, bytes);
    let digest = digest(bytes);
    tool(home, &[&["add", path, "--approve", &digest], more].concat())
}

fn lock(home: &Home) -> Option<String> {
    std::fs::read_to_string(home.path().join("project/ringfence.lock")).ok()
}

fn sum(home: &Home, tool_name: &str) -> Said {
    tool(home, &["call", tool_name, "--arg", "left=40", "--arg", "right=2"])
}

/// The command that a hint ends with, as words for the binary.
fn hinted(said: &Said) -> Vec<String> {
    let line =
        said.err.lines().rev().find(|line| line.contains(" tool ")).unwrap_or_else(|| panic!("{said}"));
    let command = line.split_once(" tool ").unwrap().1;
    ["tool"].into_iter().chain(command.split(' ')).map(|word| word.trim_matches('\'').to_owned()).collect()
}

/// Runs it.
fn follow(home: &Home, said: &Said) -> Said {
    let words: Vec<_> = hinted(said)
        .iter()
        .map(|word| word.replace("[HOME]", &home.path().canonicalize().unwrap().display().to_string()))
        .collect();
    home.run(words)
}
