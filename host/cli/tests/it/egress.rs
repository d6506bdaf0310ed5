//! Requests of tools: granted by flags and files, with secrets of the user's own.

use crate::program::{Home, Said};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

mod keyring;

const WIT: &str = include_str!("../../../sandbox/tests/it/asking/asking.wit");
const MODULE: &str = include_str!("../../../sandbox/tests/it/asking/asking.wat");
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/my_project");
const VALUE: &str = "a-secret-of-the-tests";

fn asking() -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_source("asking.wit", WIT).unwrap();
    let world = resolve.select_world(&[package], Some("asking")).unwrap();
    let mut module = wat::parse_str(MODULE).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

/// Says back what it hears, until the process ends.
struct Server {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut head = String::new();
                let mut lines = BufReader::new(stream.try_clone().unwrap());
                while !head.ends_with("\r\n\r\n") && lines.read_line(&mut head).unwrap_or(0) > 0 {}
                let length = head.len();
                let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{head}");
                hears.lock().unwrap().push(head);
            }
        });
        Self { address, heard }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn grant(&self) -> String {
        format!("{{ url = \"{}\", private = true }}", self.url())
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

struct World {
    home: Home,
    server: Server,
}

impl World {
    fn new() -> Self {
        let home = Home::new();
        home.write("asking.wasm", asking());
        home.write("project/a.txt", "a");
        Self { home, server: Server::start() }
    }

    fn configure(&self, text: &str) {
        self.home.write(".config/ringfence/config.toml", text);
    }

    /// `[grants]` and a secret for the server.
    fn configure_with_secret(&self, source: &str) {
        let (grant, url) = (self.server.grant(), self.server.url());
        self.configure(&format!(
            "grants.hosts = [{grant}]\n[secrets.key]\n{source}\nhost = \"{url}\"\nheader = \"authorization\"\nprefix = \"Bearer \"\n"
        ));
    }

    fn ask(&self, more: &[&str], environment: &[(&str, &str)]) -> Said {
        self.ask_at("/x", more, environment)
    }

    fn ask_at(&self, path: &str, more: &[&str], environment: &[(&str, &str)]) -> Said {
        let authority = self.server.address.to_string();
        let input = serde_json::json!({"method": "GET", "scheme": "http", "authority": authority,
            "path": path, "headers": [], "body": ""});
        let words = [
            "tool",
            "call",
            "ask",
            &input.to_string(),
            "--project",
            "project",
            "--component",
            "asking.wasm",
            "--receipt",
        ];
        let mut command = self.home.command(words.iter().chain(more));
        self.home.said(command.envs(environment.iter().copied()).output().unwrap())
    }
}

#[test]
fn a_refusal_says_which_flag_would_allow_it_and_it_does() {
    let world = World::new();
    let said = world.ask(&[], &[]);
    assert_eq!(said.code, 1, "{said}");
    let asked =
        format!("error: denied: GET {}/x was not requested: no host is granted; `", world.server.url());
    assert!(said.err.contains(&asked), "{said}");
    let flag = said.err.split('`').nth(1).unwrap();
    let grant = flag.strip_prefix("--allow-host '").and_then(|rest| rest.strip_suffix('\'')).unwrap();
    let said = world.ask(&["--allow-host", grant], &[]);
    assert_eq!((said.code, world.server.heard().len()), (0, 1), "{said}");
    let receipt: Value = serde_json::from_str(&said.err[said.err.find('{').unwrap()..]).unwrap();
    assert_eq!(receipt["requests"][0]["url"], format!("{}/x", world.server.url()));
    assert_eq!(receipt["hosts"][0]["url"], world.server.url());
}

#[test]
fn a_secret_goes_out_and_is_seen_nowhere() {
    let world = World::new();
    let file = world.home.write(".config/ringfence/key", format!("{VALUE}\n"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    for source in ["env = \"THE_KEY\"", "file = \"key\""] {
        world.configure_with_secret(source);
        let said = world.ask(&[], &[("THE_KEY", VALUE)]);
        assert_eq!(said.code, 0, "{said}");
        assert!(world.server.heard().last().unwrap().contains(&format!("authorization: Bearer {VALUE}\r\n")));
        let all = format!("{said}");
        assert!(!all.contains(VALUE) && !all.contains("YS1zZWNyZXQ"), "{said}");
        let answer: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(answer["status"], 200);
    }
}

#[test]
fn a_host_s_secret_is_taken_out_of_replies_to_requests_that_it_never_goes_with() {
    let world = World::new();
    let url = world.server.url();
    for (grant, path) in [("/x", "/api"), ("", "/api"), ("/x", "/x/y")] {
        world.configure(&format!(
            "grants.hosts = [{{ url = \"{url}{grant}\", private = true }}]\n[secrets.key]\nenv = \"THE_KEY\"\nhost = \"{url}{path}\"\nheader = \"authorization\"\n"
        ));
        let said = world.ask_at(&format!("/x?k={VALUE}"), &[], &[("THE_KEY", VALUE)]);
        assert_eq!(said.code, 0, "{said}");
        assert!(!world.server.heard().last().unwrap().contains("authorization"));
        // What the tool was handed has the mark in it, and so its answer, which is encoded, has none.
        let answer: Value = serde_json::from_str(&said.out).unwrap();
        assert!(!answer["body"].as_str().unwrap().contains("[secret key]"), "{said}");
    }
    // Where it goes with nothing, a value that is missing is no error.
    world.configure(&format!(
        "grants.hosts = [{{ url = \"{url}/x\", private = true }}]\n[secrets.key]\nenv = \"THE_KEY\"\nhost = \"{url}/api\"\nheader = \"authorization\"\n"
    ));
    assert_eq!(world.ask(&[], &[]).code, 0);
}

#[test]
fn a_secret_that_is_missing_or_open_to_others_is_an_error_before_anything_runs() {
    let world = World::new();
    world.configure_with_secret("env = \"THE_KEY\"");
    let said = world.ask(&[], &[]);
    assert_eq!(said.code, 2, "{said}");
    assert!(said.err.contains("the secret `key` can't be used: THE_KEY is not set"), "{said}");
    let said = world.ask(&[], &[("THE_KEY", "short")]);
    assert!(said.code == 2 && !said.err.contains("short\n"), "{said}");
    let file = world.home.write(".config/ringfence/key", VALUE);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    world.configure_with_secret("file = \"key\"");
    let said = world.ask(&[], &[]);
    assert!(said.code == 2 && said.err.contains("chmod 600") && !said.err.contains(VALUE), "{said}");
    assert!(world.server.heard().is_empty());
    // Who asks other hosts needs no such secret.
    let said = world.ask(&["--allow-host", "https://api.example.com"], &[]);
    assert_eq!(said.code, 1, "{said}");
}

#[test]
fn a_project_has_no_secrets_and_only_narrows_a_user_s_hosts() {
    let world = World::new();
    world.home.write(
        "project/ringfence.toml",
        "[secrets.key]\nenv = \"HOME\"\nhost = \"https://evil.example\"\nheader = \"x\"\n",
    );
    let said = world.ask(&[], &[]);
    assert!(said.code == 2 && said.err.contains("`[secrets.key]`; a project can't"), "{said}");

    let text = format!("[grants]\nhosts = [{}]\n", world.server.grant());
    world.home.write("project/ringfence.toml", text);
    let said = world.ask(&[], &[]);
    assert!(said.code == 2 && said.err.contains("can't lead tools into your own networks"), "{said}");

    world.home.write("project/ringfence.toml", "[grants]\nhosts = [\"https://evil.example\"]\n");
    world.configure("grants.hosts = [\"https://api.example.com\"]");
    let said = world.ask(&[], &[]);
    let hash = said.err.split_whitespace().skip_while(|word| *word != "--trust").nth(1).unwrap().to_owned();
    let said = world.ask(&["--trust", &hash], &[]);
    assert!(said.code == 1 && said.err.contains("no host is granted"), "{said}");
}

#[test]
fn a_run_with_hosts_and_a_secret_goes_on_and_keeps_no_value() {
    let world = World::new();
    world.configure_with_secret("env = \"THE_KEY\"");
    let mut command = world.home.command(["run", SAMPLE, "--yes", "--quiet"]);
    let said = world.home.said(command.env("THE_KEY", VALUE).output().unwrap());
    assert_eq!(said.code, 0, "{said}");
    let mut files = 0;
    search(world.home.path(), &mut |bytes| {
        files += 1;
        assert!(!bytes.windows(VALUE.len()).any(|part| part == VALUE.as_bytes()));
    });
    assert!(files > 2);
}

#[test]
fn a_run_whose_secret_is_gone_can_still_be_ended() {
    let world = World::new();
    world.configure_with_secret("env = \"THE_KEY\"");
    let mut command = world.home.command(["run", SAMPLE, "--quiet"]);
    let said = world.home.said(command.env("THE_KEY", VALUE).output().unwrap());
    assert_eq!(said.code, 3, "{said}");
    let runs: Value = serde_json::from_str(&world.home.run(["runs", "--json"]).out).unwrap();
    let id = runs[0]["id"].as_str().unwrap();
    let said = world.home.run(["resume", id, "--approve", "1"]);
    assert!(said.code == 2 && said.err.contains("THE_KEY is not set"), "{said}");
    let said = world.home.run(["resume", id, "--abort"]);
    assert!(said.code == 1 && said.err.contains("Ended by a person"), "{said}");
}

#[test]
fn a_secret_of_the_same_host_that_can_t_be_read_is_named() {
    let world = World::new();
    let (grant, url) = (world.server.grant(), world.server.url());
    let secret = |name: &str, source: &str| {
        format!("[secrets.{name}]\n{source}\nhost = \"{url}\"\nheader = \"x-{name}\"\n")
    };
    let (key, other) = (secret("key", "env = \"THE_KEY\""), secret("other", "env = \"THE_OTHER\""));
    world.configure(&format!("grants.hosts = [{grant}]\ngrants.secrets = [\"key\"]\n{key}{other}"));
    let said = world.ask(&[], &[("THE_KEY", VALUE), ("THE_OTHER", "another-secret")]);
    assert!(said.code == 0 && !said.err.contains("note:"), "{said}");
    let said = world.ask(&[], &[("THE_KEY", VALUE)]);
    assert!(said.code == 0 && said.err.contains("the secret `other`"), "{said}");
    assert!(said.err.contains("(THE_OTHER is not set)"), "{said}");
}

fn search(folder: &Path, look: &mut impl FnMut(&[u8])) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search(&path, look);
        } else {
            look(&std::fs::read(&path).unwrap());
        }
    }
}

#[test]
fn the_tool_that_searches_asks_whom_the_configuration_names_and_no_other_tool_is_told() {
    let world = World::new();
    let search = || {
        let input = r#"{"query": "ring fence"}"#;
        world.home.run(["tool", "call", "web_search", input, "--project", "project"])
    };
    let (grant, url) = (world.server.grant(), world.server.url());
    world.configure(&format!("grants.hosts = [{grant}]\n"));
    let said = search();
    assert!(said.code == 1 && said.err.contains("no search provider is configured"), "{said}");
    let asks =
        format!("grants.hosts = [{grant}]\n[tools.web_search]\nprovider = \"searxng\"\nurl = \"{url}\"\n");
    world.configure(&asks);
    search();
    assert!(world.server.heard()[0].starts_with("GET /search?"), "{:?}", world.server.heard());
    world.configure(&asks.replace("web_search", "fetch_page"));
    let said = search();
    assert!(said.code == 2 && said.err.contains("say it in [tools.web_search]"), "{said}");
}
