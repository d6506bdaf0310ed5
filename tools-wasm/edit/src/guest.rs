//! The component's export: the interface's types to this crate's and back.

#[allow(missing_docs, unreachable_pub)]
mod bindings {
    wit_bindgen::generate!({ world: "edit-tool", path: "../../wit/edit.wit" });
}

use crate::{EditRequest, Failure, WriteRequest};
use bindings::exports::ringfence::tools::edit as wit;
use ringfence_guest_project::{Fault, Root};

struct Edit;

impl wit::Guest for Edit {
    fn write_file(
        file_path: String,
        content: String,
        create_folders: Option<bool>,
    ) -> Result<wit::Written, wit::Error> {
        let create_folders = create_folders.unwrap_or(false);
        let request = WriteRequest { file_path: &file_path, content: &content, create_folders };
        let written = crate::write_file(&Root::guest(), &request)?;
        Ok(wit::Written {
            path: written.path,
            created: written.created,
            size: written.size,
            lines: written.lines,
        })
    }

    fn edit_file(
        file_path: String,
        old: Option<String>,
        new: Option<String>,
        occurrence: Option<u32>,
        all: Option<bool>,
        patch: Option<String>,
    ) -> Result<wit::Edited, wit::Error> {
        let request = EditRequest {
            file_path: &file_path,
            old: old.as_deref(),
            new: new.as_deref(),
            occurrence,
            all: all.unwrap_or(false),
            patch: patch.as_deref(),
        };
        let edited = crate::edit_file(&Root::guest(), &request)?;
        Ok(wit::Edited {
            path: edited.path,
            size: edited.size,
            places: edited.places,
            lines_added: edited.lines_added,
            lines_removed: edited.lines_removed,
            diff: edited.diff,
            diff_cut: edited.diff_cut,
        })
    }
}

impl From<Failure> for wit::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Fault(Fault::NotFound(message)) => Self::NotFound(message),
            Failure::Fault(Fault::NotPermitted(message)) => Self::NotPermitted(message),
            Failure::Fault(Fault::NotAFile(message) | Fault::NotADirectory(message)) => {
                Self::NotAFile(message)
            }
            Failure::Fault(Fault::NotText(message)) => Self::NotText(message),
            Failure::Fault(Fault::Io(message)) => Self::Io(message),
            Failure::NoMatch(message) => Self::NoMatch(message),
            Failure::Ambiguous(message) => Self::Ambiguous(message),
            Failure::InvalidEdit(message) => Self::InvalidEdit(message),
            Failure::TooLarge(message) => Self::TooLarge(message),
        }
    }
}

bindings::export!(Edit with_types_in bindings);
