//! Two processes that take one run up at the same time.

use crate::{WORKED_EXAMPLE, product, shown, tools_called};
use ringfence_tests::messages_api::MessagesApi;
use ringfence_tests::messages_api::worked_example::answer;
use ringfence_tests::product::wait;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);
const MOMENT: Duration = Duration::from_millis(5);

#[test]
fn of_two_processes_that_take_a_run_up_at_once_one_goes_on_and_the_other_is_refused() {
    let product = product();
    product.copy_of("examples/my_project");
    let open = Arc::new(AtomicBool::new(true));
    let gate = open.clone();
    let server = MessagesApi::start(move |asked| {
        while !gate.load(Ordering::SeqCst) {
            sleep(MOMENT);
        }
        answer(asked)
    });
    let mut arguments = WORKED_EXAMPLE.to_vec();
    arguments[6] = "before_tool";
    let waiting = product.run(&arguments, &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let id = waiting.run_id().to_owned();

    let mut rounds = 0;
    let mut before = 0;
    loop {
        // Whoever goes on needs the model, so it can't be over before the other one has been refused.
        open.store(false, Ordering::SeqCst);
        let start = || product.start(&["resume", &id, "--approve"], &server.env());
        let (refused, goes_on) = first_and_last(start(), start());
        let pid = goes_on.id();
        let refused = wait(refused);
        open.store(true, Ordering::SeqCst);
        let went_on = wait(goes_on);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        let told = refused.stderr.contains(&format!("being driven by process {pid}"))
            // It was refused before the other one had written its name.
            || refused.stderr.contains("being driven by process 0");
        assert!(told, "process {pid}: {}", refused.stderr);
        let called = tools_called(&shown(&product)).len();
        assert!(called <= before + 1, "{called} calls after {before} and one approval");
        before = called;
        rounds += 1;
        match went_on.code {
            Some(3) => {}
            Some(0) => break,
            other => panic!("{other:?}: {went_on:?}"),
        }
    }
    assert!(rounds >= 4, "{rounds} rounds");
    assert_eq!(tools_called(&shown(&product)), ["list_files", "read_file", "analyze_code", "read_file"]);
}

/// The one that ends first, and the other.
fn first_and_last(mut one: Child, mut other: Child) -> (Child, Child) {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if one.try_wait().expect("a child").is_some() {
            return (one, other);
        }
        if other.try_wait().expect("a child").is_some() {
            return (other, one);
        }
        sleep(MOMENT);
    }
    panic!("both of them go on")
}
