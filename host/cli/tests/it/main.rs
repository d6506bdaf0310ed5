//! The binary as a person meets it.

mod analyze;
mod bring;
mod compile;
mod config;
mod docs;
mod doctor;
mod egress;
mod help;
mod hints;
mod json;
mod policy;
mod program;
mod recall;
mod renamed;
mod show;
mod state;
mod tested;
mod tool;
mod tool_build;
mod tool_new;
mod trust;
mod worked_files;
