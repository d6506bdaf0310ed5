//! A function's types as a person reads them.

use ringfence_engine::ToolFacts;
use ringfence_sandbox::reflect::{Signature, WitType};
use ringfence_sandbox::{DirGrant, Grants, Limits, Masks, Tool};

/// `read_file(file_path: string, first_line?: u32)`
pub(super) fn signature(name: &str, signature: &Signature) -> String {
    let params: Vec<_> = signature
        .params
        .iter()
        .map(|param| match &param.ty {
            WitType::Option(inner) => format!("{}?: {}", param.name.snake(), of(inner)),
            ty => format!("{}: {}", param.name.snake(), of(ty)),
        })
        .collect();
    format!("{name}({})", params.join(", "))
}

/// What it gives when it goes well, and when it fails.
pub(super) fn results(signature: &Signature) -> (String, Option<String>) {
    let part = |ty: Option<&WitType>| ty.map_or("nothing".to_owned(), of);
    match &signature.result {
        Some(WitType::Result { ok, err }) => (part(ok.as_deref()), Some(part(err.as_deref()))),
        other => (part(other.as_ref()), None),
    }
}

/// Parts of one type that are told, at most.
const PARTS: usize = 60;
/// How deep a type is told.
const DEEP: usize = 3;

/// What is in the parameters that have parts, a line each: `options.max_words?: u32: How many at most.`
pub(super) fn parts_of_params(signature: &Signature) -> Vec<String> {
    let mut found = Vec::new();
    for param in &signature.params {
        parts(&param.ty, param.name.snake(), DEEP, &mut found);
    }
    found
}

/// The same of what it gives when it goes well.
pub(super) fn parts_of_result(signature: &Signature) -> Vec<String> {
    let mut found = Vec::new();
    let given = match &signature.result {
        Some(WitType::Result { ok, .. }) => ok.as_deref(),
        other => other.as_ref(),
    };
    if let Some(ty) = given {
        parts(ty, "", DEEP, &mut found);
    }
    found
}

fn parts(ty: &WitType, path: &str, deep: usize, found: &mut Vec<String>) {
    if deep == 0 || found.len() >= PARTS {
        return;
    }
    let mut tell = |what: String, docs: &Option<String>| {
        let docs = docs.as_ref().map(|docs| format!(": {docs}")).unwrap_or_default();
        found.push(format!("{what}{docs}"));
    };
    match ty {
        WitType::Record(record) => {
            for field in &record.fields {
                let name = format!("{path}.{}", field.name.snake());
                let (mark, ty) = match &field.ty {
                    WitType::Option(inner) => ("?", inner.as_ref()),
                    ty => ("", ty),
                };
                found.push(match &field.docs {
                    Some(docs) => format!("{name}{mark}: {}: {docs}", of(ty)),
                    None => format!("{name}{mark}: {}", of(ty)),
                });
                parts(ty, &name, deep - 1, found);
            }
        }
        WitType::Enum(names) | WitType::Flags(names) => {
            for name in names.names.iter().filter(|name| name.docs.is_some()) {
                tell(format!("{path} `{}`", name.name.snake()).trim_start().to_owned(), &name.docs);
            }
        }
        WitType::Variant(variant) => {
            for case in &variant.cases {
                let value = case.ty.as_ref().map(|ty| format!(" with {}", of(ty))).unwrap_or_default();
                tell(format!("{path} `{}`{value}", case.name.snake()).trim_start().to_owned(), &case.docs);
            }
        }
        WitType::Option(inner) => parts(inner, path, deep, found),
        WitType::List(element) | WitType::FixedList { element, .. } => {
            parts(element, &format!("{path}[]"), deep, found);
        }
        WitType::Bool
        | WitType::S8
        | WitType::U8
        | WitType::S16
        | WitType::U16
        | WitType::S32
        | WitType::U32
        | WitType::S64
        | WitType::U64
        | WitType::F32
        | WitType::F64
        | WitType::Char
        | WitType::String
        | WitType::Bytes
        | WitType::Map { .. }
        | WitType::Tuple(_)
        | WitType::Result { .. } => {}
    }
}

/// A type in WIT's words.
pub(super) fn of(ty: &WitType) -> String {
    match ty {
        WitType::Bool => "bool".to_owned(),
        WitType::S8 => "s8".to_owned(),
        WitType::U8 => "u8".to_owned(),
        WitType::S16 => "s16".to_owned(),
        WitType::U16 => "u16".to_owned(),
        WitType::S32 => "s32".to_owned(),
        WitType::U32 => "u32".to_owned(),
        WitType::S64 => "s64".to_owned(),
        WitType::U64 => "u64".to_owned(),
        WitType::F32 => "f32".to_owned(),
        WitType::F64 => "f64".to_owned(),
        WitType::Char => "char".to_owned(),
        WitType::String => "string".to_owned(),
        WitType::Bytes => "bytes (base64)".to_owned(),
        WitType::List(element) => format!("list of {}", of(element)),
        WitType::FixedList { element, length } => format!("{length} times {}", of(element)),
        WitType::Map { key, value } => format!("map from {} to {}", of(key), of(value)),
        WitType::Tuple(parts) => format!("({})", parts.iter().map(of).collect::<Vec<_>>().join(", ")),
        WitType::Option(inner) => format!("{} or nothing", of(inner)),
        WitType::Result { ok, err } => {
            let part = |ty: &Option<Box<WitType>>| ty.as_deref().map_or("nothing".to_owned(), of);
            format!("{} or error {}", part(ok), part(err))
        }
        WitType::Record(record) => {
            let names: Vec<_> = record.fields.iter().map(|field| field.name.snake()).collect();
            format!("{{{}}}", names.join(", "))
        }
        WitType::Variant(variant) => {
            variant.cases.iter().map(|case| case.name.snake()).collect::<Vec<_>>().join(" | ")
        }
        WitType::Enum(names) => {
            names.names.iter().map(|name| name.name.snake()).collect::<Vec<_>>().join(" | ")
        }
        WitType::Flags(names) => {
            format!(
                "any of {}",
                names.names.iter().map(|name| name.name.snake()).collect::<Vec<_>>().join(", ")
            )
        }
    }
}

