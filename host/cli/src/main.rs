//! The binary: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ringfence::commands::main(std::env::args_os())
}
