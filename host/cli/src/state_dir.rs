//! Where things of the user's are kept: runs, confirmations, compiled code.
//!
//! Owns: finding the folders and refusing those that somebody else could have prepared or can
//! look into. Doesn't own: what is in them.

use crate::config::Durability;
use crate::exit::Refusal;
use crate::shell;
use anyhow::{Context, Result};
use directories::ProjectDirs;
use ringfence_sandbox::GrantPath;
use ringfence_store::Store;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

/// The user's folders. Nothing is created until it is needed.
#[derive(Debug, Clone)]
pub struct Folders {
    state: PathBuf,
    code: PathBuf,
    config: Option<PathBuf>,
    /// `--state`, made absolute.
    given: Option<PathBuf>,
}

impl Folders {
    /// The folders under `--state`, or else the user's own.
    pub fn find(given: Option<&Path>) -> Result<Self> {
        let own = ProjectDirs::from("", "", "ringfence");
        let config = own.as_ref().map(|own| own.config_dir().to_owned());
        if let Some(given) = given {
            let state = std::path::absolute(given).context("the path of --state can't be made absolute")?;
            // Without a slash at its end, behind which a link would be followed.
            let state: PathBuf = state.components().collect();
            let code = state.join("code");
            return Ok(Self { state: state.clone(), code, config, given: Some(state) });
        }
        let Some(own) = own else {
            return Err(Refusal::usage("this user has no home folder to keep runs in")
                .hint("set HOME, or name a folder with --state DIR")
                .into());
        };
        let state = own.state_dir().unwrap_or_else(|| own.data_local_dir()).to_owned();
        Ok(Self { state, code: own.cache_dir().join("code"), config, given: None })
    }

    /// The folder for runs and confirmations; created for this user alone where it is missing,
    /// refused where it isn't this user's alone.
    pub fn state(&self) -> Result<&Path> {
        private_folder(&self.state)?;
        Ok(&self.state)
    }

    /// A folder in the state folder; created where it is missing, refused where it is a link or
    /// somebody else's.
    pub fn in_state(&self, name: &str) -> Result<PathBuf> {
        let path = self.state()?.join(name);
        let cant = |error| {
            Refusal::usage(format!("the folder {} can't be made: {error}", path.display()))
                .hint("name another state folder with --state DIR")
        };
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(cant(error).into()),
            Ok(()) | Err(_) => {}
        }
        let found = fs::symlink_metadata(&path).map_err(cant)?;
        if found.is_symlink() {
            let refusal = Refusal::usage(format!(
                "{} is a link; runs are kept only in a folder itself",
                path.display()
            ));
            return Err(refusal.hint("put the folder that it leads to in its place").into());
        }
        check_owned(&path, &found)?;
        Ok(path)
    }

    /// Where the state folder is or would be.
    pub fn state_path(&self) -> &Path {
        &self.state
    }

    /// The folder for compiled code. The sandbox creates and checks it; what lies above it is
    /// checked here.
    pub fn code(&self) -> Result<&Path> {
        if self.given.is_some() {
            self.state()?;
        }
        Ok(&self.code)
    }

    /// Where the building of tools keeps its work; made for this user alone where it is missing,
    /// refused where it is somebody else's.
    pub fn build_cache(&self) -> Result<PathBuf> {
        let folder = self.code()?.parent().unwrap_or(&self.state).to_owned();
        let cant = |error| {
            Refusal::usage(format!("the folder {} can't be made: {error}", folder.display())).hint(ELSEWHERE)
        };
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(cant)?;
        check_owned(&folder, &fs::symlink_metadata(&folder).map_err(cant)?)?;
        Ok(folder)
    }

    /// The user's own configuration, if there can be one.
    pub fn user_config(&self) -> Option<PathBuf> {
        Some(self.config.as_ref()?.join("config.toml"))
    }

    /// The user's own list of models, if there can be one.
    pub fn user_models(&self) -> Option<PathBuf> {
        Some(self.config.as_ref()?.join("models.toml"))
    }

    /// The journal of all runs, for writing.
    pub fn open_store(&self, durability: Durability) -> Result<Store> {
        let durability = match durability {
            Durability::Full => ringfence_store::Durability::Full,
            Durability::Relaxed => ringfence_store::Durability::Relaxed,
        };
        Ok(Store::open_with(&self.state()?.join(JOURNAL), durability)?)
    }

    /// The journal of all runs, for reading; none if there is none yet.
    pub fn read_store(&self) -> Result<Option<Store>> {
        if !self.state.exists() {
            return Ok(None);
        }
        let path = self.state()?.join(JOURNAL);
        if path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Ok(None);
        }
        Ok(Some(Store::open_read_only(&path)?))
    }

    /// ` --state DIR` for commands that are printed, or nothing.
    pub fn flag(&self) -> String {
        let flag = |path: &PathBuf| format!(" --state {}", shell::quote(&path.to_string_lossy()));
        self.given.as_ref().map(flag).unwrap_or_default()
    }

    /// Refuses a state folder that tools could look into: journals hold what other runs read.
    pub fn out_of_reach(&self, project: &Path, granted: &[GrantPath]) -> Result<()> {
        let real = real_path(&self.state);
        let Ok(inside) = real.strip_prefix(project) else { return Ok(()) };
        let names: Vec<_> = inside
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                _ => None,
            })
            .collect();
        // The view hides this folder from every guest.
        if names.first().is_some_and(|name| name == ".ringfence") {
            return Ok(());
        }
        let meets = |grant: &&GrantPath| grant.names().iter().zip(&names).all(|(one, other)| one == other);
        let Some(grant) = granted.iter().find(meets) else { return Ok(()) };
        Err(Refusal::usage(format!(
            "the state folder {} lies in the granted folder `{grant}` of the project, where tools could read it",
            self.state.display()
        ))
        .hint("name a folder outside the project with --state DIR, or grant less with --dir DIR")
        .into())
    }
}

