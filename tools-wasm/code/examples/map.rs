//! Prints the map of a folder as JSON, a line for each page: `cargo run --example map -- FOLDER`.

use ringfence_code::{MapRequest, OneByOne, map_code};
use ringfence_guest_project::Root;

fn main() {
    let folder = std::env::args().nth(1).expect("usage: map FOLDER");
    let root = Root::at(folder);
    let mut request = MapRequest { max_modules: Some(2000), ..MapRequest::default() };
    loop {
        let map = map_code(&root, &OneByOne(&root), &request).expect("a folder that can be mapped");
        println!("{}", serde_json::to_string(&map).expect("JSON"));
        request.skip = map.next;
        if map.next.is_none() {
            break;
        }
    }
}
