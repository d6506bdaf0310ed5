//! The analysis in one command, and its report as files.

use crate::program::Home;
use std::fs;

#[test]
fn an_analysis_needs_no_approval_and_writes_its_report_in_all_forms() {
    let home = Home::new();
    home.write("project/a.py", "import os\n\n\ndef run(name):\n    return name\n");
    let said = home.run(["analyze", "project", "--out", "reports"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let names = ["report.md", "report.html", "report.json", "report.sarif"];
    assert_eq!(said.out.lines().count(), names.len(), "{}", said.out);
    for name in names {
        assert!(!fs::read(home.path().join("reports").join(name)).unwrap().is_empty(), "{name}");
    }
    // Nothing is left beside them.
    assert_eq!(fs::read_dir(home.path().join("reports")).unwrap().count(), names.len());
}

#[test]
fn a_folder_that_can_t_be_made_is_said_before_anything_is_run() {
    let home = Home::new();
    home.write("project/a.py", "pass\n");
    home.write("reports", "a file");
    let said = home.run(["analyze", "project", "--out", "reports"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("reports can't be written to reports"), "{}", said.err);
    assert_eq!(fs::read_to_string(home.path().join("reports")).unwrap(), "a file");
}
