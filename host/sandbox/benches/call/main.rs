//! What a fenced call costs, beside what it replaces. Prints one table; `cargo bench -p
//! ringfence-sandbox` runs it.
//!
//! `RINGFENCE_BIN` names the binary whose cold start is measured; without it the one in the target
//! folder is taken. `RINGFENCE_NODE_SERVER` names the script of Node's MCP filesystem server
//! (`dist/index.js` of its package). What isn't there (bwrap, node, the binary) is named and left
//! out.

mod listing;
mod node_server;
mod rows;
mod runaway;
mod sample;

use node_server::NodeServer;
use rows::{Fenced, NAME, Spawned, native_read};
use sample::Sample;
use std::path::PathBuf;

fn main() {
    let calls = Fenced::new();
    let file = calls.file();
    println!("reading a file of 4,096 bytes\n");
    Sample::print_head();

    let native = Sample::of(20_000, || native_read(&file));
    native.print("native: open, read, close", None);
    let fenced = calls.sample(20_000, Fenced::direct);
    fenced.print("read_file: fresh instance, view, receipt", Some(&native));
    let outside = calls.sample(20_000, Fenced::on_another_runtime);
    outside.print("  the same, awaited on another runtime", Some(&native));
    let on_demand = calls.on_demand().sample(5_000, Fenced::direct);
    on_demand.print("  the same, without the instance pool", Some(&native));

    let cat = Spawned::new("/bin/cat", &[file.as_os_str()]);
    let cat = cat.sample(500, "spawned: /bin/cat", &fenced);
    let confined = Spawned::new("bwrap", &["--ro-bind".as_ref(), "/".as_ref(), "/".as_ref()]).args(&[
        "--unshare-all".as_ref(),
        "/bin/cat".as_ref(),
        file.as_os_str(),
    ]);
    let confined = confined.sample(200, "spawned in bwrap: /bin/cat", &fenced);

    let mut node_server = NodeServer::start(calls.folder());
    let through_node = node_server.as_mut().map(|server| {
        let sample = Sample::of(2_000, || server.read(NAME));
        sample.print("Node's MCP filesystem server: read_text_file", Some(&fenced));
        println!("  it holds {} MiB, this process with its pools {} MiB", server.resident(), resident());
        sample
    });
    drop(node_server);

    println!("\nlisting {} files in {} folders", listing::FILES, listing::FOLDERS);
    Sample::print_head();
    let listed = listing::rows(&calls);

    println!("\nfrom the start of a process to its end\n");
    Sample::print_head();
    let node = Spawned::new("node", &["-e".as_ref(), "".as_ref()]).sample(30, "node -e ''", &fenced);
    let ours = binary().and_then(|binary| calls.tool_call(&binary));
    let ours = match ours {
        Some(spawned) => spawned.sample(50, "ringfence tool call read_file, warm cache", &fenced),
        None => {
            println!("ringfence tool call read_file: no binary; build it, or name one in RINGFENCE_BIN");
            None
        }
    };

    println!("\nstopping a guest that never ends, past its deadline of 50 ms");
    Sample::print_head();
    runaway::lateness(1, 40).print("alone", None);
    runaway::lateness(8, 20).print("eight at once", None);

    println!("\nwhat was promised");
    bar("a call is at least 10 times as fast as a spawned process", &fenced, cat.as_ref(), 10.0);
    bar("a call is at least 50 times as fast as bwrap", &fenced, confined.as_ref(), 50.0);
    bar("a call is at least 4 times as fast as Node's MCP server", &fenced, through_node.as_ref(), 4.0);
    let ratio = listed.fenced.median_us() / listed.walked.median_us();
    let kept = if ratio <= 2.0 { "kept" } else { "BROKEN" };
    println!("  {kept}: a listing takes at most twice as long as native code: {ratio:.1} times");
    if let Some(ours) = &ours {
        bar("a cold start is faster than Node's", ours, node.as_ref(), 1.0);
    }
}

fn bar(promise: &str, fast: &Sample, slow: Option<&Sample>, times: f64) {
    match slow {
        Some(slow) => {
            let ratio = slow.median_us() / fast.median_us();
            let kept = if ratio >= times { "kept" } else { "BROKEN" };
            println!("  {kept}: {promise}: {ratio:.1} times");
        }
        None => println!("  not measured: {promise}"),
    }
}

/// The binary that belongs to this build, or the one that is named.
fn binary() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("RINGFENCE_BIN") {
        return Some(named.into());
    }
    // target/PROFILE/deps/call-HASH
    let here = std::env::current_exe().ok()?;
    Some(here.parent()?.parent()?.join("ringfence")).filter(|path| path.exists())
}

/// Memory that this process holds, in MiB.
fn resident() -> u64 {
    node_server::resident_of("self")
}
