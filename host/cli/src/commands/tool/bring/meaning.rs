//! What a component's imports mean, in plain words.

/// For each kind of import that it has: what it is for.
pub(super) fn of(imports: &[String]) -> Vec<(String, &'static str)> {
    let mut meanings: Vec<(String, &'static str)> = Vec::new();
    for import in imports {
        let bare = import.split('@').next().unwrap_or(import);
        let (kind, meaning) = match bare.split_once('/') {
            Some((package @ "wasi:filesystem", _)) => {
                (package, "opens files: in approved and granted folders, nowhere else")
            }
            Some((package @ "wasi:http", _)) => {
                (package, "makes requests: to approved and granted hosts, nowhere else")
            }
            Some((package @ "wasi:sockets", _)) => (package, "would open sockets, which no tool can"),
            Some(("wasi:cli", "environment")) => {
                (bare, "sees variables of the environment: those that are approved and granted")
            }
            Some((package @ "wasi:cli", _)) => (package, "input and output of its own, and how it ends"),
            Some((package @ "wasi:clocks", _)) => {
                (package, "asks for the time, which is made up unless real time is granted")
            }
            Some((package @ "wasi:random", _)) => {
                (package, "asks for chance, which is made up unless real chance is granted")
            }
            Some((package @ "wasi:io", _)) => (package, "waits, and moves bytes"),
            Some(("ringfence:host", "fan-out")) => {
                (bare, "has the host work on many files, as it may open them")
            }
            Some((package @ "wasi:config", _)) => (package, "asks for settings of its own"),
            Some(_) | None => (import.as_str(), "isn't offered here: calls of its tools will fail"),
        };
        if !meanings.iter().any(|(known, _)| known == kind) {
            meanings.push((kind.to_owned(), meaning));
        }
    }
    meanings
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn imports_are_told_once_for_each_kind() {
        let imports = [
            "wasi:filesystem/types@0.2.6",
            "wasi:filesystem/preopens@0.2.6",
            "wasi:cli/environment@0.2.0",
            "wasi:cli/exit@0.2.0",
            "acme:db/query@1.0.0",
        ];
        let told = of(&imports.map(str::to_owned));
        let kinds: Vec<_> = told.iter().map(|(kind, _)| kind.as_str()).collect();
        assert_eq!(kinds, ["wasi:filesystem", "wasi:cli/environment", "wasi:cli", "acme:db/query@1.0.0"]);
        assert!(told[3].1.contains("isn't offered"));
    }
}
