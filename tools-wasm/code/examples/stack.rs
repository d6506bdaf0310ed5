//! Prints what a folder is built with as JSON: `cargo run --example stack -- FOLDER`.

use ringfence_code::{StackRequest, detect_stack};
use ringfence_guest_project::Root;

fn main() {
    let folder = std::env::args().nth(1).expect("usage: stack FOLDER");
    let stack = detect_stack(&Root::at(folder), &StackRequest::default()).expect("a folder that can be read");
    println!("{}", serde_json::to_string(&stack).expect("JSON"));
}
