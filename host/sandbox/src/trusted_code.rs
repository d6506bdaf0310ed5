//! Compiled code that may be run, because this program made it.
//!
//! Owns: the one unsafe step of the crate, loading compiled code. A value of [`TrustedCode`] can
//! only come from compiling or from a file of the cache that was found unchanged.

use std::fs::File;
use std::os::fd::AsRawFd;
use wasmtime::Engine;
use wasmtime::component::Component;

/// Threads that one component is compiled on.
const MOST_THREADS: usize = 8;

/// The output of this program's own compiler.
pub(crate) struct TrustedCode(Origin);

enum Origin {
    JustCompiled(Vec<u8>),
    Unchanged(File),
}

impl TrustedCode {
    /// Compiles a component. Can take seconds, or minutes where somebody means harm: it has threads
    /// of its own, since the compiler can't be interrupted, and in threads shared by all a slow
    /// component would keep every other one waiting.
    pub(crate) fn compile(engine: &Engine, component: &[u8]) -> wasmtime::Result<Self> {
        let work = || engine.precompile_component(component);
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let own = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|_| "ringfence-compile".to_owned());
        // Without them it still compiles, beside whoever else does.
        let code = own.build().map_or_else(|_| work(), |own| own.install(work));
        code.map(|code| Self(Origin::JustCompiled(code)))
    }

    /// A file that the cache wrote, in a folder and with permissions that let nobody else write
    /// to it, and whose hash was just found to be the one it was written with.
    pub(crate) fn unchanged(file: File) -> Self {
        Self(Origin::Unchanged(file))
    }

    /// The code, where it was compiled just now.
    pub(crate) fn just_compiled(&self) -> Option<&[u8]> {
        match &self.0 {
            Origin::JustCompiled(code) => Some(code),
            Origin::Unchanged(_) => None,
        }
    }

    /// Loads it. A file is mapped, not copied. Fails where the engine has other settings than the
    /// compiling one, or no room for such a component.
    #[allow(unsafe_code)]
    pub(crate) fn load(&self, engine: &Engine) -> wasmtime::Result<Component> {
        // SAFETY: wasmtime asks for unchanged output of its own compiler, and for a mapped file to
        // stay unchanged. `JustCompiled` is that output. `Unchanged` is a file whose hash over name
        // and content was compared with the one this program put behind the compiler's output; only
        // this user can write to it or to its folder, and this program never writes to such a file
        // again, it replaces it whole. It is opened by its descriptor: the very file that was
        // checked. The settings it was compiled with are checked by wasmtime itself.
        unsafe {
            match &self.0 {
                Origin::JustCompiled(code) => Component::deserialize(engine, code),
                Origin::Unchanged(file) => {
                    Component::deserialize_file(engine, format!("/proc/self/fd/{}", file.as_raw_fd()))
                }
            }
        }
    }
}
