//! Random WIT types, their text, values of them as canonical JSON, and values that just miss.

use proptest::collection::vec;
use proptest::prelude::*;
use ringfence_sandbox::reflect::{Case, Field, Named, Names, Record, Variant, WitName, WitType};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Any type whose values are data.
pub(crate) fn any_type() -> impl Strategy<Value = WitType> {
    let leaf = prop_oneof![
        scalar(),
        Just(WitType::F32),
        Just(WitType::F64),
        Just(WitType::Bytes),
        (1..5usize).prop_map(|count| WitType::Enum(names(count))),
        (1..33usize).prop_map(|count| WitType::Flags(names(count))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let maybe = proptest::option::of(boxed.clone());
        prop_oneof![
            boxed.clone().prop_map(|of| if *of == WitType::U8 { WitType::Bytes } else { WitType::List(of) }),
            (boxed.clone(), 1..4u32).prop_map(|(element, length)| WitType::FixedList { element, length }),
            (scalar().prop_map(Box::new), boxed.clone()).prop_map(|(key, value)| WitType::Map { key, value }),
            vec(inner.clone(), 1..4).prop_map(WitType::Tuple),
            boxed.clone().prop_map(WitType::Option),
            boxed.prop_map(|of| WitType::Option(Box::new(WitType::Option(of)))),
            (maybe.clone(), maybe).prop_map(|(ok, err)| WitType::Result { ok, err }),
            vec(inner.clone(), 1..4).prop_map(record),
            vec(proptest::option::of(inner), 1..4).prop_map(variant),
        ]
    })
}

fn scalar() -> impl Strategy<Value = WitType> {
    prop::sample::select(vec![
        WitType::Bool,
        WitType::S8,
        WitType::U8,
        WitType::S16,
        WitType::U16,
        WitType::S32,
        WitType::U32,
        WitType::S64,
        WitType::U64,
        WitType::Char,
        WitType::String,
    ])
}

fn name(at: usize) -> WitName {
    WitName::from(format!("the-{}-n{at}", ["first", "X", "next1"][at % 3]))
}

fn names(count: usize) -> Names {
    Names { docs: None, names: (0..count).map(|at| Named { name: name(at), docs: None }).collect() }
}

fn record(types: Vec<WitType>) -> WitType {
    let fields = types.into_iter().enumerate().map(|(at, ty)| Field { name: name(at), docs: None, ty });
    WitType::Record(Record { docs: None, fields: fields.collect() })
}

fn variant(types: Vec<Option<WitType>>) -> WitType {
    let cases = types.into_iter().enumerate().map(|(at, ty)| Case { name: name(at), docs: None, ty });
    WitType::Variant(Variant { docs: None, cases: cases.collect() })
}

/// A world that exports `echo` for this type, to be laid over the core module that echoes.
pub(crate) fn echo_world(ty: &WitType) -> String {
    let mut declarations = String::new();
    let text = declare(ty, &mut declarations, &mut 0);
    let padding: String = (0..16).map(|at| format!(", p{at}: u64")).collect();
    format!(
        "package test:echo;\nworld echoing {{\n{declarations}export echo: func(x: {text}{padding}) -> tuple<{text}, u64>;\n}}\n"
    )
}

fn declare(ty: &WitType, out: &mut String, next: &mut usize) -> String {
    match ty {
        WitType::Bytes => "list<u8>".to_owned(),
        WitType::Enum(names) => named("enum", &list_of(names), out, next),
        WitType::Flags(names) => named("flags", &list_of(names), out, next),
        WitType::List(of) => format!("list<{}>", declare(of, out, next)),
        WitType::FixedList { element, length } => format!("list<{}, {length}>", declare(element, out, next)),
        WitType::Map { key, value } => format!("map<{}, {}>", key.label(), declare(value, out, next)),
        WitType::Tuple(types) => {
            let types: Vec<_> = types.iter().map(|ty| declare(ty, out, next)).collect();
            format!("tuple<{}>", types.join(", "))
        }
        WitType::Option(of) => format!("option<{}>", declare(of, out, next)),
        WitType::Result { ok, err } => {
            let ok = ok.as_ref().map_or("_".to_owned(), |ty| declare(ty, out, next));
            match err {
                Some(err) => format!("result<{ok}, {}>", declare(err, out, next)),
                None if ok == "_" => "result".to_owned(),
                None => format!("result<{ok}>"),
            }
        }
        WitType::Record(record) => {
            let fields: Vec<_> =
                record.fields.iter().map(|f| format!("{}: {}", f.name, declare(&f.ty, out, next))).collect();
            named("record", &fields.join(", "), out, next)
        }
        WitType::Variant(variant) => {
            let cases: Vec<_> = variant
                .cases
                .iter()
                .map(|case| match &case.ty {
                    Some(ty) => format!("{}({})", case.name, declare(ty, out, next)),
                    None => case.name.to_string(),
                })
                .collect();
            named("variant", &cases.join(", "), out, next)
        }
        primitive => primitive.label().to_owned(),
    }
}