const JOURNAL: &str = "runs.db";

/// The path with links resolved, as far as it exists.
fn real_path(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (above.canonicalize(), path.strip_prefix(above)) {
            return real.join(rest);
        }
    }
    path.to_owned()
}

/// Creates a folder that only this user can enter, or checks that it is one.
fn private_folder(path: &Path) -> Result<()> {
    if let Some(above) = path.parent() {
        check_parent(above)?;
    }
    match fs::symlink_metadata(path) {
        Ok(found) => check(path, &found),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| {
                Refusal::usage(format!("the folder {} can't be created: {error}", path.display()))
                    .hint("name another folder with --state DIR")
            })?;
            let found = fs::symlink_metadata(path).context("the state folder has vanished")?;
            check(path, &found)
        }
        Err(error) => {
            Err(Refusal::usage(format!("the folder {} can't be looked at: {error}", path.display()))
                .hint("name another folder with --state DIR")
                .into())
        }
    }
}

fn check(path: &Path, found: &fs::Metadata) -> Result<()> {
    let shown = path.display();
    if found.is_symlink() {
        let refusal = Refusal::usage(format!("{shown} is a link; runs are kept only in a folder itself"));
        return Err(refusal.hint("name the folder that the link leads to with --state DIR").into());
    }
    check_owned(path, found)?;
    let mode = found.mode() & 0o7777;
    if mode & 0o077 != 0 {
        let refusal = Refusal::usage(format!("{shown} can be entered by others (mode {mode:04o})"));
        let chmod = shell::command(["chmod", "700", &path.to_string_lossy()]);
        return Err(refusal.hint(format!("{chmod}, or {ELSEWHERE}")).into());
    }
    Ok(())
}

const ELSEWHERE: &str = "name another folder with --state DIR";

