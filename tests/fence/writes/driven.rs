//! A run of the real binary whose model makes the calls of a list, on a project of which `src` may
//! be changed.

use crate::bench::{lay_out, product};
use crate::standing::Standing;
use ringfence_tests::messages_api::{MessagesApi, calling};
use ringfence_tests::product::{Ended, Product};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Child;

/// The project, and the binary's home around it.
pub(crate) struct Driven {
    product: Product,
    before: Standing,
}

impl Driven {
    pub(crate) fn new() -> Self {
        Self::on(|_| ())
    }

    /// With more in the project than the usual.
    pub(crate) fn on(more: impl FnOnce(&Path)) -> Self {
        let product = product();
        let project = product.home().join("project");
        lay_out(&project);
        more(&project);
        let before = Standing::of(&project);
        Self { product, before }
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.product.home().join("project").join(path)
    }

    /// Where the binary keeps runs.
    pub(crate) fn state(&self) -> PathBuf {
        self.product.home().join(".local/state/ringfence")
    }

    pub(crate) fn product(&self) -> &Product {
        &self.product
    }

    /// Nothing in the project has changed since it was laid out.
    pub(crate) fn is_untouched(&self) -> bool {
        self.content() == self.before
    }

    pub(crate) fn content(&self) -> Standing {
        Standing::of(&self.at(""))
    }

    fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["run", "project", "change it", "--dir", "src:write"], more].concat()
    }

    /// Runs these calls to the end.
    pub(crate) fn run(&self, calls: &[(&str, Value)], more: &[&str]) -> Ended {
        let server = MessagesApi::start(calling(calls));
        self.product.run(&Self::arguments(more), &server.env())
    }

    /// Begins a run with a model of its own, and approves all.
    pub(crate) fn start(&self, server: &MessagesApi, more: &[&str]) -> Child {
        self.product.start(&Self::arguments(&[&["--yes"], more].concat()), &server.env())
    }

    /// The newest run's id.
    pub(crate) fn id(&self) -> String {
        let runs: Value = serde_json::from_str(&self.product.run(&["runs", "--json"], &[]).stdout).unwrap();
        runs[0]["id"].as_str().unwrap_or_else(|| panic!("no run in {runs}")).to_owned()
    }

    /// A command about the newest run.
    pub(crate) fn command(&self, name: &str, more: &[&str]) -> Ended {
        self.product.run(&[&[name, &*self.id()], more].concat(), &[])
    }
}
