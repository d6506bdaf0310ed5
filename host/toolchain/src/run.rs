//! Running a compiler: a clean environment, its words line by line, stopped where it is cancelled.

use crate::error::BuildError;
use rustix::process::{Pid, Signal, kill_process_group};
use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// What a compiler may see of this process's environment: how it finds its own things and how it
/// reaches the network. Keys and tokens are no business of a build.
const KEPT: [&str; 30] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "WASI_SDK_PATH",
    "GOPROXY",
    "GOROOT",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "PIP_INDEX_URL",
    "npm_config_registry",
];
/// How often a silent compiler is looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long one may take to end by itself once it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long its output stays open after it ended: something that it started may still hold it.
const LINGER: Duration = Duration::from_secs(1);
/// Of one line, in bytes; a longer one is told in pieces.
const MAX_LINE: usize = 1 << 20;
/// Of what a program answers, in bytes.
const MAX_ANSWER: usize = 4 << 20;
/// Of the lines that are kept for an error, in bytes.
const MAX_TAIL: usize = 16 << 10;

/// Says to whatever is under way that it should stop. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Where a line was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// A command with an environment of its own.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    for name in KEPT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// The command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Runs a command to its end and gives each of its lines to `said`.
pub(crate) fn run(
    command: &mut Command,
    cancel: &Cancel,
    said: &mut dyn FnMut(Stream, &str),
) -> Result<ExitStatus, BuildError> {
    run_until(command, &|| cancel.is_cancelled(), said)
}

/// What a command prints on standard output; none where it fails, prints too much, takes longer than
/// `most` or is cancelled.
pub(crate) fn answer(command: &mut Command, cancel: &Cancel, most: Duration) -> Option<String> {
    let asked = Instant::now();
    let (mut text, too_long) = (String::new(), Cell::new(false));
    let is_over = || cancel.is_cancelled() || too_long.get() || asked.elapsed() > most;
    let status = run_until(command, &is_over, &mut |stream, line| match stream {
        Stream::Out => {
            too_long.set(text.len() + line.len() >= MAX_ANSWER);
            if !too_long.get() {
                text.push_str(line);
                text.push('\n');
            }
        }
        Stream::Err => {}
    });
    status.ok().filter(ExitStatus::success).map(|_| text.trim().to_owned())
}

fn run_until(
    command: &mut Command,
    is_over: &dyn Fn() -> bool,
    said: &mut dyn FnMut(Stream, &str),
) -> Result<ExitStatus, BuildError> {
    if is_over() {
        return Err(BuildError::Cancelled);
    }
    let failed = |command: &Command, error: std::io::Error| BuildError::Start {
        command: shown(command),
        reason: error.to_string(),
    };
    // A group of its own: what the compiler starts is stopped with it.
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| failed(command, error))?;
    let mut running = Running { child, ended: None };
    let (sender, lines) = sync_channel(256);
    if let Some(stdout) = running.child.stdout.take() {
        listen(Stream::Out, stdout, sender.clone());
    }
    if let Some(stderr) = running.child.stderr.take() {
        listen(Stream::Err, stderr, sender.clone());
    }
    drop(sender);
    let mut is_open = true;
    let mut last_seen = Instant::now();
    loop {
        if is_open {
            match lines.recv_timeout(TICK) {
                Ok((stream, line)) => said(stream, &line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => is_open = false,
            }
        } else {
            thread::sleep(TICK);
        }
        if is_over() {
            return Err(BuildError::Cancelled);
        }
        match running.poll().map_err(|error| failed(command, error))? {
            Some(status) if !is_open || last_seen.elapsed() > LINGER => return Ok(status),
            Some(_) => {}
            None => last_seen = Instant::now(),
        }
    }
}

/// A child that doesn't outlive this value.
struct Running {
    child: Child,
    ended: Option<ExitStatus>,
}

impl Running {
    fn poll(&mut self) -> std::io::Result<Option<ExitStatus>> {
        if self.ended.is_none() {
            self.ended = self.child.try_wait()?;
        }
        Ok(self.ended)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended.is_some() {
            return;
        }
        let group = Pid::from_child(&self.child);
        // One that has just ended can't be signalled; there is nothing to stop then.
        let _ = kill_process_group(group, Signal::TERM);
        let asked = Instant::now();
        while asked.elapsed() < GRACE {
            if !matches!(self.poll(), Ok(None)) {
                break;
            }
            thread::sleep(TICK);
        }
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.child.wait();
    }
}

fn listen(stream: Stream, from: impl Read + Send + 'static, to: SyncSender<(Stream, String)>) {
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        loop {
            line.clear();
            match from.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let text = String::from_utf8_lossy(&line);
            // Whoever listened has gone: the compiler is being stopped.
            if to.send((stream, text.trim_end_matches(['\n', '\r']).to_owned())).is_err() {
                return;
            }
        }
    });
}

/// The last lines that were said.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    lines: VecDeque<String>,
    bytes: usize,
}

