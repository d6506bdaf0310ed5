//! Files that are no components, and components made to hurt.

use crate::built::{documented, encoded, trapping};
use proptest::prelude::*;
use ringfence_sandbox::reflect::{ComponentTools, ReflectError, ReflectLimits, reflect};

const SMALL: &str = r#"
    package acme:small;
    interface a { record r { x: list<tuple<string, option<u8>>> } go: func(r: r) -> result<r, string>; }
    world tools { /** Docs. */ export start: func(a: char); export a; }
"#;

fn read(component: &[u8]) -> Result<ComponentTools, ReflectError> {
    reflect(component, &ReflectLimits::default())
}

#[test]
fn what_is_no_component_is_told_apart() {
    let small = trapping(SMALL, "tools");
    assert_eq!(read(b""), Err(ReflectError::Empty));
    assert!(matches!(read(b"#!/bin/sh"), Err(ReflectError::NotWasm { .. })));
    assert_eq!(read(b"\0asm\x01\0\0\0"), Err(ReflectError::CoreModule));
    assert_eq!(read(&encoded(SMALL, "tools")), Err(ReflectError::WitPackage));
    assert!(matches!(read(&small[..small.len() - 3]), Err(ReflectError::Truncated { .. })));
    let mut newer = small.clone();
    newer[4] = 0x20;
    assert_eq!(read(&newer), Err(ReflectError::OtherVersion { version: 0x20, layer: 1 }));
    let limits = ReflectLimits { component_bytes: 10, ..ReflectLimits::default() };
    assert_eq!(reflect(&small, &limits), Err(ReflectError::TooLarge { size: small.len() as u64, limit: 10 }));
}

#[test]
fn each_message_says_what_to_do() {
    let small = trapping(SMALL, "tools");
    let mut invalid = small.clone();
    invalid[8] = 0x55;
    let messages: Vec<_> =
        [&b""[..], b"\x7fELF....", b"\0asm\x01\0\0\0", b"\0asm\x0a\0\x01\0", &small[..9], &invalid]
            .into_iter()
            .map(|bytes| read(bytes).unwrap_err().to_string())
            .collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn an_empty_component_has_no_tools() {
    let found = read(b"\0asm\x0d\0\x01\0").unwrap();
    assert!(found.tools.is_empty() && found.unsupported.is_empty());
}

#[test]
fn every_truncation_is_an_error_or_a_shorter_component() {
    let whole = documented(SMALL, "tools");
    for end in 0..whole.len() {
        let _ = read(&whole[..end]);
    }
    assert_eq!(read(&whole).unwrap().tools.len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn damaged_components_never_panic(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut damaged = documented(SMALL, "tools");
        for (at, byte) in changes {
            let at = at.index(damaged.len());
            damaged[at] = byte;
        }
        let _ = read(&damaged);
    }
}

#[test]
fn two_functions_of_one_name_are_an_error_naming_both() {
    let wit = |other: &str| {
        format!(
            "package acme:twice@1.0.0;
             interface a {{ read-it: func(); }} interface b {{ {other}: func(); }}
             world tools {{ export a; export b; }}"
        )
    };
    let error = read(&trapping(&wit("read-it"), "tools")).unwrap_err().to_string();
    insta::assert_snapshot!(error);
    let error = read(&trapping(&wit("READ-it"), "tools")).unwrap_err();
    assert!(matches!(error, ReflectError::SameName { .. }), "case alone doesn't tell names apart");
}

#[test]
fn types_that_explode_when_written_out_are_refused() {
    let mut wit = String::from("package acme:boom; world tools {\nrecord r0 { a: u8 }\n");
    for at in 1..15 {
        wit.push_str(&format!("record r{at} {{ a: r{0}, b: r{0} }}\n", at - 1));
    }
    wit.push_str("export boom: func(x: r14);\nexport fine: func(x: r3); }");
    let found = read(&trapping(&wit, "tools")).unwrap();
    assert_eq!(found.tools.len(), 1);
    assert_eq!(
        found.unsupported[0].reason,
        "its parameter `x` has more than 5000 types, fields and cases when written out"
    );
}

#[test]
fn types_that_nest_too_deep_are_refused() {
    let nested = |levels: usize| format!("{}u8{}", "list<".repeat(levels), ">".repeat(levels));
    let wit = format!(
        "package acme:deep; world tools {{ export deep: func(x: {}); export fine: func(x: {}); }}",
        nested(80),
        nested(60)
    );
    let found = read(&trapping(&wit, "tools")).unwrap();
    assert_eq!(found.tools[0].name.as_str(), "fine");
    assert_eq!(
        found.unsupported[0].reason,
        "its parameter `x` has types nested deeper than 64 levels of JSON"
    );
}

#[test]
fn too_many_functions_and_too_long_names_are_refused() {
    let many: String = (0..30).map(|at| format!("export fun{at}: func();")).collect();
    let component = trapping(&format!("package acme:many; world tools {{ {many} }}"), "tools");
    let limits = ReflectLimits { functions: 20, ..ReflectLimits::default() };
    assert_eq!(reflect(&component, &limits), Err(ReflectError::TooManyFunctions { limit: 20 }));

    let long = "x".repeat(200);
    let wit =
        format!("package acme:long; world tools {{ export {long}: func(); export ok: func({long}: u8); }}");
    let found = read(&trapping(&wit, "tools")).unwrap();
    assert_eq!(found.tools.len(), 0);
    let reasons: Vec<_> = found.unsupported.iter().map(|function| function.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "its name isn't a plain WIT name of at most 64 characters",
            "a parameter has a name longer than 128 characters"
        ]
    );
}

#[test]
fn documentation_has_a_budget_over_the_whole_component() {
    let functions: String =
        (0..40).map(|at| format!("/// {}\nexport fun{at}: func();\n", "y".repeat(900))).collect();
    let component = documented(&format!("package acme:wordy; world tools {{ {functions} }}"), "tools");
    let limits = ReflectLimits { all_docs_bytes: 10_000, ..ReflectLimits::default() };
    let found = reflect(&component, &limits).unwrap();
    let documented = found.tools.iter().filter(|tool| tool.description.starts_with('y')).count();
    assert_eq!(documented, 11);
    assert_eq!(found.warnings, ["documentation over 10000 bytes was left out"]);
}
