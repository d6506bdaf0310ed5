//! What becomes of a finished run's report: where it is written, and what the exit code says of it.

use crate::exit::{Exit, Refusal};
use crate::report::{Report, html, markdown, sarif};
use crate::terminal;
use anyhow::{Context, Result};
use ringfence_models::playbook::analyst::Severity;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Markdown
    Markdown,
    /// One HTML page.
    Html,
    /// The whole report as JSON.
    Json,
    /// The findings as SARIF 2.1.0.
    Sarif,
}

impl Form {
    /// All of them, in the order in which files are named.
    const ALL: [Self; 4] = [Self::Markdown, Self::Html, Self::Json, Self::Sarif];

    fn file(self) -> &'static str {
        match self {
            Self::Markdown => "report.md",
            Self::Html => "report.html",
            Self::Json => "report.json",
            Self::Sarif => "report.sarif",
        }
    }

    /// The report in this form.
    pub fn of(self, report: &Report) -> Result<String> {
        Ok(match self {
            Self::Markdown => markdown(report),
            Self::Html => html(report),
            Self::Json => format!("{}\n", terminal::json(&serde_json::to_string_pretty(report)?)),
            Self::Sarif => format!("{}\n", terminal::json(&serde_json::to_string_pretty(&sarif(report))?)),
        })
    }
}

/// What is wanted of a run's report besides reading it.
#[derive(Debug, Clone, Default)]
pub struct Delivery {
    /// The folder that gets it in all forms.
    pub folder: Option<PathBuf>,
    /// Findings in product code that are at least this bad fail the command.
    pub fail_on: Option<Severity>,
}

impl Delivery {
    /// Makes the folder, so that a run isn't made for nothing.
    ///
    /// # Errors
    /// A usage error where it can't be made or written to.
    pub fn prepare(&self) -> Result<(), Refusal> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let ready = fs::create_dir_all(folder).and_then(|()| NamedTempFile::new_in(folder));
        ready.map(drop).map_err(|error| {
            Refusal::usage(format!("reports can't be written to {}: {error}", folder.display()))
                .hint("name a folder that you may write to, with --out DIR")
        })
    }

    /// The exit code of a command whose run came to this.
    pub fn exit(&self, exit: Exit, report: impl FnOnce() -> Result<Report>) -> Result<Exit> {
        match self.fail_on {
            Some(least) if exit == Exit::Done && report()?.has_finding(least) => Ok(Exit::Findings),
            Some(_) | None => Ok(exit),
        }
    }
}

/// Writes a report in all forms into a folder, all of them or, where one can't be written, none;
/// says which files there are now.
pub(super) fn write_all(report: &Report, folder: &Path) -> Result<String> {
    let mut written = Vec::new();
    for form in Form::ALL {
        let path = folder.join(form.file());
        written.push((prepared(&path, &form.of(report)?)?, path));
    }
    let mut names = String::new();
    for (file, path) in written {
        put_in_place(file, &path)?;
        names.push_str(&format!("{}\n", terminal::plain(&path.display().to_string())));
    }
    Ok(names)
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<()> {
    put_in_place(prepared(path, text)?, path)
}

/// The content beside the place where it belongs.
fn prepared(path: &Path, text: &str) -> Result<NamedTempFile> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let failed = || format!("{} can't be written", path.display());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any file of this person: the umask takes its part.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file =
        builder.prefix(".report-").tempfile_in(parent.unwrap_or(Path::new("."))).with_context(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).with_context(failed)?;
    Ok(file)
}

fn put_in_place(file: NamedTempFile, path: &Path) -> Result<()> {
    file.persist(path).map(drop).with_context(|| format!("{} can't be written", path.display()))
}
