use super::*;
use insta::assert_snapshot;

fn entry(name: &str, source: &str) -> Entry {
    let bytes = name.as_bytes();
    Entry {
        name: ComponentName::parse(name).unwrap(),
        source: source.parse().unwrap(),
        resolved: None,
        digest: Digest::of(bytes),
        sha256: Sha256::of(bytes),
        size: bytes.len() as u64,
        imports: vec!["wasi:cli/environment@0.2.6".to_owned(), "wasi:filesystem/types@0.2.6".to_owned()],
        tools: vec!["count".to_owned()],
        names: BTreeMap::new(),
        signed_by: None,
        approved: Approved::named(
            &["src:write".parse().unwrap(), "docs".parse().unwrap()],
            &[HostGrant::parse("https://a.example/v1").unwrap()],
            &[],
        ),
    }
}

fn both() -> Lock {
    let name = |name: &str| ToolName::parse(name).unwrap();
    let reference = "oci://r.example/team/count:1";
    let resolved = format!("oci://r.example/team/count@{}", Sha256::of(b"manifest")).parse().unwrap();
    let signed_by = serde_json::from_value(serde_json::json!(Sha256::of(b"key"))).unwrap();
    let of_registry = Entry {
        names: [(name("tally"), name("count"))].into(),
        resolved: Some(resolved),
        signed_by: Some(signed_by),
        ..entry("zeta", reference)
    };
    Lock::default().with(of_registry).with(entry("alpha", "tools/alpha.wasm"))
}

#[test]
fn a_lock_is_written_sorted_and_read_as_it_was_written() {
    let text = both().text().unwrap();
    assert_snapshot!(text);
    let read = Lock::parse(&text).unwrap();
    assert_eq!(read, both());
    assert_eq!(read.text().unwrap(), text);
    assert_eq!(Lock::default().text(), None);
}

#[test]
fn what_nobody_understands_in_a_lock_is_refused() {
    let text = both().text().unwrap();
    let (digest, zeta) = (Digest::of(b"alpha").to_string(), Digest::of(b"zeta").to_string());
    for (from, to, why) in [
        ("version = 1", "version = 2", "another version"),
        ("version = 1\n", "", "no `version`"),
        ("version = 1", "version = 1\nx = 2", "unknown field `x`"),
        ("size = 4", "size = 4\nx = 2", "unknown field `x`"),
        ("[component.grants]", "[component.grants]\nsecrets = []", "unknown field `secrets`"),
        ("access = \"write\"", "access = \"write\", masks = []", "unknown field `masks`"),
        ("name = \"zeta\"", "name = \"alpha\"", "`alpha` stands in it twice"),
        ("name = \"zeta\"", "name = \"../zeta\"", "no name of a component"),
        ("\"tools/alpha.wasm\"", "\"../alpha.wasm\"", "leaves the project"),
        ("\"tools/alpha.wasm\"", "\"http://a.example/x\"", "http is for this machine"),
        (digest.as_str(), "blake3:00", "no digest"),
        (digest.as_str(), &zeta, "`alpha` and `zeta` are one component"),
        ("resolved = \"oci://r.example/team/", "resolved = \"oci://r.example/other/", "another place"),
        ("tools = [\"count\"]", "tools = \"count\"", "invalid type"),
        ("[[component]]", "[[component]", "can't be used"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let error = Lock::parse(&changed).unwrap_err().to_string();
        assert!(error.contains(why), "{from}: {error}");
    }
}

#[test]
fn a_component_is_called_after_its_source() {
    let name = |source: &str| ComponentName::of(&source.parse().unwrap()).map(|name| name.to_string());
    assert_eq!(name("oci://r.example/team/word-count:1.0").as_deref(), Some("word-count"));
    assert_eq!(name("https://a.example/x/word_count.wasm?v=1").as_deref(), Some("word_count"));
    assert_eq!(name("./tools/count.wasm").as_deref(), Some("count"));
    assert_eq!(name("https://a.example/"), None);
    assert_eq!(name("./a b.wasm"), None);
}
