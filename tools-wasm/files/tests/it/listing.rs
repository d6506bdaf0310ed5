use crate::ground::Ground;
use ringfence_files::{Entry, Failure, Kind, ListRequest, Listing, list_files};
use ringfence_guest_project::Fault;
use std::fs;

fn list(ground: &Ground, request: ListRequest<'_>) -> Listing {
    list_files(&ground.root(), &request).unwrap()
}

fn everything() -> ListRequest<'static> {
    ListRequest { recursive: Some(true), ..ListRequest::default() }
}

fn paths(listing: &Listing) -> Vec<&str> {
    listing.entries.iter().map(|entry| entry.path.as_str()).collect()
}

#[test]
fn the_project_folder_is_listed_by_default_and_not_what_is_below() {
    let ground = Ground::new(&[("b.txt", "12345"), ("a/c.txt", "x"), (".hidden", "")]);
    let listing = list(&ground, ListRequest::default());
    assert_eq!(listing.directory, ".");
    let entry = |path: &str, kind, size| Entry { path: path.into(), kind, size };
    assert_eq!(
        listing.entries,
        [entry(".hidden", Kind::File, 0), entry("a", Kind::Directory, 0), entry("b.txt", Kind::File, 5)]
    );
    assert_eq!((listing.total, listing.files, listing.directories, listing.cut), (3, 2, 1, false));
}

#[test]
fn a_recursive_listing_has_each_directory_before_what_it_holds() {
    let ground = Ground::new(&[("src/z.rs", ""), ("src/a/b.rs", ""), ("src-x/c.rs", ""), ("README", "")]);
    let listing = list(&ground, everything());
    assert_eq!(
        paths(&listing),
        ["README", "src", "src/a", "src/a/b.rs", "src/z.rs", "src-x", "src-x/c.rs"]
            .map(String::from)
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
    );
}

#[test]
fn every_spelling_of_a_directory_gives_the_same_listing() {
    let ground = Ground::new(&[("src/a.rs", "1"), ("src/b/c.rs", "22")]);
    for asked in ["src", "./src", "/src", "src/", "src/../src", "src/b/.."] {
        let request = ListRequest { directory: Some(asked), ..everything() };
        let listing = list(&ground, request);
        assert_eq!(listing.directory, "src", "{asked}");
        assert_eq!(paths(&listing), ["src/a.rs", "src/b", "src/b/c.rs"], "{asked}");
    }
    for asked in ["", ".", "/", "./"] {
        let listing = list(&ground, ListRequest { directory: Some(asked), ..ListRequest::default() });
        assert_eq!(paths(&listing), ["src"], "{asked}");
    }
}

#[test]
fn ignore_files_are_obeyed_at_every_level() {
    let ground = Ground::new(&[
        (".gitignore", "target/\n*.log\n!keep.log\n/only-here.txt\n"),
        ("target/a.o", ""),
        ("x.log", ""),
        ("keep.log", ""),
        ("only-here.txt", ""),
        ("sub/only-here.txt", ""),
        ("sub/.gitignore", "!y.log\nsecret/*\n"),
        ("sub/y.log", ""),
        ("sub/z.log", "it's whitelisted only by name y"),
        ("sub/secret/k", ""),
        (".ignore", "vendored\n"),
        ("vendored/v.c", ""),
        (".git/config", ""),
    ]);
    let listing = list(&ground, everything());
    assert_eq!(
        paths(&listing),
        [
            ".gitignore",
            ".ignore",
            "keep.log",
            "sub",
            "sub/.gitignore",
            "sub/only-here.txt",
            "sub/secret",
            "sub/y.log"
        ]
    );
    assert_eq!(listing.ignored, 6, "target, x.log, only-here.txt, vendored, sub/z.log, sub/secret/k");
}

#[test]
fn rules_above_the_listed_directory_count() {
    let ground = Ground::new(&[
        (".gitignore", "*.log\n/src/gen\n"),
        ("src/.gitignore", "deep/tmp\n"),
        ("src/a.log", ""),
        ("src/gen/g.rs", ""),
        ("src/deep/tmp", ""),
        ("src/deep/b.rs", ""),
    ]);
    let listing = list(&ground, ListRequest { directory: Some("src"), ..everything() });
    assert_eq!(paths(&listing), ["src/.gitignore", "src/deep", "src/deep/b.rs"]);
    let listing = list(&ground, ListRequest { directory: Some("src/deep"), ..everything() });
    assert_eq!(paths(&listing), ["src/deep/b.rs"]);
    // What was asked for by name is shown, ignored or not.
    let listing = list(&ground, ListRequest { directory: Some("src/gen"), ..everything() });
    assert_eq!(paths(&listing), ["src/gen/g.rs"]);
}

