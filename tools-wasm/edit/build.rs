//! Gives the component memory enough for a usual call from the start: growing it costs more than
//! the rest of a small read.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-cdylib=--initial-memory=2097152");
    }
}