/// What a tool can do, in one line.
pub(in crate::commands) fn abilities(tool: &Tool, facts: ToolFacts, grants: &Grants) -> String {
    let (dirs, env) = (&grants.dirs, grants.env_of(tool));
    let mut parts = Vec::new();
    if dirs.is_empty() || !tool.component().tools().opens_files() {
        parts.push("read no files".to_owned());
    } else {
        let dirs: Vec<_> = dirs.iter().map(|dir| format!("`{}`", dir.path)).collect();
        parts.push(format!("read {}", dirs.join(", ")));
    }
    if !env.is_empty() {
        let names: Vec<_> = env.iter().map(|name| format!("`{name}`")).collect();
        parts.push(format!("see {} of the environment", names.join(", ")));
    }
    parts.push(if facts.writes { "write" } else { "write nothing" }.to_owned());
    if facts.egress {
        let hosts: Vec<_> = grants.hosts.iter().map(|host| format!("`{host}`")).collect();
        parts.push(format!("ask {}", hosts.join(", ")));
    } else {
        parts.push("no network".to_owned());
    }
    let answers = match (facts.deterministic, facts.egress) {
        (true, _) => "the same answer to the same call",
        (false, true) => "answers as the network gives them",
        (false, false) if grants.entropy => "real time and chance",
        (false, false) => "answers as the environment has it",
    };
    parts.push(answers.to_owned());
    parts.join("; ")
}

/// What is hidden from a tool in its folders, in one line; none if it has none.
pub(in crate::commands) fn hidden(dirs: &[DirGrant]) -> Option<String> {
    let of = |masks: &Masks| {
        let usual = masks.defaults.then(|| "keys and credentials".to_owned());
        let own = masks.patterns.iter().map(|mask| format!("`{mask}`"));
        let all: Vec<_> = usual.into_iter().chain(own).collect();
        if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
    };
    let (first, others) = dirs.split_first()?;
    if others.iter().all(|dir| dir.masks == first.masks) {
        return Some(of(&first.masks));
    }
    let each: Vec<_> = dirs.iter().map(|dir| format!("in `{}` {}", dir.path, of(&dir.masks))).collect();
    Some(each.join("; "))
}

/// The bounds of a call, in one line.
pub(in crate::commands) fn bounds(limits: &Limits) -> String {
    let cpu = limits.cpu_ms.map_or_else(String::new, |cpu| format!("{} on the processor, ", time(cpu)));
    format!(
        "{} of time, {cpu}{} of memory, {} of result",
        time(limits.time_ms),
        size(limits.memory_bytes),
        size(limits.output_bytes)
    )
}

fn time(ms: u64) -> String {
    if ms.is_multiple_of(1_000) { format!("{} s", ms / 1_000) } else { format!("{ms} ms") }
}

/// `256 MiB`, `1.4 MiB`, `900 bytes`
pub(in crate::commands) fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..=1023 => return format!("{bytes} bytes"),
        1024..=1_048_575 => (1_u64 << 10, "KiB"),
        1_048_576..=1_073_741_823 => (1 << 20, "MiB"),
        _ => (1 << 30, "GiB"),
    };
    if bytes.is_multiple_of(unit) {
        format!("{} {name}", bytes / unit)
    } else {
        format!("{:.1} {name}", bytes as f64 / unit as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringfence_sandbox::{GrantPath, MaskPattern};

    #[test]
    fn what_is_hidden_is_said_once_where_it_is_the_same_everywhere() {
        let dir = |path: &str| DirGrant::read(GrantPath::parse(path).unwrap());
        assert_eq!(hidden(&[]), None);
        assert_eq!(hidden(&[dir("a"), dir("b")]).as_deref(), Some("keys and credentials"));
        let mut other = dir("b");
        other.masks = Masks { defaults: false, patterns: vec![MaskPattern::parse("*.csv").unwrap()] };
        let both = "in `a` keys and credentials; in `b` `*.csv`";
        assert_eq!(hidden(&[dir("a"), other]).as_deref(), Some(both));
    }

    #[test]
    fn sizes_read_well() {
        let shown = [0, 900, 1024, 1_500_000, 256 << 20, 4 << 30].map(size);
        assert_eq!(shown, ["0 bytes", "900 bytes", "1 KiB", "1.4 MiB", "256 MiB", "4 GiB"]);
    }
}
