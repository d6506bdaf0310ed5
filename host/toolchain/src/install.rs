//! Getting what is missing, where the person asked for it.

use crate::build::Progress;
use crate::error::BuildError;
use crate::machine::{Missing, Way};
use crate::workshop::Workshop;
use std::process::Command;

/// Installs everything that is missing. Fails with those that no way gets here.
pub(crate) fn install(missing: &[Missing], shop: &mut Workshop<'_>) -> Result<(), BuildError> {
    let by_hand: Vec<Missing> = missing
        .iter()
        .filter(|one| !one.ways.iter().any(|way| is_open(way, shop)))
        .map(|one| closed(one, shop))
        .collect();
    if !by_hand.is_empty() {
        return Err(BuildError::Missing(by_hand));
    }
    for one in missing {
        let mut ended = Ok(());
        for way in one.ways.iter().filter(|way| is_open(way, shop)).cloned().collect::<Vec<_>>() {
            shop.tell(Progress::Installing(way.to_string()));
            ended = go(&way, shop).map_err(as_installing);
            match &ended {
                Ok(()) | Err(BuildError::Cancelled) => break,
                // The next way may get it.
                Err(_) => {}
            }
        }
        ended?;
    }
    Ok(())
}

/// The same with what keeps it from being installed, where that is a program.
fn closed(missing: &Missing, shop: &Workshop<'_>) -> Missing {
    let mut missing = missing.clone();
    for way in &missing.ways {
        let program = match way {
            Way::Apt(_) => continue,
            Way::Rustup(_) => "rustup",
            Way::Pip(_) => "python3",
            Way::Npm(_) => "npm",
        };
        if shop.machine().find(program).is_none() {
            missing.what = format!("{}; {program}, which installs it, is not in PATH", missing.what);
        }
    }
    missing
}

/// Whether this way can be gone here at all.
fn is_open(way: &Way, shop: &Workshop<'_>) -> bool {
    let has = |program| shop.machine().find(program).is_some();
    match way {
        Way::Apt(_) => has("apt-get") && rustix::process::geteuid().is_root(),
        Way::Rustup(_) => has("rustup"),
        Way::Pip(_) => has("python3"),
        Way::Npm(_) => has("npm"),
    }
}

fn go(way: &Way, shop: &mut Workshop<'_>) -> Result<(), BuildError> {
    match way {
        Way::Apt(packages) => {
            let mut update = program("apt-get", shop);
            shop.run(update.args(["update", "-qq"]))?;
            let mut get = program("apt-get", shop);
            get.env("DEBIAN_FRONTEND", "noninteractive");
            shop.run(get.args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages))
        }
        Way::Rustup(target) => {
            let mut add = program("rustup", shop);
            shop.run(add.args(["target", "add", target]))
        }
        Way::Pip(package) => {
            let venv = shop.machine().venv();
            if shop.machine().find_in_venv("pip").is_none() {
                let mut make = program("python3", shop);
                shop.run(make.args(["-m", "venv"]).arg(&venv))?;
            }
            let mut get = shop.command(&venv.join("bin/pip"));
            shop.run(get.args(["install", "--quiet", "--disable-pip-version-check", package]))
        }
        Way::Npm(folder) => {
            let mut get = program("npm", shop);
            get.current_dir(folder);
            shop.run(get.args(["install", "--no-audit", "--no-fund"]))
        }
    }
}

/// A program that `is_open` has seen in PATH.
fn program(name: &str, shop: &Workshop<'_>) -> Command {
    shop.command(&shop.machine().find(name).unwrap_or_else(|| name.into()))
}

fn as_installing(error: BuildError) -> BuildError {
    match error {
        BuildError::Compiler { command, status, tail } => BuildError::Install { command, status, tail },
        other => other,
    }
}
