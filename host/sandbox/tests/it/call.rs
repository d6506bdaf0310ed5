//! Calls: fresh instances, outcomes, receipts, deadlines, cancelling.

use crate::guests::{Bench, SHARED, exceeded, guest, join_all};
use crate::watchdog::ends;
use ringfence_sandbox::{
    CallRequest, CancellationToken, ComponentSource, DenialReason, LimitKind, Limits, Outcome, Sandbox,
    SandboxConfig, Toolset, ToolsetError,
};
use serde_json::json;
use std::time::Duration;

fn within_ms(time_ms: u64) -> Limits {
    Limits { time_ms, ..Limits::default() }
}

#[tokio::test]
async fn nothing_is_kept_from_one_call_to_the_next() {
    for _ in 0..300 {
        SHARED.goes_on().await;
    }
}

#[tokio::test]
async fn arguments_go_in_and_results_come_out() {
    let report = SHARED.call("length", json!({"text": "größer"})).await;
    assert_eq!(report.outcome, Outcome::Done(json!(8)));
}

#[tokio::test]
async fn arguments_that_dont_fit_are_refused_before_anything_runs() {
    let error = SHARED.refused_input("length", json!({"text": 7})).await;
    assert!(error.contains("`length`") && error.contains("$.text"), "{error}");
    SHARED.refused_input("length", json!({})).await;
    SHARED.refused_input("length", json!({"text": "", "more": 1})).await;
    SHARED.goes_on().await;
}

#[tokio::test]
async fn a_receipt_says_what_was_called_and_what_it_took() {
    let report = SHARED.call("length", json!({"text": "abc"})).await;
    let receipt = report.receipt;
    assert_eq!(receipt.tool, "length");
    assert_eq!(receipt.component, SHARED.component().digest());
    assert_eq!(receipt.grants, SHARED.tree.digest());
    assert_eq!(receipt.dirs.len(), 1);
    assert_eq!(receipt.peak_memory_bytes, 2 << 16);
    assert_eq!(receipt.output_bytes, 1);
    assert!(!receipt.truncated && receipt.denials.is_empty() && receipt.opened.is_empty());
    assert!(receipt.wall_us > 0 && receipt.wall_us < 10_000_000, "{}", receipt.wall_us);
    assert_eq!(receipt.fuel, None);
}

#[tokio::test]
async fn an_err_is_a_failed_call_with_the_error_as_data() {
    let report = SHARED.call("refuse", json!({"bytes": 3})).await;
    assert_eq!(report.outcome, Outcome::Failed(json!("aaa")));
}

#[tokio::test]
async fn a_crash_names_what_happened_and_where() {
    let report = SHARED.call("crash", json!({})).await;
    let Outcome::Trapped(why) = &report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(why, "wasm `unreachable` instruction executed in inner < crash");
    assert_eq!(report.crash.as_ref(), Some(why));
    SHARED.goes_on().await;
}

#[tokio::test]
async fn unbounded_recursion_uses_up_the_stack_of_the_guest_alone() {
    let report = SHARED.call("recurse", json!({})).await;
    assert_eq!(exceeded(&report), LimitKind::Stack);
    let why = report.crash.expect("what the runtime says");
    assert!(why.starts_with("call stack exhausted") && why.len() < 1000, "{why}");
    SHARED.goes_on().await;
}

#[tokio::test]
async fn leaving_the_program_is_a_crash() {
    let report = SHARED.call("leave", json!({})).await;
    let expected = "the tool exited with code 0 before it returned";
    assert!(matches!(&report.outcome, Outcome::Trapped(why) if why.starts_with(expected)), "{report:?}");
}

#[tokio::test]
async fn a_result_that_json_cant_hold_is_refused_with_the_reason() {
    let report = SHARED.call("not_a_number", json!({})).await;
    assert!(matches!(&report.outcome, Outcome::Trapped(why) if why.contains("NaN")), "{report:?}");
}

