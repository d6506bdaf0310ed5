//! What a long run costs: prompts stay bounded where a flow promises it, intents stay small.

use crate::script::*;
use ringfence_engine::*;
use serde_json::{Value, json};

/// Sizes of the largest prompt at each step, and of the largest intent.
struct Sizes {
    prompts: Vec<usize>,
    intents: Vec<usize>,
}

/// A driver that counts what it is asked for.
struct Counting {
    script: Script,
    sizes: Sizes,
}

impl Counting {
    fn start(flow: Flow, parallel: u32) -> Self {
        let mut settings = in_flow(flow, without_pauses());
        settings.parallel = parallel;
        settings.limits.iterations = 100_000;
        settings.limits.reflect_after = None;
        let script = Script::start(settings);
        Self { script, sizes: Sizes { prompts: Vec::new(), intents: Vec::new() } }
    }

    fn say(&mut self, reply: ModelReply) {
        let call = self.script.model_call();
        if let Some(last) = self.sizes.prompts.last_mut() {
            *last = call.size().max(*last);
        }
        self.script.unchecked(EventKind::ModelReplied { call: call.call, reply });
        self.count();
    }

    fn count(&mut self) {
        let intents = self.script.run.owed();
        let bytes = intents
            .iter()
            .map(|effect| serde_json::to_string(&effect.intent()).expect("intents serialize").len());
        let largest = bytes.max().unwrap_or_default();
        if let Some(last) = self.sizes.intents.last_mut() {
            *last = largest.max(*last);
        }
    }

    /// One call with a result of constant size.
    fn step(&mut self, n: usize) {
        self.sizes.prompts.push(0);
        self.sizes.intents.push(0);
        let input = json!({"file_path": format!("{n:03}.py")});
        let text = |value: Value| reply(&value.to_string(), StopReason::End);
        match self.script.state().settings.flow {
            Flow::Staged => self.say(text(decide("read_file", input))),
            Flow::Pipeline => self.say(text(call_tool("read_file", input))),
            Flow::React => self.say(tools("I look.", &[("id", "read_file", &input.to_string())])),
        }
        let call = self.script.tool_call().call;
        let outcome = outcome(OutcomeStatus::Done, json!({"content": "x".repeat(3_000)}));
        self.script.unchecked(EventKind::ToolFinished { call, outcome });
        self.count();
        if self.script.stage() == StageName::Evaluating {
            let status = if n.is_multiple_of(4) { "completed" } else { "needs_more_work" };
            self.say(text(judge(status, &"s".repeat(2_000))));
        }
        if self.script.stage() == StageName::Planning {
            let tasks: Vec<Value> = (0..3).map(|i| task(&format!("t{n}_{i}"), &"d".repeat(400))).collect();
            self.say(text(plan(&tasks)));
        }
    }
}

fn run(flow: Flow) -> Sizes {
    let mut counting = Counting::start(flow, 1);
    if flow == Flow::Staged {
        counting.sizes.prompts.push(0);
        counting.sizes.intents.push(0);
        counting.say(reply(&plan(&[task("first", "look")]).to_string(), StopReason::End));
    }
    (1..=200).for_each(|n| counting.step(n));
    counting.sizes
}

fn largest(sizes: &[usize]) -> usize {
    sizes.iter().copied().max().expect("there are steps")
}

#[test]
fn prompts_of_a_staged_run_and_of_a_pipeline_stay_bounded_however_long_it_gets() {
    for flow in [Flow::Staged, Flow::Pipeline] {
        let Sizes { prompts, .. } = run(flow);
        let (early, late) = (largest(&prompts[..50]), largest(&prompts[50..]));
        assert!(late * 10 <= early * 11, "{flow:?}: {late} bytes late, {early} bytes early");
    }
}

#[test]
fn a_conversation_grows_with_every_step() {
    let Sizes { prompts, .. } = run(Flow::React);
    assert!(prompts.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(largest(&prompts) > 200 * 3_000);
}

#[test]
fn intents_stay_small_in_every_flow() {
    for flow in Flow::ALL {
        let Sizes { intents, .. } = run(flow);
        let (early, late) = (largest(&intents[..20]), largest(&intents[20..]));
        assert!(late <= early + 16, "{flow:?}: {late} bytes late, {early} bytes early");
        assert!(late < 200, "{flow:?}: {late}");
    }
}

#[test]
fn a_huge_result_is_cut_and_said_to_be() {
    let mut script = executing(without_pauses());
    script.tool_gives(OutcomeStatus::Done, json!("y".repeat(100_000)));
    let user = script.model_call().user;
    assert!(user.len() < 40_000, "{}", user.len());
    assert!(user.contains("… cut here; 24000 of 100000 bytes are shown"));
}

#[test]
fn older_steps_are_shown_in_a_line_and_the_oldest_as_a_number() {
    let mut counting = Counting::start(Flow::Pipeline, 1);
    (1..=50).for_each(|n| counting.step(n));
    let user = counting.script.model_call().user;
    assert!(user.contains("… 17 earlier steps"), "{user}");
    assert!(user.contains("step 18, goal: read_file {\"file_path\":\"018.py\"}: done."));
    assert_eq!(user.matches("xxxxxxxxxx").count() / 300, 3, "three in full");
}

#[test]
fn the_fixed_part_of_a_prompt_never_changes_within_a_run() {
    for flow in [Flow::Staged, Flow::Pipeline] {
        let mut counting = Counting::start(flow, 1);
        let mut systems = std::collections::BTreeMap::new();
        if flow == Flow::Staged {
            counting.say(reply(&plan(&[task("first", "look")]).to_string(), StopReason::End));
        }
        for n in 1..=8 {
            let call = counting.script.model_call();
            let known = systems.entry(call.stage).or_insert_with(|| call.system.clone());
            assert_eq!(*known, call.system);
            counting.step(n);
        }
    }
}
