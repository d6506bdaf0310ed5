//! A project's configuration, and the small languages in it: paths of grants, masks.

use ringfence::config::ProjectFiles;
use ringfence_sandbox::{GrantPath, MaskPattern};
use std::fs;

/// One input: the text of a configuration file, and of a path and of a mask besides.
pub(crate) fn target(data: &[u8]) {
    // In memory where there is such a place: this is done a thousand times in a second.
    let home = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    fs::write(home.path().join("ringfence.toml"), data).unwrap();
    match ProjectFiles::read(home.path()) {
        Ok(files) => assert_eq!(files.hash().len(), 64),
        Err(error) => {
            let told = format!("{error:#}");
            assert!(!told.is_empty() && told.len() < 40_000, "an error of {} bytes", told.len());
        }
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    for line in text.lines().take(50) {
        if let Ok(path) = GrantPath::parse(line) {
            let names = path.names();
            assert!(
                names.iter().all(|name| !["", ".", ".."].contains(&name.as_str()) && !name.contains('/')),
                "{names:?}"
            );
            assert_eq!(GrantPath::parse(&path.to_string()), Ok(path), "{line:?}");
        }
        if let Ok(mask) = MaskPattern::parse(line) {
            assert_eq!(MaskPattern::parse(mask.as_str()), Ok(mask), "{line:?}");
        }
    }
}

/// Inputs to begin with.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    [
        "flow = \"staged\"\npause = [\"after_plan\", \"before_tool\"]\nparallel = 3\n",
        "[grants]\ndirs = [\"src\", { path = \"lib\", access = \"read\", masks = [\"*.csv\", \"/a/**/b\"] }]\nentropy = false\n",
        "[limits]\ntime = \"10m\"\nmemory = \"64MiB\"\nmoney = \"$1.50\"\nstage_timeouts = { plan = \"60s\" }\n",
        "[tools.read_file]\ndirs = [\"src\"]\ntimeout = \"5s\"\n[models.plan]\nprovider = \"anthropic\"\nmodel = \"x\"\n",
        "components = [\"tool.wasm\", \"a/../b.wasm\"]\n[experts.security]\nprompt = \"Look twice.\"\n",
        "src/../src\n./a//b/\n/etc\n..\n!/src/.env\n**/x[!a-z]?.key\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into()
}
