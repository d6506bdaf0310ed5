//! Journals that were cut, or of which a part was lost: the real commands show and take up a whole
//! beginning of the run, or say what is wrong. Never a state that the run wasn't in.

use crate::product;
use ringfence_engine::{Run, RunId, State};
use ringfence_store::Store;
use ringfence_tests::product::{Ended, Product};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// What happens to a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    CutAt(usize),
    ZeroedAt(usize),
}

/// A run's files as its process left them.
struct Files {
    product: Product,
    id: String,
    database: Vec<u8>,
    log: Vec<u8>,
    /// What the run was after each event.
    states: Vec<State>,
}

impl Files {
    /// Of a run that was killed after so many appends, or of one that came to its end.
    fn of(killed_after: Option<u32>) -> Self {
        let product = product();
        product.copy_of("examples/my_project");
        let environment: Vec<_> = killed_after
            .map(|count| ("RINGFENCE_FAILPOINT", format!("appended:{count}")))
            .into_iter()
            .collect();
        let ended = product.run(&["run", "my_project", "--yes"], &environment);
        assert_eq!(ended.code, if killed_after.is_some() { None } else { Some(0) }, "{ended:?}");
        let id = ended.run_id().to_owned();
        let at = |name: &str| folder(&product).join(name);
        let (database, log) =
            (fs::read(at("runs.db")).unwrap(), fs::read(at("runs.db-wal")).unwrap_or_default());
        let store = Store::open_read_only(&at("runs.db")).unwrap();
        let events = store.events(&RunId(id.clone())).unwrap();
        let replay = |count| {
            let first = events.iter().take(count).map(|recorded| recorded.event.clone());
            Run::replay(first).expect("a beginning of a run is a run").0.state().clone()
        };
        let states = (1..=events.len()).map(replay).collect();
        Self { product, id, database, log, states }
    }

    fn place(&self, database: &[u8], log: &[u8]) {
        let folder = folder(&self.product);
        let _ = fs::remove_file(folder.join("runs.db-shm"));
        fs::write(folder.join("runs.db"), database).unwrap();
        match log {
            [] => drop(fs::remove_file(folder.join("runs.db-wal"))),
            log => fs::write(folder.join("runs.db-wal"), log).unwrap(),
        }
    }

    /// How many events are still shown, if the run is.
    fn shown(&self, what: &str) -> Option<usize> {
        let shown = self.product.run(&["show", &self.id, "--json"], &[]);
        if shown.code != Some(0) {
            refused(&shown, what);
            return None;
        }
        let shown: Value = serde_json::from_str(&shown.stdout).expect("JSON from `show --json`");
        let events = usize::try_from(shown["events"].as_u64().expect("a count")).unwrap();
        let state: State = serde_json::from_value(shown["state"].clone()).expect("a state");
        assert_eq!(state, self.states[events - 1], "{what}: {events} events");
        Some(events)
    }

    /// Damages both files, each at each of these places; how many events were shown each time.
    fn damaged(&self, database: &[Damage], log: &[Damage]) -> Vec<(String, Option<usize>)> {
        let of_database = database.iter().map(|damage| (*damage, self.database.clone(), true));
        let of_log = log.iter().map(|damage| (*damage, self.log.clone(), false));
        let mut found = Vec::new();
        for (damage, mut bytes, is_database) in of_database.chain(of_log) {
            match damage {
                Damage::CutAt(length) => bytes.truncate(length),
                Damage::ZeroedAt(offset) => bytes.iter_mut().skip(offset).take(64).for_each(|byte| *byte = 0),
            }
            let what = format!("{} {damage:?}", if is_database { "file" } else { "log" });
            match is_database {
                true => self.place(&bytes, &self.log),
                false => self.place(&self.database, &bytes),
            }
            let shown = self.shown(&what);
            found.push((what, shown));
        }
        found
    }

    /// The run goes on to the same end as ever.
    fn goes_on(&self, what: &str) {
        let resumed = self.product.run(&["resume", &self.id, "--yes"], &[]);
        assert_eq!(resumed.code, Some(0), "{what}: {resumed:?}");
        assert!(resumed.stdout.contains("shop/settings.py"), "{what}: {}", resumed.stdout);
    }
}

fn folder(product: &Product) -> PathBuf {
    product.home().join(".local/state/ringfence")
}

/// The command failed and said why.
fn refused(ended: &Ended, what: &str) {
    assert!(matches!(ended.code, Some(1 | 2)), "{what}: {ended:?}");
    let said = ["is damaged", "no run `", "can't be opened", "no journal yet", "doesn't fold"];
    assert!(said.iter().any(|words| ended.stderr.contains(words)), "{what}: {}", ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{what}: {}", ended.stderr);
}

const PAGE: usize = 4096;
const FRAME: usize = PAGE + 24;
const LOG_HEAD: usize = 32;

#[test]
fn a_log_cut_or_zeroed_in_the_middle_shows_a_whole_beginning_of_the_run_which_goes_on() {
    let files = Files::of(Some(9));
    assert_eq!(files.shown("untouched"), Some(9));
    let frames = files.log.len() / FRAME;
    assert!(frames > 12, "{frames} frames");
    let places = [frames - 1, frames - 3, frames / 2, frames / 3, 2];
    let damages: Vec<_> = places
        .iter()
        .map(|frame| LOG_HEAD + frame * FRAME)
        .flat_map(|frame| [Damage::CutAt(frame + 1_000), Damage::ZeroedAt(frame + 8)])
        .chain([Damage::CutAt(LOG_HEAD + places[2] * FRAME), Damage::ZeroedAt(0)])
        .collect();
    let found = files.damaged(&[], &damages);
    let counts: Vec<_> = found.iter().map(|(_, events)| events.unwrap_or(0)).collect();
    assert!(counts[0] < 9 && counts[..10].is_sorted_by(|one, next| one >= next), "{found:?}");
    assert!(counts.iter().any(|count| (1..9).contains(count)), "{found:?}");

    for (number, (what, events)) in found.iter().enumerate() {
        let (Some(_), true) = (events, number % 4 == 0) else { continue };
        files.damaged(&[], &damages[number..=number]);
        files.goes_on(what);
    }
}

#[test]
fn a_file_cut_or_zeroed_in_the_middle_shows_the_run_as_it_was_or_says_that_it_is_damaged() {
    let files = Files::of(None);
    let whole = files.states.len();
    assert_eq!(files.shown("untouched"), Some(whole));
    let pages = files.database.len() / PAGE;
    let places = [0, 1, pages / 4, pages / 2, pages - 1];
    let damages: Vec<_> = places
        .iter()
        .flat_map(|page| {
            let start = page * PAGE;
            [Damage::CutAt(start + 1_000), Damage::ZeroedAt(start + 3_000), Damage::ZeroedAt(start)]
        })
        .chain([Damage::CutAt(pages / 2 * PAGE)])
        .collect();
    let found = files.damaged(&damages, &[]);
    assert!(found.iter().any(|(_, events)| events.is_none()), "{found:?}");
    for (what, events) in &found {
        assert!(events.is_none_or(|events| events == whole), "{what}: {events:?}");
    }
    // What isn't shown isn't taken up either.
    let damaged = found.iter().zip(&damages).filter(|((_, events), _)| events.is_none());
    for ((what, _), damage) in damaged.step_by(3) {
        files.damaged(&[*damage], &[]);
        refused(&files.product.run(&["resume", &files.id, "--yes"], &[]), what);
    }
}
