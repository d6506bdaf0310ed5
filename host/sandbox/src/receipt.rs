//! What a call did, and how it ended.

use crate::digest::Digest;
use crate::egress::{HostGrant, SecretName};
use crate::grant::{Access, GrantPath};
use crate::limit::Exceeded;
use crate::variable::VariableName;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::net::SocketAddr;

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", content = "detail", rename_all = "snake_case")]
pub enum Outcome {
    /// The tool returned a value (of `result<T, E>`: the `ok`).
    Done(Value),
    /// The tool returned `err`, with this as the error.
    Failed(Value),
    /// The guest crashed; what the runtime says of it.
    Trapped(String),
    /// The fence refused something and the guest then returned `err` (kept here) or crashed.
    Denied {
        /// The guest's own error; null where it crashed.
        error: Value,
        /// What was refused, oldest first; never empty.
        denials: Vec<Denial>,
        /// What the runtime says of the crash, where it crashed: the refusals need not be why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        crash: Option<String>,
    },
    /// A limit ended the call.
    Exceeded(Exceeded),
    /// The caller cancelled.
    Cancelled,
}

/// Something the fence refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denial {
    /// What was tried: `open`, `stat`, `list`, `request` …
    pub operation: String,
    /// What was asked for, as the guest spelled it, bounded in length.
    pub asked: String,
    /// Where that leads in the guest's tree, as far as it was resolved: no leading slash, `.` for
    /// the root; for a link that leaves its grant, the link. Of a request: the address that it would
    /// have gone to, or what is wrong with it.
    pub resolved: String,
    /// Why not.
    pub reason: DenialReason,
    /// The pattern that hides it, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// The flags that would have allowed it, as a person types them into a shell. Says nothing of
    /// whether a folder is there. None if no grant can, or for a path that starts with `/`.
    pub would_allow: Option<String>,
    /// What leaves it out whatever is granted, where something does: `its own [tools.NAME] dirs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_by: Option<String>,
}

/// Why the fence refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DenialReason {
    /// Outside every granted directory.
    NotGranted,
    /// Above the root of the guest's tree, or a path that starts with `/` in a call on a folder
    /// below it.
    LeavesRoot,
    /// A link that leads out of its grant.
    LinkLeaves,
    /// A FIFO, socket or device.
    SpecialFile,
    /// Hidden: by a pattern, or from every guest.
    Masked,
    /// A change where only reading is granted.
    ReadOnly,
    /// A change of a file that the run has not read whole.
    NotRead,
    /// A change of a file that isn't any more what the run has read.
    ChangedSinceRead,
    /// A change of a file that is staged already under another spelling of its name, where the file
    /// system takes both for one.
    OtherSpelling,
    /// A move from one grant into another.
    CrossesGrants,
    /// Removing, replacing or moving the granted folder or file itself, or a folder that holds it.
    GrantItself,
    /// Removing or moving a folder that something hidden lies in.
    HoldsHidden,
    /// Making or moving a link.
    NoLinks,
    /// A request to a host that isn't granted, a socket, or a name look-up.
    Network,
    /// A request to a granted host, outside the granted path.
    UrlPath,
    /// A request to a granted host, with a method that isn't granted.
    Method,
    /// A request whose host led to an address that isn't the internet's.
    Address,
    /// A request that is wrong in itself, or meddles with what the host sets.
    Malformed,
}

/// A directory as a call saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantedDir {
    /// Where it is, seen from the project folder.
    pub path: GrantPath,
    /// What may be done there.
    pub access: Access,
    /// The digest of the patterns that hide things there, in their order, built-in ones first.
    pub masks: Digest,
}

/// A file that the guest opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// Where it is in the guest's tree, without links and without the leading slash. A name that
    /// isn't UTF-8 is spelled as the guest sees it.
    pub path: String,
    /// Bytes handed to the guest.
    pub bytes_read: u64,
    /// What they were.
    #[serde(flatten)]
    pub content: Content,
}

