//! What a run survives: the death of its process at any moment, a full disk, a cut journal, two
//! drivers at once, Ctrl-C. The real driver and the real store, with tools and a model that leave
//! nothing to chance.

mod checks;
mod child;
//mod cut;
//mod driver;
//mod full_disk;
mod kill;
mod life;
mod mind;
//mod race;
mod rig;
mod scenario;
//mod second_signal;
//mod small_disk;
mod world;

use ringfence_tests::product::Product;

fn product() -> Product {
    Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"))
}
