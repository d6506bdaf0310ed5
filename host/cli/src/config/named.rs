//! What a tool's sections, or a role, name of their own: no flag reaches beyond it.
//!
//! Owns: whether what was refused lies in it. Doesn't own: what a call is given (`tools`, `roles`).

use super::dirs::{common, holds};
use ringfence_sandbox::{
    Access, Denial, DenialReason, DirGrant, GrantPath, HostGrant, HostUrl, common_hosts, without_user,
};
use serde::{Deserialize, Serialize};

/// Folders and hosts that are named; none where nothing is said of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The folders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirs: Option<Vec<DirGrant>>,
    /// The hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Vec<HostGrant>>,
}

impl Named {
    /// Whether nothing is said.
    pub fn is_nothing(&self) -> bool {
        self.dirs.is_none() && self.hosts.is_none()
    }

    /// What both name.
    pub(super) fn and(&self, other: Self) -> Self {
        let dirs = match (&self.dirs, other.dirs) {
            (Some(one), Some(other)) => Some(common(one, &other)),
            (one, other) => other.or_else(|| one.clone()),
        };
        let hosts = match (&self.hosts, other.hosts) {
            (Some(one), Some(other)) => Some(common_hosts(one, &other)),
            (one, other) => other.or_else(|| one.clone()),
        };
        Self { dirs, hosts }
    }

    /// Whether a place could be given, with this access.
    pub fn reaches(&self, place: &GrantPath, access: Access) -> bool {
        let wanted = DirGrant { access, ..DirGrant::read(place.clone()) };
        let given = |dir: &DirGrant| holds(dir, &wanted) && dir.access >= access;
        self.dirs.as_ref().is_none_or(|dirs| dirs.iter().any(given))
    }

    /// Whether a request could be made if this host were granted.
    pub fn reaches_host(&self, method: &str, url: &str, granted: &HostGrant) -> bool {
        let Some(named) = &self.hosts else { return true };
        let Ok(asked) = HostUrl::parse(url.split(['?', '#']).next().unwrap_or(url)) else { return false };
        common_hosts(std::slice::from_ref(granted), named).iter().any(|given| {
            asked.lies_in(given.url())
                && given.has_method(method)
                && (given.is_private() || !granted.is_private())
        })
    }

    /// Whether a pattern for a place is said here, and not with what is granted.
    fn hides(&self, place: &GrantPath, mask: &str, granted: &[DirGrant]) -> bool {
        let wanted = DirGrant::read(place.clone());
        let says = |dirs: &[DirGrant]| {
            let masks = dirs.iter().filter(|dir| holds(dir, &wanted)).flat_map(|dir| &dir.masks.patterns);
            masks.into_iter().any(|known| known.as_str() == mask)
        };
        self.dirs.as_ref().is_some_and(|dirs| says(dirs)) && !says(granted)
    }

    /// `dirs` or `hosts`, where that is what leaves out what was refused: the grant that it would
    /// take can't reach.
    pub fn leaving_out(&self, denial: &Denial, granted: &[DirGrant]) -> Option<&'static str> {
        let would_allow = denial.would_allow.as_deref()?;
        match denial.reason {
            DenialReason::NotGranted | DenialReason::ReadOnly | DenialReason::Masked => {
                let place = GrantPath::parse(&denial.resolved).ok()?;
                let access = if would_allow.contains(":write") { Access::Write } else { Access::Read };
                let is_short = would_allow.starts_with("--dir ") && !self.reaches(&place, access);
                let hides = || denial.mask.as_deref().is_some_and(|mask| self.hides(&place, mask, granted));
                (is_short || hides()).then_some("dirs")
            }
            DenialReason::Network | DenialReason::UrlPath | DenialReason::Method | DenialReason::Address => {
                let missing = crate::args::host_in_flag(would_allow)?;
                let (method, url) = denial.asked.split_once(' ')?;
                (!self.reaches_host(method, &without_user(url), &missing)).then_some("hosts")
            }
            DenialReason::LeavesRoot
            | DenialReason::LinkLeaves
            | DenialReason::SpecialFile
            | DenialReason::NotRead
            | DenialReason::ChangedSinceRead
            | DenialReason::OtherSpelling
            | DenialReason::CrossesGrants
            | DenialReason::GrantItself
            | DenialReason::HoldsHidden
            | DenialReason::NoLinks
            | DenialReason::Malformed => None,
        }
    }
}
