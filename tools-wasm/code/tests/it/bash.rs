use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn functions_variables_and_sourced_files_are_found() {
    let analysis = analyze(
        Language::Bash,
        "#!/bin/bash\n# Not of the first function.\n\nset -e\nROOT=1\nROOT=2\nreadonly LIMIT=3\nexport PATH_X=4\ndeclare -r FIXED=5\nX=1 run\n\n# Builds it.\nbuild() {\n  local a=1\n  B=2\n}\nfunction other { :; }\nsource ./lib.sh\n. \"$ROOT/more.sh\"\n",
    );
    assert_eq!(
        outline(&analysis),
        [
            "variable ROOT 5-5",
            "constant LIMIT 7-7",
            "variable PATH_X+ 8-8",
            "constant FIXED 9-9",
            "function build+ 13-16",
            "function other+ 17-17",
        ]
    );
    assert_eq!(head(&analysis, "build"), ("build()", Some("Builds it.")));
    assert_eq!(imports(&analysis), ["18 include ./lib.sh", "19 include $ROOT/more.sh"]);
}
