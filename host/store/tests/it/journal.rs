//! What goes in comes out, whole and in order.

use crate::sample::*;
use proptest::prelude::*;
use ringfence_engine::*;
use ringfence_store::{Entry, Recorded, StoreError};
use serde_json::{Value, json};

#[test]
fn a_step_holds_its_outcome_receipts_and_next_intents() {
    let folder = Folder::new();
    let store = folder.store();
    let mut lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    let executing = Stage::Executing { turn: Turn::default() };
    let receipts = [(ReceiptId::from("r1"), json!({"tool": "read_file", "wall_us": 12}))];
    let intents = [wish(2)];
    let event = receipted(1, json!({"lines": ["a", "b"]}));
    let seq = lease
        .append(&Entry { event: &event, intents: &intents, receipts: &receipts, stage: &executing })
        .unwrap();
    assert_eq!(seq, 2);

    let journal = store.journal(&RunId::from("one")).unwrap();
    let recorded = |seq, event, intents| Recorded { seq, event, intents };
    assert_eq!(
        journal.events,
        [recorded(1, started("one"), Vec::new()), recorded(2, event, intents.to_vec())]
    );
    assert_eq!(journal.receipts.len(), 1);
    assert_eq!(journal.receipts[0].id, receipts[0].0);
    assert_eq!(journal.receipts[0].receipt, receipts[0].1);
    assert_eq!(store.events(&RunId::from("one")).unwrap(), journal.events);
    assert_eq!(store.receipts(&RunId::from("one")).unwrap(), journal.receipts);
}

#[test]
fn a_step_that_can_t_be_stored_whole_leaves_nothing() {
    let folder = Folder::new();
    let store = folder.store();
    let mut lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    let receipts = [(receipt_id(1), json!(1))];
    let event = receipted(1, json!(null));
    let step = Entry { event: &event, intents: &[], receipts: &receipts, stage: &planning() };
    lease.append(&step).unwrap();
    let refused = lease.append(&step).unwrap_err();
    assert!(matches!(&refused, StoreError::DuplicateReceipt { receipt, .. } if receipt == "r1"), "{refused}");
    let journal = store.journal(&RunId::from("one")).unwrap();
    assert_eq!((journal.events.len(), journal.receipts.len()), (2, 1));
    let next = tool_finished(2, json!(null));
    assert_eq!(lease.append(&entry(&next, &planning())).unwrap(), 3, "the lease goes on after a refusal");
}

#[test]
fn a_step_whose_receipts_are_not_those_of_its_event_is_refused() {
    let folder = Folder::new();
    let store = folder.store();
    let mut lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    let (own, other) = ((receipt_id(1), json!(1)), (receipt_id(2), json!(2)));
    let (named, unnamed) = (receipted(1, json!(null)), tool_finished(1, json!(null)));
    for (event, receipts, said) in [
        (&named, vec![], "the event names receipt r1, which isn't given"),
        (&named, vec![other.clone()], "the event doesn't name receipt r2"),
        (&named, vec![own.clone(), other.clone()], "the event doesn't name receipt r2"),
        (&unnamed, vec![own.clone()], "the event doesn't name receipt r1"),
    ] {
        let step = Entry { event, intents: &[], receipts: &receipts, stage: &planning() };
        let refused = lease.append(&step).unwrap_err();
        assert!(matches!(refused, StoreError::Inconsistent { .. }), "{refused}");
        assert_eq!(refused.to_string(), format!("a step of run one can't be recorded: {said}"));
    }
    assert_eq!(store.journal(&RunId::from("one")).unwrap().events.len(), 1);
}