#[test]
fn a_glob_matches_names_or_paths() {
    let ground =
        Ground::new(&[("src/a.ts", ""), ("src/x/b.tsx", ""), ("src/x/c.js", ""), ("d.ts", ""), ("e.py", "")]);
    let with = |directory, pattern, recursive| {
        let request = ListRequest { directory, pattern: Some(pattern), recursive, max_entries: None };
        paths(&list(&ground, request)).into_iter().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(with(None, "*.ts", Some(true)), ["d.ts", "src/a.ts"]);
    assert_eq!(with(None, "*.ts", None), ["d.ts"]);
    assert_eq!(with(None, "**/*.{ts,tsx}", None), ["d.ts", "src/a.ts", "src/x/b.tsx"]);
    assert_eq!(with(None, "./src/*.ts", None), ["src/a.ts"]);
    assert_eq!(with(Some("src"), "x/*", None), ["src/x/b.tsx", "src/x/c.js"]);
    assert_eq!(with(Some("src"), "src/**/*.js", None), ["src/x/c.js"], "from the project's folder as well");
    assert_eq!(with(None, "[de].*", None), ["d.ts", "e.py"]);
    assert_eq!(with(None, "", None), ["d.ts", "e.py", "src"], "an empty glob asks for nothing");
}

#[test]
fn a_glob_that_cannot_be_understood_is_named() {
    let ground = Ground::new(&[]);
    for pattern in ["[", "a{b", "src/"] {
        let request = ListRequest { pattern: Some(pattern), ..ListRequest::default() };
        let Err(Failure::InvalidPattern(why)) = list_files(&ground.root(), &request) else {
            panic!("{pattern}")
        };
        assert!(why.contains(&format!("`{pattern}`")), "{why}");
    }
}

#[test]
fn a_cut_listing_still_counts_everything() {
    let ground = Ground::new(&[]);
    for n in 0..30 {
        ground.put(&format!("d{}/f{n:02}", n % 3), b"x");
    }
    let listing = list(&ground, ListRequest { max_entries: Some(5), ..everything() });
    assert_eq!(paths(&listing), ["d0", "d0/f00", "d0/f03", "d0/f06", "d0/f09"]);
    assert_eq!((listing.total, listing.files, listing.directories), (33, 30, 3));
    assert!(listing.cut && listing.complete);
    let listing = list(&ground, ListRequest { max_entries: Some(33), ..everything() });
    assert!(!listing.cut);
    let none = ListRequest { max_entries: Some(0), ..everything() };
    assert!(matches!(list_files(&ground.root(), &none), Err(Failure::InvalidRange(_))));
}

#[test]
fn a_listing_stays_bounded_whatever_the_names() {
    let ground = Ground::new(&[]);
    for n in 0..2_000 {
        ground.put(&format!("{n:04}{}", "n".repeat(200)), b"");
    }
    let listing = list(&ground, ListRequest { max_entries: Some(10_000), ..everything() });
    let shown: usize = listing.entries.iter().map(|entry| entry.path.len()).sum();
    assert!(shown < 200 * 1024 && listing.cut);
    assert_eq!(listing.total, 2_000);
}

#[test]
fn a_folder_of_a_hundred_thousand_entries_is_counted() {
    let ground = Ground::new(&[]);
    for n in 0..100_000 {
        fs::File::create(ground.path().join(format!("f{n:06}"))).unwrap();
    }
    let listing = list(&ground, everything());
    assert_eq!((listing.total, listing.entries.len(), listing.cut), (100_000, 1000, true));
    assert_eq!(listing.entries[999].path, "f000999");
}

#[test]
fn a_tree_two_thousand_deep_ends_well() {
    let ground = Ground::new(&[]);
    // Made from the inside: the whole path is longer than the system takes at once.
    let script =
        "i=0; while [ $i -lt 2000 ]; do mkdir dd && cd -P dd || exit 1; i=$((i+1)); done; touch leaf";
    let made = std::process::Command::new("sh").arg("-c").arg(script).current_dir(ground.path()).status();
    assert!(made.unwrap().success());
    let listing = list(&ground, everything());
    assert!(listing.total > 1000, "{}", listing.total);
    assert_eq!(listing.unreadable.len(), 1, "{:?}", listing.unreadable);
    assert!(listing.unreadable[0].len() < 300);
}

#[cfg(unix)]
#[test]
fn links_are_shown_and_not_followed() {
    use std::os::unix::fs::symlink;
    let ground = Ground::new(&[("real/a.txt", "x")]);
    symlink("real", ground.path().join("link")).unwrap();
    symlink("..", ground.path().join("real/up")).unwrap();
    symlink("nowhere", ground.path().join("dangling")).unwrap();
    let listing = list(&ground, everything());
    assert_eq!(paths(&listing), ["dangling", "link", "real", "real/a.txt", "real/up"]);
    let kinds: Vec<_> = listing.entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [Kind::Link, Kind::Link, Kind::Directory, Kind::File, Kind::Link]);
}

#[cfg(unix)]
#[test]
fn names_of_every_kind_are_listed() {
    let ground = Ground::new(&[("源/файл.py", "x"), ("new\nline", ""), ("sp ace", "")]);
    let listing = list(&ground, everything());
    assert_eq!(paths(&listing), ["new\nline", "sp ace", "源", "源/файл.py"]);
}

#[test]
fn a_file_is_no_directory_and_an_absent_one_is_named() {
    let ground = Ground::new(&[("a.txt", "")]);
    let failure = |asked| {
        let request = ListRequest { directory: Some(asked), ..ListRequest::default() };
        list_files(&ground.root(), &request).unwrap_err()
    };
    assert_eq!(failure("a.txt"), Failure::Fault(Fault::NotADirectory("`a.txt`: not a directory".into())));
    assert_eq!(
        failure("absent"),
        Failure::Fault(Fault::NotFound("`absent`: no such file or directory".into()))
    );
}