fn named(kind: &str, body: &str, out: &mut String, next: &mut usize) -> String {
    *next += 1;
    writeln!(out, "{kind} t{next} {{ {body} }}").unwrap();
    format!("t{next}")
}

fn list_of(names: &Names) -> String {
    names.names.iter().map(|named| named.name.to_string()).collect::<Vec<_>>().join(", ")
}

/// A value of this type, as JSON is written here.
pub(crate) fn value_of(ty: &WitType) -> BoxedStrategy<Value> {
    match ty {
        WitType::Bool => any::<bool>().prop_map(Value::from).boxed(),
        WitType::S8 => any::<i8>().prop_map(Value::from).boxed(),
        WitType::U8 => any::<u8>().prop_map(Value::from).boxed(),
        WitType::S16 => any::<i16>().prop_map(Value::from).boxed(),
        WitType::U16 => any::<u16>().prop_map(Value::from).boxed(),
        WitType::S32 => any::<i32>().prop_map(Value::from).boxed(),
        WitType::U32 => any::<u32>().prop_map(Value::from).boxed(),
        WitType::S64 => any::<i64>()
            .prop_map(|n| if n.unsigned_abs() <= 1 << 53 { n.into() } else { n.to_string().into() })
            .boxed(),
        WitType::U64 => {
            any::<u64>().prop_map(|n| if n <= 1 << 53 { n.into() } else { n.to_string().into() }).boxed()
        }
        WitType::F32 => proptest::num::f32::NORMAL
            .prop_union(proptest::num::f32::SUBNORMAL | proptest::num::f32::ZERO)
            .prop_map(|float| json!(float.to_string().parse::<f64>().unwrap()))
            .boxed(),
        WitType::F64 => {
            (proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO)
                .prop_map(Value::from)
                .boxed()
        }
        WitType::Char => any::<char>().prop_map(|char| char.to_string().into()).boxed(),
        WitType::String => any::<String>().prop_map(Value::from).boxed(),
        WitType::Bytes => vec(any::<u8>(), 0..40)
            .prop_map(|bytes| {
                use base64::Engine as _;
                base64::engine::general_purpose::STANDARD.encode(bytes).into()
            })
            .boxed(),
        WitType::List(of) => vec(value_of(of), 0..4).prop_map(Value::from).boxed(),
        WitType::FixedList { element, length } => {
            vec(value_of(element), *length as usize).prop_map(Value::from).boxed()
        }
        WitType::Map { key, value } if **key == WitType::String => {
            vec((any::<String>(), value_of(value)), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect()))
                .boxed()
        }
        WitType::Map { key, value } => {
            vec((value_of(key), value_of(value)).prop_map(|(key, value)| json!([key, value])), 0..4)
                .prop_map(Value::from)
                .boxed()
        }
        WitType::Tuple(types) => types.iter().map(value_of).collect::<Vec<_>>().prop_map(Value::from).boxed(),
        WitType::Option(inner) => {
            let nested = matches!(**inner, WitType::Option(_));
            let some =
                value_of(inner).prop_map(move |value| if nested { json!({"some": value}) } else { value });
            prop_oneof![Just(Value::Null), some].boxed()
        }
        WitType::Result { ok, err } => {
            let side = |key: &'static str, ty: &Option<Box<WitType>>| {
                let payload = ty.as_ref().map_or(Just(Value::Null).boxed(), |ty| value_of(ty));
                payload.prop_map(move |payload| json!({key: payload}))
            };
            prop_oneof![side("ok", ok), side("err", err)].boxed()
        }
        WitType::Record(record) => {
            let fields: Vec<_> = record
                .fields
                .iter()
                .map(|field| {
                    let key = field.name.snake().to_owned();
                    value_of(&field.ty).prop_map(move |value| (key.clone(), value))
                })
                .collect();
            fields.prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())).boxed()
        }
        WitType::Variant(variant) => {
            let cases: Vec<_> = variant
                .cases
                .iter()
                .map(|case| {
                    let key = case.name.snake().to_owned();
                    match &case.ty {
                        Some(ty) => {
                            value_of(ty).prop_map(move |value| json!({"case": key, "value": value})).boxed()
                        }
                        None => Just(json!({"case": key})).boxed(),
                    }
                })
                .collect();
            proptest::strategy::Union::new(cases).boxed()
        }
        WitType::Enum(names) => {
            let names: Vec<Value> = names.names.iter().map(|named| named.name.snake().into()).collect();
            prop::sample::select(names).boxed()
        }
        WitType::Flags(names) => {
            let names: Vec<Value> = names.names.iter().map(|named| named.name.snake().into()).collect();
            let count = names.len();
            prop::sample::subsequence(names, 0..=count).prop_map(Value::from).boxed()
        }
    }
}

