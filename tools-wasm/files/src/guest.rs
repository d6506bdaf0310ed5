//! The component's export: the interface's types to this crate's and back.

#[allow(missing_docs, unreachable_pub)]
mod bindings {
    wit_bindgen::generate!({ world: "files-tool", path: "../../wit/files.wit" });
}

use crate::{Failure, Kind, ListRequest, ReadRequest, SearchRequest};
use bindings::exports::ringfence::tools::files as wit;
use ringfence_guest_project::{Fault, Root};

struct Files;

impl wit::Guest for Files {
    fn read_file(
        file_path: String,
        first_line: Option<u32>,
        max_lines: Option<u32>,
    ) -> Result<wit::FileText, wit::Error> {
        let request = ReadRequest { file_path: &file_path, first_line, max_lines };
        let read = crate::read_file(&Root::guest(), &request)?;
        Ok(wit::FileText {
            path: read.path,
            text: read.text,
            first_line: read.first_line,
            last_line: read.last_line,
            total_lines: read.total_lines,
            cut: read.cut,
            shortened_lines: read.shortened_lines,
            lossy: read.lossy,
            size: read.size,
        })
    }

    fn list_files(
        directory: Option<String>,
        recursive: Option<bool>,
        pattern: Option<String>,
        max_entries: Option<u32>,
    ) -> Result<wit::Listing, wit::Error> {
        let request = ListRequest {
            directory: directory.as_deref(),
            recursive,
            pattern: pattern.as_deref(),
            max_entries,
        };
        let listed = crate::list_files(&Root::guest(), &request)?;
        let entries = listed.entries.into_iter();
        Ok(wit::Listing {
            directory: listed.directory,
            entries: entries
                .map(|entry| wit::Entry { path: entry.path, kind: entry.kind.into(), size: entry.size })
                .collect(),
            total: listed.total,
            files: listed.files,
            directories: listed.directories,
            cut: listed.cut,
            ignored: listed.ignored,
            unreadable: listed.unreadable,
            complete: listed.complete,
        })
    }

    fn search_text(
        pattern: String,
        directory: Option<String>,
        file_pattern: Option<String>,
        max_matches: Option<u32>,
        context_lines: Option<u32>,
    ) -> Result<wit::SearchResult, wit::Error> {
        let request = SearchRequest {
            pattern: &pattern,
            directory: directory.as_deref(),
            file_pattern: file_pattern.as_deref(),
            max_matches,
            context_lines,
        };
        let found = crate::search_text(&Root::guest(), &request)?;
        let matches = found.matches.into_iter();
        Ok(wit::SearchResult {
            matches: matches
                .map(|found| wit::TextMatch {
                    path: found.path,
                    line: found.line,
                    column: found.column,
                    text: found.text,
                    before: found.before,
                    after: found.after,
                })
                .collect(),
            total: found.total,
            cut: found.cut,
            files_searched: found.files_searched,
            files_matched: found.files_matched,
            binary_files: found.binary_files,
            unsearched: found.unsearched,
            complete: found.complete,
        })
    }
}

impl From<Kind> for wit::EntryKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::File => Self::File,
            Kind::Directory => Self::Directory,
            Kind::Link => Self::Link,
            Kind::Other => Self::Other,
        }
    }
}

impl From<Failure> for wit::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Fault(Fault::NotFound(message)) => Self::NotFound(message),
            Failure::Fault(Fault::NotPermitted(message)) => Self::NotPermitted(message),
            Failure::Fault(Fault::NotAFile(message)) => Self::NotAFile(message),
            Failure::Fault(Fault::NotADirectory(message)) => Self::NotADirectory(message),
            Failure::Fault(Fault::NotText(message)) => Self::NotText(message),
            Failure::Fault(Fault::Io(message)) => Self::Io(message),
            Failure::InvalidPattern(message) => Self::InvalidPattern(message),
            Failure::InvalidRange(message) => Self::InvalidRange(message),
        }
    }
}

bindings::export!(Files with_types_in bindings);
