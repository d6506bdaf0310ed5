//! A folder to try the tools on.

use ringfence_guest_project::Root;
use std::fs;
use std::path::Path;

pub(crate) struct Ground(tempfile::TempDir);

impl Ground {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let ground = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            ground.put(path, text.as_bytes());
        }
        ground
    }

    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn root(&self) -> Root {
        Root::at(self.path())
    }
}