/// Values that differ from this one in one place and are no value of the type any more.
pub(crate) fn near_misses(ty: &WitType, value: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    let array = value.as_array().cloned().unwrap_or_default();
    let within = |out: &mut Vec<Value>, at: usize, ty: &WitType| {
        for bad in near_misses(ty, &array[at]) {
            let mut whole = array.clone();
            whole[at] = bad;
            out.push(whole.into());
        }
    };
    let under = |out: &mut Vec<Value>, key: &str, ty: &WitType| {
        for bad in near_misses(ty, &value[key]) {
            let mut whole = value.clone();
            whole[key] = bad;
            out.push(whole);
        }
    };
    let with = |key: &str, extra: Value| {
        let mut whole = value.clone();
        whole[key] = extra;
        whole
    };
    let without = |key: &str| {
        let mut whole = value.clone();
        whole.as_object_mut().unwrap().remove(key);
        whole
    };
    match ty {
        WitType::Bool => out.extend([json!("true"), json!(1), json!(null)]),
        WitType::S8 | WitType::U8 => {
            out.extend([json!(256), json!(-129), json!(0.5), json!("1"), json!(null)])
        }
        WitType::S16 | WitType::U16 => out.extend([json!(65536), json!(-32769), json!(1e-3), json!([])]),
        WitType::S32 | WitType::U32 => out.extend([json!(4294967296u64), json!(-2147483649i64), json!({})]),
        WitType::S64 => {
            out.extend([json!(0.5), json!("05"), json!("+1"), json!("-0"), json!(""), json!(true)])
        }
        WitType::U64 => out.extend([json!(-1), json!("-1"), json!("1.0"), json!(" 1"), json!(1.5)]),
        WitType::F32 => out.extend([json!("3.5"), json!("NaN"), json!(null)]),
        WitType::F64 => out.extend([json!("1"), json!("Infinity"), json!([])]),
        WitType::Char => out.extend([json!(""), json!("ab"), json!(7)]),
        WitType::String | WitType::Bytes => out.extend([json!(7), json!(["a"]), json!(null)]),
        WitType::List(of) => {
            out.extend([json!({}), json!("list")]);
            (0..array.len()).for_each(|at| within(&mut out, at, of));
        }
        WitType::FixedList { element, .. } => {
            out.push(array[1..].into());
            (0..array.len()).for_each(|at| within(&mut out, at, element));
        }
        WitType::Map { key, value: of } if **key == WitType::String => {
            out.push(json!([["key", "value"]]));
            value.as_object().unwrap().keys().for_each(|key| under(&mut out, key, of));
        }
        WitType::Map { key, value: of } => {
            out.extend([json!({}), json!([[]]), json!([1])]);
            let pair = WitType::Tuple(vec![(**key).clone(), (**of).clone()]);
            (0..array.len()).for_each(|at| within(&mut out, at, &pair));
        }
        WitType::Tuple(types) => {
            out.extend([array[1..].into(), [array.clone(), vec![json!(0)]].concat().into()]);
            types.iter().enumerate().for_each(|(at, ty)| within(&mut out, at, ty));
        }
        WitType::Option(inner) => match **inner {
            WitType::Option(_) => {
                out.extend([json!({"none": null}), json!({"some": null, "more": 1})]);
                if !value.is_null() {
                    under(&mut out, "some", inner);
                }
            }
            _ if value.is_null() => {}
            _ => out.extend(near_misses(inner, value).into_iter().filter(|bad| !bad.is_null())),
        },
        WitType::Result { ok, err } => {
            out.extend([json!({}), json!({"ok": null, "err": null}), json!("ok"), json!(null)]);
            for (key, ty) in [("ok", ok), ("err", err)] {
                match ty {
                    _ if value.get(key).is_none() => {}
                    Some(ty) => under(&mut out, key, ty),
                    None => out.push(json!({key: 1})),
                }
            }
        }
        WitType::Record(record) => {
            out.extend([json!([]), json!(null), with("another", json!(1)), with("the-first-n0", json!(1))]);
            for field in &record.fields {
                under(&mut out, field.name.snake(), &field.ty);
                if !matches!(field.ty, WitType::Option(_)) {
                    out.push(without(field.name.snake()));
                }
            }
        }
        WitType::Variant(variant) => {
            out.extend([
                json!({}),
                json!(value["case"]),
                with("case", json!("another")),
                with("more", json!(1)),
            ]);
            let case = variant.cases.iter().find(|case| value["case"] == case.name.snake()).unwrap();
            match &case.ty {
                Some(ty) => {
                    out.push(without("value"));
                    under(&mut out, "value", ty);
                }
                None => out.push(with("value", json!(null))),
            }
        }
        WitType::Enum(_) => out.extend([json!("another"), json!(0), json!(null), json!("the-first-n0")]),
        WitType::Flags(names) => {
            let twice = names.names[0].name.snake();
            out.extend([json!(["another"]), json!([twice, twice]), json!({twice: true}), json!(twice)]);
        }
    }
    out
}
