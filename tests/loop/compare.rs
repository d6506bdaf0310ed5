//! `compare`: one goal through all flows.

use crate::product;
use serde_json::Value;

#[test]
fn the_built_in_analysis_goes_through_all_flows_with_no_model_and_no_network() {
    let product = product();
    product.copy_of("examples/my_project");
    let compared = product.run(&["compare", "my_project", "--json"], &[]);
    assert_eq!(compared.code, Some(0), "{compared:?}");
    let compared: Value = serde_json::from_str(&compared.stdout).expect("JSON");
    for flow in ["staged", "pipeline", "react"] {
        let row = &compared["flows"][flow];
        assert_eq!(row["exit_code"], 0, "{flow}: {row}");
        for number in ["steps", "model_calls", "tool_calls"] {
            assert!(row[number].as_u64().is_some_and(|count| count > 0), "{flow}: {number} in {row}");
        }
        let (wall, own) = (&row["wall_ms"], &row["outside_model_and_tools_ms"]);
        assert!(own.as_f64() <= wall.as_f64(), "{flow}: a part is no more than the whole: {row}");
    }
    // Each is an ordinary run that can be looked at.
    let runs = product.run(&["runs", "--json"], &[]);
    let runs: Value = serde_json::from_str(&runs.stdout).expect("JSON");
    assert_eq!(runs.as_array().map(Vec::len), Some(3));
}

#[test]
fn flows_that_are_asked_for_stand_side_by_side() {
    let product = product();
    product.copy_of("examples/my_project");
    let compared = product.run(&["compare", "my_project", "--flows", "react,pipeline"], &[]);
    assert_eq!(compared.code, Some(0), "{compared:?}");
    let mut lines = compared.stdout.lines();
    let head: Vec<_> = lines.next().unwrap_or_default().split_whitespace().collect();
    assert_eq!(head, ["pipeline", "react"]);
    assert!(lines.next().is_some_and(|line| line.starts_with("outcome")), "{}", compared.stdout);
}

#[test]
fn a_flow_that_a_limit_ends_doesn_t_keep_the_others_from_going_on() {
    let product = product();
    let folder = product.copy_of("examples/my_project");
    let compared =
        product.run(&["compare", &folder.to_string_lossy(), "--max-iterations", "4", "--json"], &[]);
    assert_eq!(compared.code, Some(0), "{compared:?}");
    let compared: Value = serde_json::from_str(&compared.stdout).expect("JSON");
    for flow in ["staged", "pipeline", "react"] {
        let code = compared["flows"][flow]["exit_code"].as_u64();
        assert!(matches!(code, Some(0 | 4)), "{flow}: {compared}");
    }
}
