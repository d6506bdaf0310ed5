//! What a row of the table is, and how each becomes a test.

use crate::bench::{innocent_call_goes_on, no_thread_panicked};
use crate::guests::Guest;

/// What stops an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mechanism {
    /// A path is resolved to one place without links, and that place is judged.
    View,
    /// The kernel walks from the grant's handle with links forbidden.
    Walk,
    /// Names that are hidden, whatever the way to them.
    Masks,
    /// What may be done in a grant.
    Access,
    /// What changes lies apart from the project until a person applies it.
    Stage,
    /// Only a file that the run knows loses its content.
    Knowledge,
    /// Only files and folders are opened.
    Kinds,
    /// Time, memory, bytes, entries, handles.
    Limits,
    /// How much of a guest's text is kept.
    Cut,
    /// A new instance for every call.
    FreshInstance,
    /// No arguments, no variables but granted ones, made-up clocks.
    EmptyWorld,
    /// A crash ends the guest's instance alone.
    Trap,
    /// No request, socket or look-up leaves.
    ClosedNetwork,
    /// What the host adds to requests doesn't come back.
    Secrets,
    /// Components are checked before anything of them runs.
    Loading,
    /// Arguments are checked against the tool's types before anything runs.
    Arguments,
    /// Characters that act on a terminal are shown instead.
    PlainText,
    /// What a project says of itself counts once a person has confirmed it, and only narrows.
    Trust,
    /// What the user keeps is out of reach of tools and of others.
    StateFolder,
}

impl Mechanism {
    /// Name and explanation.
    pub(crate) fn about(self) -> (&'static str, &'static str) {
        match self {
            Self::View => (
                "view",
                "every path is resolved by the host, name by name, to one place inside a granted folder; no other place has a name",
            ),
            Self::Walk => (
                "walk",
                "the kernel walks from the granted folder's own handle and follows no link, so that nothing swapped in meanwhile is met",
            ),
            Self::Masks => (
                "masks",
                "names of keys, credentials and history are hidden by every way that leads to them; so is `.ringfence`",
            ),
            Self::Access => ("access", "a grant says what may be done; a grant for reading changes nothing"),
            Self::Stage => (
                "stage",
                "what a call changes lies in the run's own stage; a person applies all of it or nothing, to what the run has seen and through no link",
            ),
            Self::Knowledge => (
                "knowledge",
                "a file loses its content only if this run has read it whole and it still is what was read",
            ),
            Self::Kinds => ("kinds", "only files and folders are opened, never a pipe, socket or device"),
            Self::Limits => {
                ("limits", "every call has bounds of its own; beyond one it is ended, and the bound is named")
            }
            Self::Cut => {
                ("cut", "of what a tool says a bounded part is kept, with a mark of what was left out")
            }
            Self::FreshInstance => {
                ("fresh instance", "every call gets an instance of its own, thrown away after it")
            }
            Self::EmptyWorld => (
                "empty world",
                "there are no arguments, and of variables only those that the user grants; clocks and chance are made up unless granted",
            ),
            Self::Trap => ("trap", "a crash is the end of the tool's instance and of nothing else"),
            Self::ClosedNetwork => (
                "closed network",
                "no request goes to a host that isn't granted; sockets and name look-ups are closed",
            ),
            Self::Secrets => (
                "secrets",
                "the host adds a secret on the way out, and takes it out of what comes back, however it is written",
            ),
            Self::Loading => ("loading", "a component is checked, and bounded, before anything of it runs"),
            Self::Arguments => {
                ("arguments", "what a tool is given is checked against its types before anything runs")
            }
            Self::PlainText => ("plain text", "characters that act on a terminal are shown instead of done"),
            Self::Trust => (
                "trust",
                "what a project says of itself counts once a person has confirmed exactly that, and can't give itself more",
            ),
            Self::StateFolder => {
                ("state folder", "runs and confirmations lie where only the user gets to, and no tool")
            }
        }
    }

