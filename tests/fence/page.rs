//! `docs/threats.md`, written from the rows.

use crate::threat::{Mechanism, Row};
use crate::{
    caseless, environment, files, information, interface, links, loading, masks, network, people, resources,
    terminal, writes,
};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

/// Set to anything, the page is written instead of compared.
const WRITE: &str = "RINGFENCE_WRITE_THREATS";

const SECTIONS: &[(&str, &[Row])] = &[
    ("Files", files::ROWS),
    ("Links, and things that are swapped", links::ROWS),
    ("What is hidden", masks::ROWS),
    ("File systems without case", caseless::ROWS),
    ("Changes", writes::ROWS),
    ("Staged changes: what was not read", writes::knowing::ROWS),
    ("Staged changes: where", writes::places::ROWS),
    ("Staged changes: how much, and by whom", writes::amounts::ROWS),
    ("Staged changes: applied by a person", writes::applying::ROWS),
    ("Staged changes: an apply that was cut off", writes::cut_off::ROWS),
    ("Time, memory, output", resources::ROWS),
    ("State and information", information::ROWS),
    ("The environment", environment::ROWS),
    ("The network", network::ROWS),
    ("Components", loading::ROWS),
    ("Arguments and results", interface::ROWS),
    ("A person's terminal", terminal::ROWS),
    ("Models, projects and people", people::ROWS),
];

const HEAD: &str = "\
# What tools try, and what stops them

Every row is an attack that a test carries out against the real sandbox or the real binary: the page is
written from the tests, and a test compares the two. A row is an attack, what stops it, what the caller
gets to see, and who tries it. Each test also makes sure that no secret was seen, that the host goes on, and
that a neighbour's call is answered. Most attacks are components built from source in Rust, C and Python
(`tests/fence/guests`), with the same functions in each, since every language's library goes its own way to
the host.

```
cargo test --workspace --test fence                         # what needs no other toolchain
cargo test --workspace --test fence -- --include-ignored    # all rows
```

What isn't stopped: a hard link or a bind mount inside a granted folder is an ordinary file of it. A mask knows
a file by its names. A tool that may read a file may say what is in it, and its words go to the model. Time and
memory are bounded for each call, not for the machine; a fault in the processor, the kernel or the
WebAssembly runtime is a way out that none of this closes.

";

fn page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("| stopped by | how |\n|---|---|\n");
    for mechanism in Mechanism::ALL {
        let (name, how) = mechanism.about();
        let _ = writeln!(page, "| {name} | {how} |");
    }
    for (title, rows) in SECTIONS {
        let _ = writeln!(
            page,
            "\n## {title}\n\n| attack | stopped by | the caller sees | tried by | test |\n|---|---|---|---|---|"
        );
        for row in *rows {
            let (mechanism, _) = row.stopped_by.about();
            let test = row.test.replace("fence::", "").replace("rows::", "");
            let _ = writeln!(
                page,
                "| {} | {mechanism} | {} | {} | `{test}` |",
                row.attack,
                row.seen,
                row.by.words()
            );
        }
    }
    page
}

#[test]
fn the_page_lists_what_the_tests_try() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/threats.md");
    if std::env::var_os(WRITE).is_some() {
        fs::write(path, page()).unwrap();
    }
    let written = fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == page(),
        "docs/threats.md is not what the tests try; write it with {WRITE}=1 and look at the difference"
    );
}

#[test]
fn every_row_can_stand_in_a_table_and_every_mechanism_is_tried() {
    let rows: Vec<&Row> = SECTIONS.iter().flat_map(|(_, rows)| *rows).collect();
    assert!(rows.len() >= 60);
    for row in &rows {
        for text in [row.attack, row.seen] {
            assert!(!text.contains(['|', '\n']) && !text.ends_with('.'), "{text}");
        }
    }
    let attacks: BTreeSet<_> = rows.iter().map(|row| row.attack).collect();
    assert_eq!(attacks.len(), rows.len(), "no attack twice");
    let tried: BTreeSet<_> = rows.iter().map(|row| row.stopped_by).collect();
    assert_eq!(tried, Mechanism::ALL.into(), "each mechanism stops something, and is explained");
}