#[test]
fn a_run_is_entered_only_with_its_own_start() {
    let folder = Folder::new();
    let store = folder.store();
    let other_goal = ringfence_store::NewRun { goal: "another".into(), ..new_run("one") };
    for (run, first) in [
        (new_run("one"), started("two")),
        (other_goal, started("one")),
        (new_run("one"), tool_finished(1, json!(null))),
    ] {
        let refused = store.create_run(&run, &entry(&first, &planning())).unwrap_err();
        assert!(matches!(refused, StoreError::Inconsistent { .. }), "{refused}");
    }
    assert!(store.runs(None).unwrap().is_empty());
}

#[test]
fn an_event_of_many_megabytes_comes_back() {
    let folder = Folder::new();
    let store = folder.store();
    let mut lease = store.create_run(&new_run("big"), &entry(&started("big"), &planning())).unwrap();
    let event = tool_finished(1, Value::String("x\u{1b}[31m\0\"漢\n".repeat(1 << 20)));
    lease.append(&entry(&event, &planning())).unwrap();
    assert_eq!(store.events(&RunId::from("big")).unwrap()[1].event, event);
}

#[test]
fn a_deep_value_comes_back_and_a_bottomless_one_is_refused() {
    let nested = |levels: usize| (0..levels).fold(json!(1), |value, _| json!([value]));
    let folder = Folder::new();
    let store = folder.store();
    let mut lease = store.create_run(&new_run("deep"), &entry(&started("deep"), &planning())).unwrap();
    let deep = tool_finished(1, nested(500));
    lease.append(&entry(&deep, &planning())).unwrap();
    assert_eq!(store.events(&RunId::from("deep")).unwrap()[1].event, deep);
    let refused = lease.append(&entry(&tool_finished(2, nested(600)), &planning())).unwrap_err();
    assert!(matches!(refused, StoreError::TooDeep { what: "an event", limit: 512 }), "{refused}");
}

