//! What earlier versions wrote still reads, and still means the same.

use ringfence_sandbox::{Grants, Limits, Receipt};

/// A receipt of a call that ended at its deadline, as version 0.1.0 wrote it before it said which
/// limit that was.
const RECEIPT: &str = include_str!("fixtures/receipt_before_limits.json");

#[test]
fn a_receipt_that_doesn_t_say_which_limit_ended_the_call_reads() {
    let receipt: Receipt = serde_json::from_str(RECEIPT).expect("it reads");
    assert_eq!((receipt.exceeded, receipt.cached), (None, None));
    let written = serde_json::to_value(&receipt).expect("JSON");
    let before: serde_json::Value = serde_json::from_str(RECEIPT).expect("JSON");
    assert_eq!(written, before, "and says nothing more when it is written again");
}

#[test]
fn grants_that_name_nothing_new_are_written_as_before_and_have_the_same_digest() {
    let before = r#"{"dirs":[{"path":".","access":"read"}],"limits":{"memory_bytes":268435456,"time_ms":30000,"output_bytes":262144,"stdio_bytes":65536,"open_files":512,"dir_entries":1000000,"read_bytes":4294967296,"fuel":null}}"#;
    assert_eq!(serde_json::to_string(&Grants::whole_project()).expect("JSON"), before);
    let read: Grants = serde_json::from_str(before).expect("it reads");
    assert_eq!(read, Grants::whole_project());
    assert_eq!(read.limits, Limits::default());
}