/// How much of a file was read, and the hash of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "read", rename_all = "snake_case")]
pub enum Content {
    /// Not a byte.
    Nothing,
    /// All of it, in order; more than once only if it was the same each time.
    Whole {
        /// Of the file's bytes.
        hash: Digest,
    },
    /// Parts, or in another order.
    Ranges {
        /// Over one entry for each run of bytes that was read in a row, in the order of reading:
        /// its position and its length, 8 bytes each, the lowest first, and its 32 bytes of hash.
        hash: Digest,
    },
}

/// A request that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requested {
    /// Its method.
    pub method: String,
    /// Where to, bounded in length, without secrets.
    pub url: String,
    /// The names of the secrets that the host adds to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<SecretName>,
    /// The address that it was sent to; none if there was no connection.
    pub address: Option<SocketAddr>,
    /// What was answered; none if nothing was.
    pub status: Option<u16>,
    /// Bytes of its body that went.
    pub bytes_out: u64,
    /// Bytes of the reply's body that came.
    pub bytes_in: u64,
    /// From its beginning to the end of the reply, or of the call, in milliseconds.
    pub ms: u64,
}

/// A file or folder that a call left changed in the stage, compared with how it found it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Where it is in the guest's tree, as in [`Opened::path`].
    pub path: String,
    /// What became of it.
    #[serde(flatten)]
    pub change: WrittenChange,
    /// The hash of the file's content before the call; none where there was no file.
    pub before: Option<Digest>,
    /// The hash after it; none where there is no file.
    pub after: Option<Digest>,
    /// The file's size after the call.
    pub bytes: u64,
}

impl Written {
    /// The same with its paths changed.
    pub(crate) fn with_paths(self, change: impl Fn(&str) -> String) -> Self {
        let moved = match self.change {
            WrittenChange::Renamed { from } => WrittenChange::Renamed { from: change(&from) },
            same @ (WrittenChange::Created | WrittenChange::Modified | WrittenChange::Deleted) => same,
        };
        Self { path: change(&self.path), change: moved, ..self }
    }
}

/// What a call did to a file or folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum WrittenChange {
    /// It was not there.
    Created,
    /// It was there with another content or other times.
    Modified,
    /// It is gone.
    Deleted,
    /// It was moved here, over whatever was here before.
    Renamed {
        /// Where it was before.
        from: String,
    },
}

/// The record of one call; what a report cites.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The tool.
    pub tool: String,
    /// The component's digest.
    pub component: Digest,
    /// The digest of the grants.
    pub grants: Digest,
    /// The effective directories.
    pub dirs: Vec<GrantedDir>,
    /// The effective hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostGrant>,
    /// The variables of the environment that the tool could see: granted, set, and of a component
    /// that can ask for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<VariableName>,
    /// Every file opened, once, in the order of first opening, bounded.
    pub opened: Vec<Opened>,
    /// What the call left changed in the stage, in the order of the paths, bounded. Empty for a call
    /// whose changes were dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Written>,
    /// Every denial, equal ones once, in order, bounded.
    pub denials: Vec<Denial>,
    /// Every request that was made, in order, bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Requested>,
    /// Openings, changes, denials and requests that didn't fit into the bounded lists.
    pub omitted: u64,
    /// Whether the result was cut to `output_bytes`.
    pub truncated: bool,
    /// Bytes of the result as JSON, before any cut.
    pub output_bytes: u64,
    /// Bytes the guest wrote to standard output and standard error.
    pub stdio_bytes: u64,
    /// The most linear memory that the instance held, or that those which worked on files for it held
    /// together, in bytes.
    pub peak_memory_bytes: u64,
    /// Time on the processor, host calls and work on files included, in microseconds.
    pub cpu_us: u64,
    /// Instructions used, where a fuel budget was set.
    pub fuel: Option<u64>,
    /// From the call to its outcome, in microseconds.
    pub wall_us: u64,
    /// The limit that ended the call, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exceeded: Option<Exceeded>,
    /// The files that the host had the component work on, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_worked: Option<FilesWorked>,
    /// The earlier call that this is the answer of, where no guest ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Cached>,
}

/// How many files a component worked on one by one, by the host's doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesWorked {
    /// Those that it worked on in this call.
    pub worked: u64,
    /// Those of which it was known what it makes of them.
    pub remembered: u64,
}

/// Where an answer comes from that no guest was run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cached {
    /// When the call was made that gave it, in milliseconds since 1970.
    pub from_ms: u64,
}
