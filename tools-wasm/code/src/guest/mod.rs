//! The component's exports: the interface's types to this crate's and back, one file for each tool.

mod analyze;
mod fan_out;
mod map;
mod problems;
mod stack;

#[allow(missing_docs, unreachable_pub)]
mod bindings {
    wit_bindgen::generate!({ world: "code-tool", path: "../../wit/code.wit" });
}

/// What is imported apart from what the standard library needs, and the work that the host asks for.
#[allow(missing_docs, unreachable_pub, dead_code)]
mod needs {
    wit_bindgen::generate!({
        world: "ringfence:needs/needs",
        path: ["../../wit/host.wit", "wit"],
        generate_all,
    });
}

use crate::Failure;
use bindings::exports::ringfence::tools::code as wit;
use ringfence_guest_project::{Fault, Root};

struct Code;

impl wit::Guest for Code {
    fn analyze_code(file_path: String) -> Result<wit::Analysis, wit::Error> {
        Ok(crate::analyze_code(&Root::guest(), &file_path)?.into())
    }

    fn map_code(
        directory: Option<String>,
        skip: Option<u32>,
        max_modules: Option<u32>,
    ) -> Result<wit::CodeMap, wit::Error> {
        map::map_code(directory, skip, max_modules)
    }

    fn find_problems(
        directory: Option<String>,
        rules: Option<String>,
        skip: Option<u32>,
        max_problems: Option<u32>,
    ) -> Result<wit::Problems, wit::Error> {
        let request = crate::ProblemsRequest {
            directory: directory.as_deref(),
            rules: rules.as_deref(),
            skip,
            max_problems,
        };
        problems::find_problems(&request)
    }

    fn detect_stack(directory: Option<String>, skip: Option<u32>) -> Result<wit::Stack, wit::Error> {
        stack::detect_stack(directory, skip)
    }
}

impl From<Fault> for wit::Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotFound(message) => Self::NotFound(message),
            Fault::NotPermitted(message) => Self::NotPermitted(message),
            // A file below a file is no more there than any other that isn't.
            Fault::NotADirectory(message) => Self::NotFound(message),
            Fault::NotAFile(message) => Self::NotAFile(message),
            Fault::NotText(message) => Self::NotText(message),
            Fault::Io(message) => Self::Io(message),
        }
    }
}

/// Why a folder can't be looked at.
fn fault(fault: Fault) -> wit::Error {
    match fault {
        Fault::NotADirectory(message) => wit::Error::NotADirectory(message),
        other => Failure::Fault(other).into(),
    }
}

impl From<Failure> for wit::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Fault(fault) => fault.into(),
            Failure::UnknownLanguage(message) => Self::UnknownLanguage(message),
            Failure::TooLarge(message) => Self::TooLarge(message),
        }
    }
}

bindings::export!(Code with_types_in bindings);
needs::export!(Code with_types_in needs);
