use super::*;
use proptest::prelude::*;

fn set(defaults: bool, patterns: &[&str]) -> MaskSet {
    let patterns = patterns.iter().map(|text| MaskPattern::parse(text).expect("a pattern")).collect();
    MaskSet::new(&Masks { defaults, patterns }).expect("a set")
}

#[test]
fn keys_and_credentials_are_hidden_by_default_wherever_they_lie_and_however_they_are_spelled() {
    let set = set(true, &[]);
    for name in [
        ".env",
        ".env.local",
        ".env.production",
        ".envrc",
        "prod.env",
        ".ENV",
        ".Env.Local",
        ".e\u{200b}nv",
        ".env.",
        ".env ",
        ".git",
        ".Git",
        ".git.",
        ".git/config",
        ".git/objects/aa/bb",
        "server.pem",
        ".pem",
        "SERVER.PEM",
        "server.pem.",
        "tls.key",
        "cert.p12",
        "cert.pfx",
        "id_rsa",
        "id_rsa.old",
        "id_ed25519",
        "id_ecdsa_sk",
        "pass.kdbx",
        "app.jks",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".aws/credentials",
        ".ssh",
        ".ssh/known_hosts",
        ".ſſh/config",
        ".docker/config.json",
        ".DOCKER/Config.json",
        ".kube/config",
        ".config/gcloud/credentials.db",
        "service-account.json",
        "my_service_account.json",
        "terraform.tfstate",
        "terraform.tfstate.backup",
        ".git-credentials",
        ".htpasswd",
        ".htpaßwd",
        "secrets.yml",
        "secrets.yaml",
        "secrets.json",
        "secrets.toml",
        "caf\u{f7e9}.pem",
    ] {
        for place in [name.to_owned(), format!("a/{name}"), format!("密/b c/{name}"), format!("{name}/below")]
        {
            assert!(set.hides(&place, 0).is_some(), "{place:?}");
        }
        assert!(name.contains('/') || set.hides_entry(&format!("a/{name}")), "{name:?}");
    }
}

#[test]
fn ordinary_sources_stay_visible() {
    let set = set(true, &[]);
    for place in [
        "",
        ".env.example",
        "a/.env.sample",
        ".env.template",
        ".ENV.Example",
        "example.env",
        "environment.ts",
        "src/env.rs",
        "env",
        ".gitignore",
        ".github/workflows/ci.yml",
        ".gitattributes",
        "git/x",
        "id_rsa.pub",
        "a/id_ed25519.pub",
        "server.pub",
        "key.rs",
        "keys.py",
        "src/key/mod.rs",
        "monkey.js",
        "secrets.py",
        "secrets/mod.rs",
        "credentials.go",
        ".docker/Dockerfile",
        "config.json",
        ".cargo/config.toml",
        ".vscode/settings.json",
        "main.tf",
        "kube/config",
        "pyproject.toml",
        "...",
        "文档/注",
    ] {
        assert_eq!(set.hides(place, 0), None, "{place:?}");
    }
}

#[test]
fn every_default_has_a_reason_and_is_there_once() {
    let mut known = std::collections::HashSet::new();
    for (pattern, reason) in Masks::built_in() {
        assert!(!reason.is_empty() && known.insert(pattern), "{pattern}");
    }
}

