//! JSON through real components: what goes in comes out, and what doesn't fit stays out.

use crate::built::{ECHO, over};
use crate::generated::{any_type, echo_world, near_misses, value_of};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use ringfence_sandbox::json::{InputError, Returned, input_to_vals, result_to_json};
use ringfence_sandbox::reflect::{
    Param, ReflectLimits, Signature, ToolDefinition, WitType, input_schema, reflect,
};
use serde_json::{Value, json};
use std::sync::LazyLock;
use wasmtime::component::{Component, Linker, Val};
use wasmtime::{Config, Engine, Store};

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut config = Config::new();
    config.wasm_component_model_map(true).wasm_component_model_fixed_length_lists(true);
    Engine::new(&config).unwrap()
});

/// An echo of one type: the tool and the code.
struct Echo {
    tool: ToolDefinition,
    component: Component,
}

impl Echo {
    fn new(wit: &str) -> Self {
        let bytes = over(wit, "echoing", ECHO);
        let mut tools = reflect(&bytes, &ReflectLimits::default()).unwrap();
        assert_eq!(tools.unsupported, []);
        Self { tool: tools.tools.remove(0), component: Component::new(&ENGINE, &bytes).unwrap() }
    }

    fn of(ty: &WitType) -> Self {
        Self::new(&echo_world(ty))
    }

    fn call(&self, params: &[Val]) -> Vec<Val> {
        let mut store = Store::new(&ENGINE, ());
        let instance = Linker::new(&ENGINE).instantiate(&mut store, &self.component).unwrap();
        let function = instance.get_func(&mut store, "echo").unwrap();
        let mut results = vec![Val::Bool(false); self.tool.signature.result_count()];
        function.call(&mut store, params, &mut results).unwrap();
        results
    }

    /// The parameter `x` sent through the component.
    fn send(&self, x: &Value) -> Result<Value, InputError> {
        let params = input_to_vals(&self.tool.signature, &arguments(x))?;
        let results = self.call(&params);
        match result_to_json(&self.tool.signature, results).unwrap() {
            Returned::Value(Value::Array(mut pair)) => Ok(pair.swap_remove(0)),
            other => panic!("no pair: {other:?}"),
        }
    }
}

fn arguments(x: &Value) -> Value {
    let mut arguments = json!({"x": x});
    for at in 0..16 {
        arguments[format!("p{at}")] = json!(at);
    }
    arguments
}

fn valid(schema: &Value, value: &Value) -> bool {
    jsonschema::validator_for(schema).expect("the schema is one").is_valid(value)
}