#[test]
fn reports_are_read_while_another_handle_drives() {
    let folder = Folder::new();
    let store = folder.store();
    let mut lease = store.create_run(&new_run("one"), &entry(&started("one"), &planning())).unwrap();
    let reader = ringfence_store::Store::open_read_only(&folder.file()).unwrap();
    for call in 1..=3 {
        lease.append(&entry(&tool_finished(call, json!(call)), &planning())).unwrap();
        assert_eq!(reader.journal(&RunId::from("one")).unwrap().events.len() as u64, call + 1);
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn tasks() -> impl Strategy<Value = Vec<PlannedTask>> {
    let task = |(id, description, kind, on): (String, String, Option<String>, Option<Vec<String>>)| {
        let depends_on = on.map(|ids| ids.into_iter().map(TaskId).collect());
        PlannedTask { id: TaskId(id), description, kind, depends_on }
    };
    prop::collection::vec(any::<(String, String, Option<String>, Option<Vec<String>>)>().prop_map(task), 0..6)
}

fn tool_requests() -> impl Strategy<Value = Vec<ToolRequest>> {
    let request = |(id, name, arguments)| ToolRequest { id, name, arguments };
    prop::collection::vec(any::<(String, String, String)>().prop_map(request), 0..3)
}

fn rates() -> impl Strategy<Value = Rates> {
    let rate = || prop::option::of(any::<(u64, u64)>().prop_map(|(input, output)| Rate { input, output }));
    (rate(), prop::collection::btree_map(any::<String>(), rate(), 0..3)).prop_map(|(default, experts)| {
        let stages = [(ModelStage::Decide, default)].into();
        Rates { default, stages, experts }
    })
}

fn event_kind() -> impl Strategy<Value = EventKind> {
    // Without content and with a content of null are the same to JSON.
    let content = prop::option::of(json_value().prop_filter("no null", |value| !value.is_null()));
    let status = prop_oneof![
        Just(OutcomeStatus::Done),
        Just(OutcomeStatus::Failed),
        Just(OutcomeStatus::Trapped),
        Just(OutcomeStatus::Denied),
        Just(OutcomeStatus::Exceeded),
        Just(OutcomeStatus::Cancelled),
    ];
    let answer = prop_oneof![
        any::<Option<String>>().prop_map(|plan| Answer::Approve { plan: plan.map(PlanHash) }),
        tasks().prop_map(|tasks| Answer::EditPlan { tasks }),
        tasks().prop_map(|tasks| Answer::AddTasks { tasks }),
        any::<String>().prop_map(|text| Answer::EditAnswer { text }),
        json_value().prop_map(|input| Answer::EditCall { input }),
        any::<String>().prop_map(|reason| Answer::Reject { reason }),
        any::<String>().prop_map(|text| Answer::Reply { text }),
        Just(Answer::Abort),
    ];
    prop_oneof![
        (any::<(u64, String, u64, u64, Option<u64>, String)>(), tool_requests(), content).prop_map(
            |((call, text, input, output, cost, model), calls, content)| {
                let usage = Usage { input_tokens: input, cached_tokens: 0, output_tokens: output };
                let reply = ModelReply { text, calls, content, stop: StopReason::Length, usage, cost, model };
                EventKind::ModelReplied { call: CallId(call), reply }
            }
        ),
        any::<(u64, String, bool, u64, u64, Option<u64>)>().prop_map(
            |(call, message, transient, input, output, cost)| {
                let usage = Usage { input_tokens: input, cached_tokens: 0, output_tokens: output };
                let failure = ModelFailure { message, transient, usage, cost };
                EventKind::ModelFailed { call: CallId(call), failure }
            }
        ),
        any::<(u64, u64, u64, Option<u64>)>().prop_map(|(call, input, output, cost)| {
            let usage = Usage { input_tokens: input, cached_tokens: 0, output_tokens: output };
            EventKind::ModelDropped { call: CallId(call), usage, cost }
        }),
        (any::<u64>(), status, json_value(), any::<String>(), any::<Option<String>>(), any::<bool>())
            .prop_map(|(call, status, value, message, receipt, transient)| EventKind::ToolFinished {
                call: CallId(call),
                outcome: ToolOutcome { status, value, message, receipt: receipt.map(ReceiptId), transient },
            }),
        (any::<u64>(), answer)
            .prop_map(|(review, answer)| EventKind::Answered { review: ReviewId(review), answer }),
        Just(EventKind::Interrupted),
        prop::option::of(rates()).prop_map(|rates| EventKind::Resumed { rates }),
        tasks().prop_map(|tasks| EventKind::Replanned { tasks }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn events_and_receipts_come_back_as_they_went_in(
        steps in prop::collection::vec((any::<(i64, Option<u64>)>(), event_kind(), json_value()), 1..8)
    ) {
        let folder = Folder::new();
        let store = folder.store();
        let mut lease = store.create_run(&new_run("any"), &entry(&started("any"), &planning())).unwrap();
        let mut events = vec![started("any")];
        let mut values = Vec::new();
        for (n, ((at, worked_ms), kind, value)) in steps.into_iter().enumerate() {
            let mut event = Event { at: Timestamp(at), worked_ms, kind };
            let mut receipts = Vec::new();
            if let EventKind::ToolFinished { outcome, .. } = &mut event.kind
                && let Some(ReceiptId(id)) = &mut outcome.receipt
            {
                // Unique in the run, whatever was drawn.
                id.push_str(&n.to_string());
                receipts.push((ReceiptId(id.clone()), value.clone()));
                values.push(value);
            }
            lease.append(&Entry { event: &event, intents: &[], receipts: &receipts, stage: &planning() }).unwrap();
            events.push(event);
        }
        drop(lease);
        let journal = ringfence_store::Store::open(&folder.file()).unwrap().journal(&RunId::from("any")).unwrap();
        prop_assert_eq!(journal.events.into_iter().map(|recorded| recorded.event).collect::<Vec<_>>(), events);
        prop_assert_eq!(journal.receipts.into_iter().map(|stored| stored.receipt).collect::<Vec<_>>(), values);
    }
}