#[test]
fn patterns_mean_what_they_mean_in_a_gitignore_file() {
    for (patterns, hidden, visible) in [
        (&["*.csv"][..], &["a.csv", "x/y.csv", "x.CSV/z"][..], &["csv", "a.csv2"][..]),
        (&["/data"], &["data", "data/x"], &["x/data", "data2"]),
        (&["data/raw"], &["data/raw/x"], &["x/data/raw", "data"]),
        (&["build/"], &["build/x", "a/build/x"], &["builds"]),
        (&["a/**/b"], &["a/b", "a/x/y/b"], &["x/a/b"]),
        (&["a/**"], &["a/x"], &["a"]),
        (&["a/*/c"], &["a/b/c"], &["a/b/b/c"]),
        (&["x?z"], &["xyz"], &["xz", "x/z"]),
        (&["[ab].txt"], &["a.txt"], &["c.txt"]),
        (&["\\!x", "\\#y"], &["!x", "#y"], &["x", "y"]),
        (&["{a,b}"], &["{a,b}"], &["a", "b"]),
        (&["*.log", "!keep.log"], &["a.log"], &["keep.log", "x/keep.log"]),
        (&["!keep.log", "*.log"], &["keep.log"], &[]),
        (&["logs", "!logs/keep"], &["logs/keep"], &[]),
        (&["密钥*"], &["x/密钥1"], &["密"]),
    ] {
        let set = set(false, patterns);
        for place in hidden {
            assert!(set.hides(place, 0).is_some(), "{patterns:?} hides {place}");
        }
        for place in visible {
            assert_eq!(set.hides(place, 0), None, "{patterns:?} shows {place}");
        }
    }
}

#[test]
fn the_topmost_hidden_folder_and_its_pattern_are_named() {
    let set = set(true, &["/private"]);
    let hit = |place: &str| set.hides(place, 0).map(|hidden| (hidden.by.as_str().to_owned(), hidden.depth));
    assert_eq!(hit("a/.git/hooks/x.pem"), Some((".git".to_owned(), 2)));
    assert_eq!(hit("private/a.key"), Some(("/private".to_owned(), 1)));
    assert_eq!(hit("a/b"), None);
}

#[test]
fn names_that_are_known_to_be_visible_are_not_asked_again() {
    let set = set(true, &[]);
    for (known, hides) in [(0, true), (1, true), (2, false), (3, false)] {
        assert_eq!(set.hides("a/.git/x", known).is_some(), hides, "{known}");
    }
}

#[test]
fn a_default_is_brought_back_by_a_later_pattern_and_only_there() {
    let set = set(true, &["!/src/.env", "!*.pem"]);
    for (place, hides) in [("src/.env", false), (".env", true), ("x/a.pem", false), (".git/a.pem", true)] {
        assert_eq!(set.hides(place, 0).is_some(), hides, "{place}");
    }
}

#[test]
fn the_digest_follows_the_patterns() {
    let all = [set(true, &[]), set(true, &["x"]), set(false, &["x"]), set(false, &[])];
    let digests: std::collections::HashSet<_> = all.iter().map(MaskSet::digest).collect();
    assert_eq!(digests.len(), all.len());
}

proptest! {
    /// The quick look at a name alone never changes the answer.
    #[test]
    fn what_a_pattern_fits_its_last_name_fits(
        pattern in r"!?/?([ab*?.]|\[ab\]|\[/a\]|\\\\a|/|\*\*/){1,6}",
        place in "([ab.]{1,3}/){0,3}[ab.]{1,3}",
    ) {
        let Ok(pattern) = MaskPattern::parse(&pattern) else { return Ok(()) };
        if pattern.glob().unwrap().compile_matcher().is_match(&place) {
            let name = place.rsplit('/').next().unwrap();
            let by_name = pattern.name_glob().unwrap().compile_matcher();
            prop_assert!(by_name.is_match(name), "{} by {} of {}", name, by_name.glob(), pattern);
        }
    }

    /// The quick look at an entry's name, as it is spelled, doesn't either.
    #[test]
    fn an_entry_is_hidden_as_the_place_is_that_it_makes(
        patterns in proptest::collection::vec(r"!?/?([aBs*.]|\[ab\]|/|\*\*/){1,6}", 1..4),
        place in "([aBsſß\u{200b}. ]{1,3}/){0,3}[aBsſß\u{200b}. ]{1,3}",
    ) {
        let patterns: Vec<_> = patterns.iter().filter_map(|text| MaskPattern::parse(text).ok()).collect();
        let set = MaskSet::new(&Masks { defaults: false, patterns }).unwrap();
        let (known, place) = (1 + place.matches('/').count(), format!("x/{place}"));
        prop_assert_eq!(set.hides_entry(&place), set.hides(&place, known).is_some());
    }
}