impl Tail {
    pub(crate) fn push(&mut self, line: &str) {
        let mut kept = line;
        if line.len() > MAX_TAIL {
            kept = &line[line.floor_char_boundary(0)..line.floor_char_boundary(MAX_TAIL)];
        }
        self.bytes += kept.len() + 1;
        self.lines.push_back(kept.to_owned());
        while self.bytes > MAX_TAIL {
            let Some(gone) = self.lines.pop_front() else { break };
            self.bytes -= gone.len() + 1;
        }
    }

    pub(crate) fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        lines.join("\n").trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = command(Path::new("/bin/sh"));
        command.args(["-c", script]);
        command
    }

    fn run_it(script: &str, cancel: &Cancel) -> (Result<ExitStatus, BuildError>, Vec<(Stream, String)>) {
        let mut lines = Vec::new();
        let status =
            run(&mut shell(script), cancel, &mut |stream, line| lines.push((stream, line.to_owned())));
        (status, lines)
    }

    #[test]
    fn every_line_is_told_with_where_it_was_said() {
        let (status, lines) = run_it("echo one; printf 'two\\r\\nlast' >&2; exit 3", &Cancel::default());
        assert_eq!(status.unwrap().code(), Some(3));
        let of = |wanted| -> Vec<&str> {
            lines.iter().filter(|(stream, _)| *stream == wanted).map(|(_, line)| line.as_str()).collect()
        };
        assert_eq!(of(Stream::Out), ["one"]);
        assert_eq!(of(Stream::Err), ["two", "last"]);
    }

    #[test]
    fn what_a_compiler_started_is_stopped_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let pids = dir.path().join("pids");
        let script = format!("sleep 1000 & echo $! > {0}.part; mv {0}.part {0}; wait", pids.display());
        let cancel = Cancel::default();
        let stopper = {
            let (cancel, pids) = (cancel.clone(), pids.clone());
            thread::spawn(move || {
                while !pids.exists() {
                    thread::sleep(TICK);
                }
                cancel.cancel();
            })
        };
        let (status, _) = run_it(&script, &cancel);
        stopper.join().unwrap();
        assert!(matches!(status, Err(BuildError::Cancelled)));
        let pid: i32 = std::fs::read_to_string(pids).unwrap().trim().parse().unwrap();
        // Nobody waits for a process whose parent has ended: the signal takes effect when it runs next.
        let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let has_ended = |state: &str| state.is_empty() || state.contains(") Z ");
        let asked = Instant::now();
        while !has_ended(&state()) && asked.elapsed() < Duration::from_secs(20) {
            thread::sleep(TICK);
        }
        assert!(has_ended(&state()), "{}", state());
    }

    #[test]
    fn a_program_that_is_asked_and_never_ends_gives_no_answer() {
        let most = Duration::from_secs(60);
        let asked = |script: &str, cancel: &Cancel, most| answer(&mut shell(script), cancel, most);
        let none = Cancel::default();
        assert_eq!(asked("echo one; echo two; echo no >&2", &none, most).unwrap(), "one\ntwo");
        assert_eq!(asked("echo one; exit 1", &none, most), None);
        assert_eq!(asked("yes", &none, most), None);
        assert_eq!(asked("echo one; sleep 1000", &none, Duration::from_millis(100)), None);

        let dir = tempfile::tempdir().unwrap();
        let (cancel, started) = (Cancel::default(), dir.path().join("started"));
        let asking = {
            let (cancel, script) = (cancel.clone(), format!("touch {}; sleep 1000", started.display()));
            thread::spawn(move || answer(&mut shell(&script), &cancel, Duration::from_secs(900)))
        };
        while !started.exists() {
            thread::sleep(TICK);
        }
        cancel.cancel();
        assert_eq!(asking.join().unwrap(), None);
    }

    #[test]
    fn keys_and_tokens_do_not_reach_a_compiler() {
        let kept = command(Path::new("cc"));
        let names: Vec<_> = kept.get_envs().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        assert!(names.contains(&"PATH".to_owned()));
        assert!(names.iter().all(|name| KEPT.contains(&name.as_str())), "{names:?}");
    }

    #[test]
    fn only_the_end_of_what_was_said_is_kept() {
        let mut tail = Tail::default();
        for at in 0..10_000 {
            tail.push(&format!("line {at}"));
        }
        assert!(tail.text().ends_with("line 9998\nline 9999"));
        assert!(tail.text().len() <= MAX_TAIL);
        tail.push(&"é".repeat(MAX_TAIL));
        assert!(tail.text().len() <= MAX_TAIL);
    }

    #[test]
    fn a_command_is_shown_as_it_can_be_typed() {
        let mut command = Command::new("/usr/bin/cc");
        command.args(["-o", "a b", "it's", ""]);
        assert_eq!(shown(&command), r"/usr/bin/cc -o 'a b' 'it'\''s' ''");
    }
}
