//! The attacks with Rust's own library.

mod bindings {
    wit_bindgen::generate!({ world: "hostile", path: "../wit" });
}

use bindings::exports::ringfence::hostile::attacks::{Guest, Step};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

struct Hostile;

static KEPT: Mutex<String> = Mutex::new(String::new());

fn told<T>(outcome: std::io::Result<T>) -> Result<T, String> {
    outcome.map_err(|error| error.to_string())
}

impl Guest for Hostile {
    fn read_text(path: String) -> Result<String, String> {
        let bytes = told(fs::read(path))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn list_folder(path: String) -> Result<Vec<String>, String> {
        let entries = told(fs::read_dir(path))?;
        entries
            .map(|entry| told(entry).map(|entry| entry.file_name().to_string_lossy().into_owned()))
            .collect()
    }

    fn look_at(path: String) -> Result<String, String> {
        let meta = told(fs::metadata(path))?;
        Ok(if meta.is_dir() { "folder".to_owned() } else { format!("file {}", meta.len()) })
    }

    fn look_at_all(path: String) -> Result<u32, String> {
        let entries = told(fs::read_dir(path))?;
        Ok(entries
            .filter(|entry| entry.as_ref().is_ok_and(|entry| fs::metadata(entry.path()).is_ok()))
            .count() as u32)
    }

    fn read_link(path: String) -> Result<String, String> {
        told(fs::read_link(path)).map(|target| target.to_string_lossy().into_owned())
    }

    fn change(how: String, path: String, other: String) -> Result<String, String> {
        let done = match how.as_str() {
            "create" => fs::write(path, "mine"),
            "append" => {
                OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(b"mine"))
            }
            "truncate" => OpenOptions::new().write(true).truncate(true).open(path).map(drop),
            "make-folder" => fs::create_dir(path),
            "remove" => fs::remove_file(path),
            "remove-folder" => fs::remove_dir(path),
            "rename" => fs::rename(path, other),
            "hard-link" => fs::hard_link(path, other),
            #[allow(deprecated)] // the one that WASI has
            "soft-link" => fs::soft_link(path, other),
            "touch" => File::open(path).and_then(|file| file.set_modified(UNIX_EPOCH)),
            unknown => return Err(format!("no change {unknown}")),
        };
        told(done).map(|()| how)
    }

    fn steps(steps: Vec<Step>) -> Result<Vec<String>, String> {
        let mut outcomes = Vec::new();
        for Step { how, path, other } in steps {
            let outcome = match how.as_str() {
                "read" => Self::read_text(path),
                "fail" => return Err(path),
                "crash" => panic!("{path}"),
                "spin" => loop {
                    black_box(0);
                },
                _ => Self::change(how, path, other),
            };
            outcomes.push(outcome.unwrap_or_else(|error| format!("error: {error}")));
        }
        Ok(outcomes)
    }

    fn write_at(path: String, text: String, at: u64) -> Result<String, String> {
        let mut file = told(OpenOptions::new().write(true).create(true).truncate(false).open(path))?;
        told(file.seek(SeekFrom::Start(at)))?;
        told(file.write_all(text.as_bytes()))?;
        Ok("written".to_owned())
    }

    fn append_again(path: String, text: String, times: u64) -> Result<String, String> {
        let mut file = told(OpenOptions::new().append(true).create(true).open(path))?;
        for _ in 0..times {
            told(file.write_all(text.as_bytes()))?;
        }
        Ok("written".to_owned())
    }

    fn create_many(folder: String, times: u32) -> Vec<String> {
        let create = |at| match fs::write(format!("{folder}/made{at}"), "mine") {
            Ok(()) => "made".to_owned(),
            Err(error) => format!("error: {error}"),
        };
        (0..times).map(create).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn read_again(path: String, times: u32) -> Vec<String> {
        let read = |_| match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => format!("error: {error}"),
        };
        (0..times).map(read).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn hold(path: String, times: u32) -> Result<u32, String> {
        for _ in 0..times {
            std::mem::forget(told(File::open(&path))?);
        }
        Ok(times)
    }

    fn surroundings() -> Vec<String> {
        let variables = std::env::vars().map(|(name, value)| format!("{name}={value}"));
        let folder = std::env::current_dir().map(|folder| format!("folder {}", folder.display()));
        variables.chain(std::env::args()).chain(folder).collect()
    }

    fn clocks() -> Vec<String> {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let first = Instant::now();
        vec![wall.to_string(), (Instant::now() > first).to_string()]
    }

    fn remember(word: String) -> String {
        std::mem::replace(&mut *KEPT.lock().unwrap(), word)
    }

    fn spin() {
        loop {
            black_box(0);
        }
    }

    fn spin_with_calls() {
        loop {
            black_box(fs::metadata("src/none").is_ok());
        }
    }

    fn sleep(millis: u64) {
        std::thread::sleep(Duration::from_millis(millis));
    }

    fn recurse(depth: u64) -> u64 {
        let frame = black_box([depth; 16]);
        if depth == 0 { 0 } else { 1 + Self::recurse(depth - 1) + black_box(frame[0] - depth) }
    }

    fn grow(mebibytes: u32) -> u64 {
        let blocks: Vec<Vec<u8>> = (0..mebibytes).map(|_| black_box(vec![1; 1 << 20])).collect();
        blocks.iter().map(|block| block.len() as u64).sum()
    }

    fn say(text: String, times: u32) -> String {
        text.repeat(times as usize)
    }

    fn fail(text: String, times: u32) -> Result<String, String> {
        Err(text.repeat(times as usize))
    }

    fn print(text: String, times: u64, to_error: bool) {
        let mut out: Box<dyn Write> =
            if to_error { Box::new(std::io::stderr()) } else { Box::new(std::io::stdout()) };
        for _ in 0..times {
            let _ = out.write_all(text.as_bytes());
        }
        let _ = out.flush();
    }

    fn crash(text: String) {
        panic!("{text}");
    }

    fn leave(code: u8) {
        std::process::exit(i32::from(code));
    }
}

bindings::export!(Hostile with_types_in bindings);