    /// All of them, in the order of the page.
    pub(crate) const ALL: [Self; 19] = [
        Self::View,
        Self::Walk,
        Self::Masks,
        Self::Access,
        Self::Stage,
        Self::Knowledge,
        Self::Kinds,
        Self::Limits,
        Self::Cut,
        Self::FreshInstance,
        Self::EmptyWorld,
        Self::Trap,
        Self::ClosedNetwork,
        Self::Secrets,
        Self::Loading,
        Self::Arguments,
        Self::PlainText,
        Self::Trust,
        Self::StateFolder,
    ];
}

/// Who carries an attack out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// The hostile component in each of its languages.
    EveryLanguage,
    /// The ones that are compiled.
    RustAndC,
    /// The one in Python: its library alone knows how.
    Python,
    /// The hostile component in Rust, on file systems that don't tell case apart.
    Caseless,
    /// A component made in the test.
    Made,
    /// The library, on a hostile project.
    Library,
    /// The real binary on a hostile project.
    Binary,
}

impl By {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::EveryLanguage => "Rust, C, Python",
            Self::RustAndC => "Rust, C",
            Self::Python => "Python",
            Self::Caseless => "Rust, on exFAT and NTFS",
            Self::Made => "a component made for it",
            Self::Library => "the library",
            Self::Binary => "the real binary",
        }
    }
}

/// One attack.
pub(crate) struct Row {
    pub(crate) attack: &'static str,
    pub(crate) stopped_by: Mechanism,
    /// What the caller gets to see.
    pub(crate) seen: &'static str,
    pub(crate) by: By,
    /// The test's name.
    pub(crate) test: &'static str,
}

/// Declares rows and makes a test of each: `"attack", Mechanism, "what is seen" => By test;`. A row's
/// function takes the guest where it is tried in languages, and nothing otherwise.
macro_rules! threats {
    ($($attack:literal, $stopped_by:ident, $seen:literal => $by:ident $test:ident;)+) => {
        pub(crate) const ROWS: &[$crate::threat::Row] = &[$($crate::threat::Row {
            attack: $attack,
            stopped_by: $crate::threat::Mechanism::$stopped_by,
            seen: $seen,
            by: $crate::threat::By::$by,
            test: concat!(module_path!(), "::rows::", stringify!($test)),
        }),+];

        mod rows {
            $($crate::threat::threats!(@ $by $test);)+
        }
    };
    (@ EveryLanguage $test:ident) => { $crate::threat::threats!(@ in ["rust", "c", "python"] $test); };
    (@ RustAndC $test:ident) => { $crate::threat::threats!(@ in ["rust", "c"] $test); };
    (@ Python $test:ident) => { $crate::threat::threats!(@ in ["python"] $test); };
    (@ Caseless $test:ident) => {
        #[test]
        #[ignore = "needs root, FUSE, exfat-fuse, exfatprogs and ntfs-3g, and Rust's toolchain: see tests/fence/guests/build.sh"]
        fn $test() {
            $crate::threat::in_languages(&["rust"], super::$test);
        }
    };
    (@ in $languages:tt $test:ident) => {
        #[test]
        #[ignore = "needs toolchains: see tests/fence/guests/build.sh"]
        fn $test() {
            $crate::threat::in_languages(&$languages, super::$test);
        }
    };
    (@ $by:ident $test:ident) => {
        #[test]
        fn $test() {
            $crate::threat::alone(super::$test);
        }
    };
}
pub(crate) use threats;

/// Carries an attack out in these languages; the host and an innocent neighbour go on after each.
pub(crate) fn in_languages(languages: &[&'static str], attack: fn(&Guest)) {
    for language in languages {
        let guest = Guest::of(language);
        attack(guest);
        guest.goes_on();
    }
    innocent_call_goes_on();
    no_thread_panicked();
}

/// Carries an attack out that needs no language.
pub(crate) fn alone(attack: fn()) {
    attack();
    innocent_call_goes_on();
    no_thread_panicked();
}
