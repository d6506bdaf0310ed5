//! Prints the problems of a folder as JSON: `cargo run --example problems -- FOLDER [RULES]`.

use ringfence_code::{OneByOne, ProblemsRequest, find_problems};
use ringfence_guest_project::Root;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("problems FOLDER [RULES]: a folder, and a file or folder with rules in it");
        return ExitCode::from(2);
    };
    let (root, rules) = (Root::at(folder), arguments.next());
    let mut skip = Some(0);
    while skip.is_some() {
        let request = ProblemsRequest {
            rules: rules.as_deref(),
            skip,
            max_problems: Some(1000),
            ..ProblemsRequest::default()
        };
        let page = match find_problems(&root, &OneByOne(&root), None, &request) {
            Ok(page) => page,
            Err(failure) => {
                eprintln!("{failure:?}");
                return ExitCode::FAILURE;
            }
        };
        skip = page.next;
        match serde_json::to_string(&page) {
            Ok(json) => println!("{json}"),
            Err(error) => eprintln!("{error}"),
        }
    }
    ExitCode::SUCCESS
}
