#![forbid(unsafe_code)]
//! From a tool's source in any language to a component: finds the language and its toolchain, runs it,
//! and puts the WIT with its docs into what comes out.