/// A folder of this user's.
fn check_owned(path: &Path, found: &fs::Metadata) -> Result<()> {
    let shown = path.display();
    if !found.is_dir() {
        return Err(Refusal::usage(format!("{shown} is not a folder")).hint(ELSEWHERE).into());
    }
    let user = rustix::process::geteuid().as_raw();
    if found.uid() != user {
        let refusal = Refusal::usage(format!("{shown} belongs to user {}, not to you ({user})", found.uid()));
        return Err(refusal.hint(ELSEWHERE).into());
    }
    Ok(())
}

/// A folder in which anybody may rename things is no place for one.
fn check_parent(above: &Path) -> Result<()> {
    let Ok(found) = fs::metadata(above) else { return Ok(()) };
    let mode = found.mode();
    if mode & 0o002 != 0 && mode & 0o1000 == 0 {
        return Err(Refusal::usage(format!(
            "{} can be changed by anybody (mode {:04o})",
            above.display(),
            mode & 0o7777
        ))
        .hint("name a folder somewhere else with --state DIR")
        .into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::describe;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn folders(state: &Path) -> Folders {
        Folders::find(Some(state)).unwrap()
    }

    #[test]
    fn a_missing_folder_is_made_for_this_user_alone() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("a/b");
        assert!(folders(&state).read_store().unwrap().is_none());
        assert!(!state.exists(), "reading creates nothing");
        folders(&state).open_store(Durability::Full).unwrap();
        assert_eq!(fs::metadata(&state).unwrap().mode() & 0o777, 0o700);
        assert!(folders(&state).read_store().unwrap().is_some());
    }

    #[test]
    fn a_folder_that_others_can_enter_is_refused_with_what_to_do() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("it's");
        fs::create_dir(&state).unwrap();
        fs::set_permissions(&state, fs::Permissions::from_mode(0o750)).unwrap();
        let said = describe(&folders(&state).state().unwrap_err());
        assert!(
            said.contains("mode 0750") && said.contains(r"chmod 700 '") && said.contains("--state DIR"),
            "{said}"
        );
        fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
        folders(&state).state().unwrap();
    }

    #[test]
    fn a_link_a_file_and_an_open_parent_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let (real, link, file) =
            (home.path().join("real"), home.path().join("link"), home.path().join("file"));
        folders(&real).state().unwrap();
        symlink(&real, &link).unwrap();
        fs::write(&file, "").unwrap();
        assert!(describe(&folders(&link).state().unwrap_err()).contains("is a link"));
        assert!(describe(&folders(&file).state().unwrap_err()).contains("is not a folder"));
        let open = home.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(describe(&folders(&open.join("x")).state().unwrap_err()).contains("by anybody"));
    }

    #[test]
    fn a_folder_in_the_state_folder_is_this_users_own_and_no_link() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state");
        let made = folders(&state).in_state("stages").unwrap();
        assert_eq!(fs::metadata(&made).unwrap().mode() & 0o777, 0o700);
        assert_eq!(folders(&state).in_state("stages").unwrap(), made);
        fs::rename(&made, home.path().join("elsewhere")).unwrap();
        symlink(home.path().join("elsewhere"), &made).unwrap();
        assert!(describe(&folders(&state).in_state("stages").unwrap_err()).contains("is a link"));
        fs::remove_file(&made).unwrap();
        fs::write(&made, "").unwrap();
        assert!(describe(&folders(&state).in_state("stages").unwrap_err()).contains("is not a folder"));
    }

    #[test]
    fn a_state_folder_that_a_grant_reaches_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().canonicalize().unwrap();
        let grant = |path: &str| GrantPath::parse(path).unwrap();
        let state = folders(&project.join("src/state"));
        for reached in [".", "src", "src/state", "src/state/runs"] {
            assert!(state.out_of_reach(&project, &[grant("docs"), grant(reached)]).is_err(), "{reached}");
        }
        state.out_of_reach(&project, &[grant("docs"), grant("src/other")]).unwrap();
        state.out_of_reach(&project.join("src/other"), &[grant(".")]).unwrap();
        folders(&project.join(".ringfence/state")).out_of_reach(&project, &[grant(".")]).unwrap();
    }
}