fn typed_value() -> impl Strategy<Value = (WitType, Value)> {
    any_type().prop_flat_map(|ty| {
        let values = value_of(&ty);
        (Just(ty), values)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_value_of_any_type_goes_through_a_component_and_comes_back_the_same((ty, value) in typed_value()) {
        let echo = Echo::of(&ty);
        prop_assert_eq!(&echo.tool.signature.params[0].ty, &ty, "the types are read as declared");
        prop_assert!(valid(&echo.tool.input_schema, &arguments(&value)), "{}", echo.tool.input_schema);

        let params = input_to_vals(&echo.tool.signature, &arguments(&value))
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        let results = echo.call(&params);
        let Some(Val::Tuple(pair)) = results.first() else { panic!("no pair") };
        prop_assert_eq!(&pair[0], &params[0], "the component got and gave the same");
        let Returned::Value(output) = result_to_json(&echo.tool.signature, results).unwrap() else { panic!("no value") };
        prop_assert!(valid(&echo.tool.output_schema, &output), "{} {}", echo.tool.output_schema, output);
        prop_assert_eq!(&output[0], &value);

        let text = serde_json::to_string(&output[0]).unwrap();
        prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value, "also when written down");
    }

    #[test]
    fn a_value_that_just_misses_is_refused_by_schema_and_conversion_alike((ty, value) in typed_value()) {
        let signature = Signature {
            params: vec![Param { name: "x".into(), ty: ty.clone() }],
            result: None,
        };
        let schema = input_schema(&signature);
        let validator = jsonschema::validator_for(&schema).unwrap();
        for bad in near_misses(&ty, &value) {
            let input = json!({"x": bad});
            let error = input_to_vals(&signature, &input);
            prop_assert!(error.is_err(), "{bad} was taken for {ty:?}");
            prop_assert!(error.unwrap_err().to_string().starts_with("$.x"));
            prop_assert!(!validator.is_valid(&input), "{bad} is valid by {schema}");
        }
    }

    #[test]
    fn arbitrary_json_never_panics_and_what_is_taken_is_valid(ty in any_type(), noise in any_json()) {
        let signature = Signature {
            params: vec![Param { name: "x".into(), ty }],
            result: None,
        };
        let input = json!({"x": noise});
        if input_to_vals(&signature, &input).is_ok() {
            prop_assert!(valid(&input_schema(&signature), &input));
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    let keys = prop_oneof!["some", "ok", "err", "case", "value", "the_first_n0", "[a-z]{1,3}"];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((keys.clone(), inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn echo_of(ty: &str) -> Echo {
    let padding: String = (0..16).map(|at| format!(", p{at}: u64")).collect();
    Echo::new(&format!(
        "package test:echo;\nworld echoing {{ export echo: func(x: {ty}{padding}) -> tuple<{ty}, u64>; }}"
    ))
}

#[test]
fn whole_floats_digits_and_exact_numbers_are_taken_and_given_back_in_one_form() {
    let echo = echo_of("u64");
    for (given, back) in [
        ("18446744073709551615", json!("18446744073709551615")),
        ("\"18446744073709551615\"", json!("18446744073709551615")),
        ("\"12\"", json!(12)),
        ("12.0", json!(12)),
        ("-0", json!(0)),
        ("9007199254740993", json!("9007199254740993")),
    ] {
        let given = serde_json::from_str(given).unwrap();
        assert_eq!(echo.send(&given).unwrap(), back, "{given}");
    }
}

#[test]
fn every_option_of_an_option_keeps_its_own_form() {
    let echo = echo_of("option<option<option<u32>>>");
    for value in
        [json!(null), json!({"some": null}), json!({"some": {"some": null}}), json!({"some": {"some": 5}})]
    {
        assert_eq!(echo.send(&value).unwrap(), value);
    }
    assert!(echo.send(&json!(5)).is_err());
}

#[test]
fn flags_come_back_in_the_declared_order() {
    let padding: String = (0..16).map(|at| format!(", p{at}: u64")).collect();
    let echo = Echo::new(&format!(
        "package test:echo;\nworld echoing {{ flags mode {{ read-it, write-it, run-it }}
         export echo: func(x: mode{padding}) -> tuple<mode, u64>; }}"
    ));
    assert_eq!(echo.send(&json!(["run_it", "read_it"])).unwrap(), json!(["read_it", "run_it"]));
    assert!(echo.send(&json!(["run-it"])).is_err(), "kebab-case isn't JSON's spelling");
}

#[test]
fn megabytes_of_bytes_and_text_pass() {
    use base64::Engine as _;
    let bytes: Vec<u8> = (0..1 << 20).map(|at: u32| (at.wrapping_mul(2654435761) >> 24) as u8).collect();
    let coded = json!(base64::engine::general_purpose::STANDARD.encode(bytes));
    assert_eq!(echo_of("list<u8>").send(&coded).unwrap(), coded);
    let text = json!("漢字 and text ".repeat(100_000));
    assert_eq!(echo_of("string").send(&text).unwrap(), text);
}

fn signature(params: &[(&str, WitType)], result: Option<WitType>) -> Signature {
    let params = params.iter().map(|(name, ty)| Param { name: (*name).into(), ty: ty.clone() }).collect();
    Signature { params, result }
}

#[test]
fn optional_arguments_may_be_left_out_and_others_not() {
    let both = signature(&[("file-path", WitType::String), ("max-lines", optional(WitType::U32))], None);
    let vals = input_to_vals(&both, &json!({"file_path": "a"})).unwrap();
    assert_eq!(vals, [Val::String("a".into()), Val::Option(None)]);
    let error = input_to_vals(&both, &json!({"max_lines": 3})).unwrap_err();
    assert_eq!(error.to_string(), "$.file_path: expected a string, got nothing");
    let error = input_to_vals(&both, &json!({"file_path": "a", "file-path": "b"})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "$[\"file-path\"]: expected no argument of this name (there is `file_path`, `max_lines`), got the string \"b\""
    );
    assert!(input_to_vals(&both, &json!(null)).is_err());
    assert_eq!(input_to_vals(&signature(&[], None), &json!({})), Ok(vec![]));
}

fn optional(ty: WitType) -> WitType {
    WitType::Option(Box::new(ty))
}

#[test]
fn a_message_is_short_and_printable_whatever_was_given() {
    let lists = WitType::List(Box::new(WitType::Bool));
    let long = signature(&[("x", lists)], None);
    let nasty = "\u{1b}[2J\u{202e}".repeat(100_000);
    for given in [
        json!({"x": [true, nasty]}),
        json!({ nasty.as_str(): 1, "x": [] }),
        json!({"x": {nasty.as_str(): 1}}),
    ] {
        let message = input_to_vals(&long, &given).unwrap_err().to_string();
        assert!(message.chars().count() < 600, "{} characters", message.len());
        assert!(!message.contains(['\u{1b}', '\u{202e}']), "{message:?}");
    }
    let error = input_to_vals(&long, &json!({"x": [true, false, "no"]})).unwrap_err();
    assert_eq!(error.to_string(), "$.x[2]: expected true or false, got the string \"no\"");
}

#[test]
fn nan_and_infinities_in_a_result_are_refused_with_their_place() {
    let list = signature(&[], Some(WitType::List(Box::new(WitType::F64))));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error =
            result_to_json(&list, vec![Val::List(vec![Val::Float64(1.0), Val::Float64(bad)])]).unwrap_err();
        assert_eq!(error.path, "$[1]");
        assert!(error.to_string().contains("NaN and infinities are refused"), "{error}");
    }
}

#[test]
fn a_result_at_the_top_splits_into_value_and_failure() {
    let err = Some(Box::new(WitType::String));
    let both = signature(&[], Some(WitType::Result { ok: Some(Box::new(WitType::U8)), err: err.clone() }));
    let boxed = |val| Some(Box::new(val));
    let ok = result_to_json(&both, vec![Val::Result(Ok(boxed(Val::U8(3))))]);
    assert_eq!(ok, Ok(Returned::Value(json!(3))));
    let failed = result_to_json(&both, vec![Val::Result(Err(boxed(Val::String("no".into()))))]);
    assert_eq!(failed, Ok(Returned::Err(json!("no"))));

    let bare = signature(&[], Some(WitType::Result { ok: None, err: None }));
    assert_eq!(result_to_json(&bare, vec![Val::Result(Ok(None))]), Ok(Returned::Value(json!(null))));
    assert_eq!(result_to_json(&bare, vec![Val::Result(Err(None))]), Ok(Returned::Err(json!(null))));
    assert_eq!(result_to_json(&signature(&[], None), vec![]), Ok(Returned::Value(json!(null))));
    assert!(result_to_json(&bare, vec![]).is_err());
    assert!(result_to_json(&bare, vec![Val::Bool(true)]).is_err());
}

#[test]
fn deep_json_is_refused_without_exhausting_the_stack() {
    let mut deep = json!(1);
    for _ in 0..2_000 {
        deep = Value::Array(vec![deep]);
    }
    let mut ty = WitType::Bool;
    for _ in 0..60 {
        ty = WitType::List(Box::new(ty));
    }
    let error = input_to_vals(
        &signature(&[("x", ty)], None),
        &Value::Object([("x".to_owned(), deep)].into_iter().collect()),
    )
    .unwrap_err();
    assert!(error.path.chars().count() < 300, "{}", error.path);
}