#[tokio::test]
async fn there_are_no_arguments_and_no_environment() {
    assert_eq!(SHARED.call("surroundings", json!({})).await.outcome, Outcome::Done(json!(0)));
}

#[tokio::test]
async fn a_socket_is_denied_and_recorded() {
    let report = SHARED.call("connect", json!({})).await;
    let Outcome::Denied { error, denials, .. } = &report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(*error, json!(""));
    assert_eq!((denials[0].operation.as_str(), denials[0].reason), ("socket", DenialReason::Network));
    assert_eq!(report.receipt.denials, *denials);

    let report = SHARED.call("connect_and_crash", json!({})).await;
    let Outcome::Denied { error, denials, .. } = &report.outcome else { panic!("{:?}", report.outcome) };
    assert!(error.is_null() && denials.len() == 1);
    assert!(report.crash.is_some());
    assert!(report.outcome.message(&report.receipt).starts_with("the tool crashed: "), "{report:?}");
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_deadline() {
    SHARED.goes_on().await;
    for tool in ["forever", "forever_with_calls"] {
        let report = ends(SHARED.call_within(tool, json!({}), within_ms(50))).await;
        assert_eq!(exceeded(&report), LimitKind::Time, "{tool}");
        assert!(report.receipt.wall_us >= 50_000, "{tool}: {} µs", report.receipt.wall_us);
        assert!(report.receipt.cpu_us > 1_000, "{tool}: {} µs", report.receipt.cpu_us);
    }
    SHARED.goes_on().await;
}

#[tokio::test]
async fn sleeping_in_a_host_call_ends_at_the_deadline_and_costs_no_processor_time() {
    let hour = json!({"nanos": 3_600_000_000_000_u64});
    let report = ends(SHARED.call_within("sleep", hour, within_ms(50))).await;
    assert_eq!(exceeded(&report), LimitKind::Time);
    assert!(report.receipt.cpu_us < report.receipt.wall_us, "{} µs", report.receipt.cpu_us);

    let report = SHARED.call("sleep", json!({"nanos": 20_000_000})).await;
    assert_eq!(report.outcome, Outcome::Done(json!(null)));
    assert!(report.receipt.wall_us >= 20_000);
}

#[tokio::test]
async fn cancelling_stops_the_guest_and_still_answers() {
    for (tool, input) in [("forever", json!({})), ("sleep", json!({"nanos": 3_600_000_000_000_u64}))] {
        let request = SHARED.request(tool, input);
        let cancel = request.cancel.clone();
        let call = SHARED.sandbox.call(request);
        let cancelling = async {
            tokio::time::sleep(Duration::from_millis(30)).await;
            cancel.cancel();
            cancel.cancel();
        };
        let (report, ()) = ends(async { tokio::join!(call, cancelling) }).await;
        let report = report.unwrap();
        assert_eq!(report.outcome, Outcome::Cancelled);
        assert_eq!(report.receipt.tool, tool);
        cancel.cancel();
    }
    SHARED.goes_on().await;
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_it_starts_runs_nothing() {
    let request = SHARED.request("forever", json!({}));
    request.cancel.cancel();
    let report = SHARED.sandbox.call(request).await.unwrap();
    assert_eq!(report.outcome, Outcome::Cancelled);
    assert_eq!(report.receipt.peak_memory_bytes, 0);
}

#[tokio::test]
async fn cancelling_after_the_end_changes_nothing() {
    let request = SHARED.request("count", json!({}));
    let cancel = request.cancel.clone();
    let report = SHARED.sandbox.call(request).await.unwrap();
    cancel.cancel();
    assert_eq!(report.outcome, Outcome::Done(json!(2)));
}

#[tokio::test]
async fn dropping_a_call_stops_its_guest() {
    let config = SandboxConfig { max_calls: 1, ..SandboxConfig::default() };
    let bench = Bench::new(config, guest());
    bench.goes_on().await;
    let endless = CallRequest { limits: within_ms(3_600_000), ..bench.request("forever", json!({})) };
    let dropped = tokio::time::timeout(Duration::from_millis(50), bench.sandbox.call(endless)).await;
    assert!(dropped.is_err());
    // There is one slot only: this waits until the guest is gone.
    ends(bench.goes_on()).await;
}

#[tokio::test]
async fn sixty_four_calls_at_once_of_which_one_never_ends() {
    SHARED.goes_on().await;
    let endless = SHARED.call_within("forever", json!({}), within_ms(400));
    let others = async {
        let mut set = tokio::task::JoinSet::new();
        for _ in 0..63 {
            set.spawn(async {
                for _ in 0..5 {
                    SHARED.goes_on().await;
                }
            });
        }
        set.join_all().await;
    };
    let (report, ()) = tokio::join!(endless, others);
    assert_eq!(exceeded(&report), LimitKind::Time);
    SHARED.goes_on().await;
}

#[tokio::test]
async fn guests_that_never_end_take_turns_with_each_other_and_with_newcomers() {
    SHARED.goes_on().await;
    let at_once = 4 * std::thread::available_parallelism().map_or(1, usize::from);
    let cancel = CancellationToken::new();
    let endless = (0..at_once).map(|_| {
        let request = SHARED.request("forever", json!({}));
        SHARED.sandbox.call(CallRequest { limits: within_ms(3_600_000), cancel: cancel.clone(), ..request })
    });
    let newcomers = async {
        // Were one of the endless to keep its thread, these would wait for ever. So many that a
        // thread which the system leaves waiting for a while comes to its own endless ones, too.
        for _ in 0..10 * at_once {
            SHARED.goes_on().await;
        }
        cancel.cancel();
    };
    let (reports, ()) = ends(async { tokio::join!(join_all(endless), newcomers) }).await;
    for report in reports {
        let report = report.unwrap();
        assert_eq!(report.outcome, Outcome::Cancelled);
        assert!(report.receipt.cpu_us > 0, "it had a turn");
    }
}

#[tokio::test]
async fn more_guests_that_never_end_than_threads_all_meet_their_deadline() {
    let at_once = 4 * std::thread::available_parallelism().map_or(1, usize::from);
    let endless = (0..at_once).map(|_| SHARED.call_within("forever", json!({}), within_ms(200)));
    for report in ends(join_all(endless)).await {
        assert_eq!(exceeded(&report), LimitKind::Time);
    }
}

#[tokio::test]
async fn more_calls_than_slots_wait_their_turn() {
    let bench = Bench::new(SandboxConfig { max_calls: 2, ..SandboxConfig::default() }, guest());
    bench.goes_on().await;
    let calls = (0..20).map(|_| bench.call_within("sleep", json!({"nanos": 5_000_000}), within_ms(2_000)));
    for report in join_all(calls).await {
        assert_eq!(report.outcome, Outcome::Done(json!(null)));
    }
}

#[test]
fn a_sandbox_can_be_dropped_on_another_runtimes_thread_with_calls_under_way() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let bench = Bench::new(SandboxConfig::default(), guest());
        let endless = bench.request("forever", json!({}));
        let _ = tokio::time::timeout(Duration::from_millis(20), bench.sandbox.call(endless)).await;
        drop(bench);
    });
}

#[test]
fn two_tools_of_one_name_are_an_error_that_names_both_components() {
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let one = sandbox.load(ComponentSource::from_bytes("one.wasm", guest())).unwrap();
    let two = sandbox.load(ComponentSource::from_bytes("two.wasm", guest())).unwrap();
    let error = Toolset::new([one, two]).unwrap_err();
    let ToolsetError::SameName { tool, first, second } = &error;
    assert_eq!((first.as_str(), second.as_str()), ("one.wasm", "two.wasm"));
    assert!(error.to_string().contains(tool.as_str()));
}

#[test]
fn tools_come_in_the_order_of_their_names() {
    let names: Vec<&str> = SHARED.tools.iter().map(|tool| tool.name()).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(SHARED.tools.get("COUNT").is_none() && SHARED.tools.get("count").is_some());
}
