//! The granted folders, with what is hidden in them, out of the three layers.
//!
//! Folders are named by whoever comes last. What hides things goes along: a folder that lies in one
//! that a file names is masked as that is. Only the user's own file and flags show what is hidden
//! by default.

use super::Flags;
use super::file::{ConfigFile, Dir};
use crate::args::DirSpec;
use ringfence_sandbox::{DirGrant, Grants};

/// The folders that were named by whoever comes last.
pub(super) fn granted(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> Vec<DirGrant> {
    let mut dirs = project.grants.dirs.as_deref().map(plain);
    let named_by_user = user.grants.dirs.as_deref().map(plain);
    let named_by_flags = (!flags.dirs.is_empty()).then(|| flags.dirs.iter().map(DirSpec::grant).collect());
    for named in [named_by_user, named_by_flags].into_iter().flatten() {
        dirs = Some(masked_as(named, &dirs.unwrap_or_default()));
    }
    let mut dirs = dirs.unwrap_or_else(|| Grants::whole_project().dirs);
    for dir in &mut dirs {
        dir.masks.patterns.extend(flags.masks.iter().cloned());
    }
    dirs
}

/// Folders, each with the masks of the one of `earlier` that holds it before its own.
fn masked_as(named: Vec<DirGrant>, earlier: &[DirGrant]) -> Vec<DirGrant> {
    let masked = |mut dir: DirGrant| {
        if let Some(holder) = deepest_around(earlier, &dir) {
            dir.masks.defaults &= holder.masks.defaults;
            dir.masks.patterns.splice(0..0, holder.masks.patterns.iter().cloned());
        }
        dir
    };
    named.into_iter().map(masked).collect()
}

/// What lies in a folder of both lists, hidden as the first says, and besides what the second adds.
pub(super) fn common(granted: &[DirGrant], named: &[DirGrant]) -> Vec<DirGrant> {
    let mut both: Vec<DirGrant> = Vec::new();
    for name in named {
        let within = granted.iter().filter(|dir| holds(name, dir) && dir.path != name.path);
        for dir in deepest_around(granted, name).into_iter().chain(within) {
            let path = if holds(dir, name) { &name.path } else { &dir.path };
            let known = both.iter().position(|known| known.path == *path).unwrap_or_else(|| {
                let access = dir.access.min(name.access);
                both.push(DirGrant { path: path.clone(), access, ..dir.clone() });
                both.len() - 1
            });
            let Some(known) = both.get_mut(known) else { continue };
            let added = name.masks.patterns.iter().filter(|mask| !known.masks.patterns.contains(mask));
            let added: Vec<_> = added.cloned().collect();
            known.masks.patterns.extend(added);
        }
    }
    both
}

/// What of the named is more than what is granted, in words.
pub(super) fn beyond(granted: &[DirGrant], named: &[DirGrant]) -> Option<String> {
    named.iter().find_map(|dir| match deepest_around(granted, dir) {
        None => Some(format!("names `{}`, which is outside the granted folders", dir.path)),
        Some(holder) if holder.access < dir.access => {
            Some(format!("wants to write in `{}`, which is granted for reading", dir.path))
        }
        Some(_) => None,
    })
}

/// What a folder says that shows hidden things, in words; none if it only hides.
pub(super) fn shows(dir: &DirGrant) -> Option<String> {
    if !dir.masks.defaults {
        return Some(format!("`default_masks = false` for `{}`", dir.path));
    }
    let shown = dir.masks.patterns.iter().find(|mask| mask.brings_back())?;
    Some(format!("the mask `{shown}` for `{}`", dir.path))
}

pub(super) fn plain(dirs: &[Dir]) -> Vec<DirGrant> {
    dirs.iter().map(|Dir(grant)| grant.clone()).collect()
}

/// Whether `outer` is the folder of `inner` or above it.
pub(super) fn holds(outer: &DirGrant, inner: &DirGrant) -> bool {
    inner.path.names().starts_with(outer.path.names())
}

fn deepest_around<'d>(dirs: &'d [DirGrant], inner: &DirGrant) -> Option<&'d DirGrant> {
    dirs.iter().filter(|dir| holds(dir, inner)).max_by_key(|dir| dir.path.names().len())
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::*;
    use ringfence_sandbox::MaskPattern;

    /// `src` or `src -defaults *.csv !.env`.
    fn written(dirs: &[DirGrant]) -> Vec<String> {
        let one = |dir: &DirGrant| {
            let defaults = if dir.masks.defaults { "" } else { " -defaults" };
            let masks: String = dir.masks.patterns.iter().map(|mask| format!(" {mask}")).collect();
            format!("{}{defaults}{masks}", dir.path)
        };
        dirs.iter().map(one).collect()
    }

    fn flags(dirs: &[&str], masks: &[&str]) -> Flags {
        Flags {
            dirs: dirs.iter().map(|dir| dir.parse().unwrap()).collect(),
            masks: masks.iter().map(|mask| MaskPattern::parse(mask).unwrap()).collect(),
            ..Flags::default()
        }
    }

    #[test]
    fn folders_are_named_by_flags_then_the_user_then_the_project_then_nobody() {
        let project = parse("grants.dirs = ['src', 'docs']").unwrap();
        let user = parse("grants.dirs = [{ path = 'src/./lib', access = 'read' }]").unwrap();
        let none = ConfigFile::default();
        let dirs = |project, user, flags: &Flags| written(&granted(project, user, flags));
        assert_eq!(dirs(&project, &user, &flags(&["tests"], &[])), ["tests"]);
        assert_eq!(dirs(&project, &user, &Flags::default()), ["src/lib"]);
        assert_eq!(dirs(&project, &none, &Flags::default()), ["src", "docs"]);
        assert_eq!(dirs(&none, &none, &Flags::default()), ["."]);
        assert_eq!(dirs(&parse("grants.dirs = []").unwrap(), &none, &Flags::default()), [""; 0]);
    }

    #[test]
    fn what_hides_things_in_a_folder_goes_along_with_the_folders_in_it() {
        let project =
            parse("grants.dirs = [{ path = '.', masks = ['*.csv'] }, { path = 'src', masks = ['*.bin'] }]")
                .unwrap();
        let user =
            parse("grants.dirs = [{ path = 'src/a', masks = ['!.env'], default_masks = false }, 'docs']")
                .unwrap();
        let none = ConfigFile::default();
        let dirs = |user, flags: &Flags| written(&granted(&project, user, flags));
        assert_eq!(dirs(&user, &flags(&[], &[])), ["src/a -defaults *.bin !.env", "docs *.csv"]);
        assert_eq!(dirs(&user, &flags(&["src/a/b", "lib"], &[])), ["src/a/b -defaults *.bin !.env", "lib"]);
        assert_eq!(
            dirs(&none, &flags(&["src/x", "lib"], &["!*.bin"])),
            ["src/x *.bin !*.bin", "lib *.csv !*.bin"]
        );
        assert_eq!(written(&granted(&none, &none, &flags(&[], &["/data"]))), [". /data"]);
    }

    #[test]
    fn a_tool_s_folders_are_hidden_as_the_granted_ones_and_more() {
        let of = |text: &str| plain(&parse(&format!("grants.dirs = {text}")).unwrap().grants.dirs.unwrap());
        let granted = of(
            "[{ path = '.', masks = ['*.csv'] }, { path = 'src', default_masks = false, masks = ['*.bin'] }]",
        );
        for (named, both) in [
            ("['src/a']", &["src/a -defaults *.bin"][..]),
            ("[{ path = 'lib', masks = ['x'] }]", &["lib *.csv x"]),
            ("[{ path = '.', masks = ['x'] }]", &[". *.csv x", "src -defaults *.bin x"]),
            ("['.', { path = 'src', masks = ['x'] }]", &[". *.csv", "src -defaults *.bin x"]),
            ("[]", &[]),
        ] {
            assert_eq!(written(&common(&granted, &of(named))), both, "{named}");
        }
    }

    #[test]
    fn a_mask_that_is_none_is_refused_by_name() {
        for (masks, named) in
            [("['[a']", "[a"), ("['../x']", "../x"), ("['']", "names nothing"), ("'x'", "sequence")]
        {
            let text = format!("grants.dirs = [{{ path = 'src', masks = {masks} }}]");
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(named), "{masks}: {error}");
        }
    }
}
