//! What a run survives: the death of its process at any moment, a full disk, a cut journal, two
//! drivers at once, Ctrl-C. The real driver and the real store, with tools and a model that leave
//! nothing to chance.

mod checks;
mod child;
mod cut;
mod driver;
mod full_disk;
mod kill;
mod life;
mod mind;
mod race;
mod rig;
mod scenario;
mod second_signal;
mod small_disk;
mod world;

use ringfence_tests::messages_api::worked_example::WORKED_EXAMPLE;
use ringfence_tests::product::Product;
use serde_json::Value;

fn product() -> Product {
    Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"))
}

/// `show --json` of the only run in this home.
fn shown(product: &Product) -> Value {
    let runs = product.run(&["runs", "--json"], &[]);
    let runs: Value = serde_json::from_str(&runs.stdout).expect("JSON from `runs --json`");
    let id = runs[0]["id"].as_str().expect("a run has an id");
    let shown = product.run(&["show", id, "--json"], &[]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    serde_json::from_str(&shown.stdout).expect("JSON from `show --json`")
}

/// The tools called, in order.
fn tools_called(shown: &Value) -> Vec<String> {
    let history = shown["state"]["history"].as_array().expect("a history");
    history.iter().filter_map(|action| action["deed"]["tool"].as_str()).map(str::to_owned).collect()
}
