//! Three layers into one: the project's file, the user's file, the flags.

use super::file::{Bytes, ConfigFile, Dollars, ExpertSection, LimitsSection, ModelsSection, Span};
use super::{Flags, dirs, hosts};
use ringfence_engine::{Flow, Limits as RunLimits, ModelStage, OnStageFailure, PausePoint};
use ringfence_sandbox::{Grants, Limits as CallLimits, RequestLimits};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::time::Duration;

/// The granted folders and hosts and the bounds of a call.
pub(super) fn grants(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> Grants {
    let dirs = dirs::granted(project, user, flags);
    let from_u32 = |count: NonZeroU32| u64::from(count.get());
    let deterministic = [project, user].into_iter().any(|file| file.grants.deterministic == Some(true));
    let hosts = if deterministic { Vec::new() } else { hosts::granted(project, user, flags) };
    let entropy = !deterministic && smaller(project.grants.entropy, user.grants.entropy).unwrap_or(false);
    let (project, user) = (&project.limits, &user.limits);
    let default = CallLimits::default();
    let limits = CallLimits {
        memory_bytes: bytes(project.memory, user.memory, default.memory_bytes),
        time_ms: tool_timeout(project, user, flags),
        cpu_ms: smaller(project.cpu, user.cpu).map(|Span(time)| ms(time)),
        output_bytes: bytes(project.output, user.output, default.output_bytes),
        stdio_bytes: bytes(project.stdio, user.stdio, default.stdio_bytes),
        open_files: bound(
            project.open_files.map(from_u32),
            user.open_files.map(from_u32),
            default.open_files,
        ),
        dir_entries: bound(
            project.dir_entries.map(u64::from),
            user.dir_entries.map(u64::from),
            default.dir_entries,
        ),
        read_bytes: bytes(project.read_bytes, user.read_bytes, default.read_bytes),
        write_bytes: bytes(project.write_bytes, user.write_bytes, default.write_bytes),
        write_entries: bound(
            project.write_entries.map(u64::from),
            user.write_entries.map(u64::from),
            default.write_entries,
        ),
        fuel: smaller(project.fuel, user.fuel).map(u64::from).or(default.fuel),
        requests: requests(project, user),
    };
    Grants { dirs, entropy, deterministic, hosts, limits, ..Grants::whole_project() }
}

/// The bounds of a call's requests.
fn requests(project: &LimitsSection, user: &LimitsSection) -> RequestLimits {
    let default = RequestLimits::default();
    let count = |count: NonZeroU32| u64::from(count.get());
    let time = |project, user, default| ms(bound(project, user, Span(Duration::from_millis(default))).0);
    RequestLimits {
        count: bound(project.requests.map(count), user.requests.map(count), default.count),
        header_bytes: bytes(project.request_headers, user.request_headers, default.header_bytes),
        sent_bytes: bytes(project.request_body, user.request_body, default.sent_bytes),
        received_bytes: bytes(project.response_body, user.response_body, default.received_bytes),
        time_ms: time(project.request_timeout, user.request_timeout, default.time_ms),
        connect_ms: time(project.connect_timeout, user.connect_timeout, default.connect_ms),
    }
}

/// The loop architecture: a flag's, the user's, the project's, the usual one.
pub(super) fn flow(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> Flow {
    flags.flow.or(user.flow).or(project.flow).unwrap_or_default()
}

/// Tasks at the same time: the smaller of both files unless a flag says otherwise.
pub(super) fn parallel(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> u32 {
    let configured = smaller(project.parallel, user.parallel);
    flags.parallel.or(configured).or(flags.usual_parallel).map_or(1, u32::from).min(MOST_PARALLEL)
}

/// More at the same time would only wait for each other.
const MOST_PARALLEL: u32 = 16;

/// What becomes of a failed stage.
pub(super) fn on_stage_failure(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> OnStageFailure {
    flags.on_stage_failure.or(user.on_stage_failure).or(project.on_stage_failure).unwrap_or_default()
}

/// Experts: the user's stand in place of the project's of the same name.
pub(super) fn experts(project: &ConfigFile, user: &ConfigFile) -> BTreeMap<String, ExpertSection> {
    let mut experts = project.experts.clone();
    if user.models.default.is_some() {
        // A user's default model stands above a project's choice, as it does for stages.
        for expert in experts.values_mut() {
            *expert = ExpertSection { prompt: expert.prompt.clone(), ..ExpertSection::default() };
        }
    }
    experts.extend(user.experts.clone());
    experts
}

/// Tools whose equal calls in a row are their nature.
pub(super) fn polling(project: &ConfigFile, user: &ConfigFile) -> BTreeSet<String> {
    let tools = project.tools.iter().chain(&user.tools);
    tools.filter(|(_, section)| section.polling).map(|(name, _)| name.clone()).collect()
}

/// The bounds of the run.
pub(super) fn limits(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> RunLimits {
    let default = RunLimits::of(flow(project, user, flags));
    let (project, user, flags) = (&project.limits, &user.limits, &flags.limits);
    let span = |flag: Option<Duration>, project: Option<Span>, user: Option<Span>| {
        flag.or(smaller(project, user).map(|Span(time)| time)).map(ms)
    };
    let within = |flag: Option<Duration>, project: Option<Span>, user: Option<Span>, default: u64| {
        let configured = || bound(project, user, Span(Duration::from_millis(default))).0;
        ms(flag.unwrap_or_else(configured))
    };
    let model_call_ms =
        within(flags.model_timeout, project.model_timeout, user.model_timeout, default.model_call_ms);
    RunLimits {
        iterations: flags.max_iterations.map_or_else(
            || bound(project.iterations.map(u32::from), user.iterations.map(u32::from), default.iterations),
            u32::from,
        ),
        wall_clock_ms: span(flags.max_time, project.time, user.time).or(default.wall_clock_ms),
        money: flags.max_money.or(smaller(project.money, user.money).map(|Dollars(micro)| micro)),
        stage_ms: stage_timeouts(project, user, model_call_ms),
        reflect_after: match default.reflect_after {
            Some(default) => {
                Some(bound(project.reflect_after.map(u32::from), user.reflect_after.map(u32::from), default))
            }
            None => smaller(project.reflect_after, user.reflect_after).map(u32::from),
        },
        tokens: flags.max_tokens.or(smaller(project.tokens, user.tokens)).map(u64::from).or(default.tokens),
        model_call_ms,
        tool_call_ms: within(
            flags.tool_timeout,
            project.tool_timeout,
            user.tool_timeout,
            default.tool_call_ms,
        ),
        stagnation: bound(
            project.stagnation.map(u32::from),
            user.stagnation.map(u32::from),
            default.stagnation,
        ),
        ..default
    }
}

/// Times of single stages: the smaller of both files for each; a project's is never above what
/// every call has.
fn stage_timeouts(
    project: &LimitsSection,
    user: &LimitsSection,
    model_call_ms: u64,
) -> BTreeMap<ModelStage, u64> {
    let time =
        |section: &LimitsSection, stage| section.stage_timeouts.get(&stage).map(|Span(time)| ms(*time));
    let mut times = BTreeMap::new();
    for stage in ModelStage::ALL {
        let project = time(project, stage).map(|time| time.min(model_call_ms));
        if let Some(time) = smaller(project, time(user, stage)) {
            times.insert(stage, time);
        }
    }
    times
}

/// Where to wait: a project can add to what the user or the default says, never take away.
pub(super) fn pause(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> BTreeSet<PausePoint> {
    if let Some(flag) = &flags.pause {
        return flag.0.clone();
    }
    let mut points = user.pause.clone().unwrap_or_else(|| [PausePoint::AfterPlan].into());
    points.extend(project.pause.iter().flatten());
    points
}

/// Models: for each stage the user's, else the project's.
pub(super) fn models(project: &ConfigFile, user: &ConfigFile) -> ModelsSection {
    let (project, user) = (project.models.clone(), user.models.clone());
    // A user's default stands above a project's choice for one stage.
    let for_stage =
        |own: Option<_>, theirs: Option<_>| own.or(if user.default.is_none() { theirs } else { None });
    ModelsSection {
        plan: for_stage(user.plan, project.plan),
        decide: for_stage(user.decide, project.decide),
        evaluate: for_stage(user.evaluate, project.evaluate),
        reason: for_stage(user.reason, project.reason),
        converse: for_stage(user.converse, project.converse),
        reflect: for_stage(user.reflect, project.reflect),
        default: user.default.clone().or(project.default),
    }
}

fn tool_timeout(project: &LimitsSection, user: &LimitsSection, flags: &Flags) -> u64 {
    let configured = bound(project.tool_timeout, user.tool_timeout, Span(CallLimits::default().time()));
    ms(flags.limits.tool_timeout.unwrap_or(configured.0))
}

fn bytes(project: Option<Bytes>, user: Option<Bytes>, default: u64) -> u64 {
    bound(project, user, Bytes(default)).0
}

/// The user's word or the default; a project's file can only ask for less.
fn bound<T: Ord>(project: Option<T>, user: Option<T>, default: T) -> T {
    let allowed = user.unwrap_or(default);
    match project {
        Some(project) => project.min(allowed),
        None => allowed,
    }
}

pub(super) fn smaller<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

pub(super) fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::*;
    use crate::args::PauseList;

    #[test]
    fn a_bound_is_the_smaller_of_both_files_unless_a_flag_says_otherwise() {
        let project =
            parse("limits = { iterations = 500, time = '10m', memory = '1GiB', tool_timeout = '5s', open_files = 9, read_bytes = '8GiB' }")
                .unwrap();
        let user = parse("limits = { iterations = 100, time = '1h', memory = '64MiB', dir_entries = 5_000_000, open_files = 20 }").unwrap();
        let flags = Flags::default();
        let run = limits(&project, &user, &flags);
        assert_eq!((run.iterations, run.wall_clock_ms, run.tool_call_ms), (100, Some(600_000), 5_000));
        let call = grants(&project, &user, &flags).limits;
        assert_eq!((call.memory_bytes, call.time_ms), (64 << 20, 5_000));
        assert_eq!((call.open_files, call.dir_entries, call.read_bytes), (9, 5_000_000, 4 << 30));
        let lavish = parse("limits = { stagnation = 1000, stage_timeouts = { plan = '9h' } }").unwrap();
        let run = limits(&lavish, &ConfigFile::default(), &flags);
        assert_eq!(run.stagnation, RunLimits::of(Flow::Staged).stagnation);
        assert_eq!(run.stage_ms[&ModelStage::Plan], run.model_call_ms);
        let patient = limits(&ConfigFile::default(), &lavish, &flags);
        assert_eq!((patient.stagnation, patient.stage_ms[&ModelStage::Plan]), (1_000, 9 * 3_600_000));
        let mut flags = Flags::default();
        flags.limits.tool_timeout = Some(Duration::from_secs(60));
        assert_eq!(limits(&project, &user, &flags).tool_call_ms, 60_000);
        assert_eq!(grants(&project, &user, &flags).limits.time_ms, 60_000);
    }

    #[test]
    fn a_project_can_add_pauses_and_never_take_them_away() {
        let none = ConfigFile::default();
        let wants_none = parse("pause = []").unwrap();
        let before_tool = parse("pause = ['before_tool']").unwrap();
        let flags = Flags::default();
        assert_eq!(pause(&wants_none, &none, &flags), [PausePoint::AfterPlan].into());
        assert_eq!(pause(&wants_none, &before_tool, &flags), [PausePoint::BeforeTool].into());
        assert_eq!(
            pause(&before_tool, &none, &flags),
            [PausePoint::AfterPlan, PausePoint::BeforeTool].into()
        );
        let flags = Flags { pause: Some(PauseList(BTreeSet::new())), ..Flags::default() };
        assert_eq!(pause(&before_tool, &before_tool, &flags), BTreeSet::new());
    }

    #[test]
    fn a_user_s_default_model_stands_above_a_project_s_choice() {
        let project =
            parse("models.plan = { provider = 'openai', model = 'x' }\nmodels.default.provider = 'openai'")
                .unwrap();
        let user = parse("models.default.provider = 'anthropic'").unwrap();
        let merged = models(&project, &user);
        assert_eq!((merged.plan, merged.default), (None, user.models.default.clone()));
        assert_eq!(models(&project, &ConfigFile::default()), project.models);
    }

    #[test]
    fn a_project_can_t_raise_a_bound_above_the_default_and_the_user_can() {
        let greedy = parse("[limits]\niterations = 4000\nmemory = \"64GiB\"\noutput = \"10GiB\"\nopen_files = 60000\ndir_entries = 9999999\nread_bytes = \"1000GiB\"\ntool_timeout = \"100h\"\nmodel_timeout = \"100h\"\n").unwrap();
        let nobody = ConfigFile::default();
        let flags = Flags::default();
        assert_eq!(limits(&greedy, &nobody, &flags), RunLimits::default());
        assert_eq!(grants(&greedy, &nobody, &flags).limits, CallLimits::default());
        assert_eq!(limits(&nobody, &greedy, &flags).iterations, 4000);
        assert_eq!(grants(&nobody, &greedy, &flags).limits.memory_bytes, 64 << 30);
    }
}
