//! Moving files and folders within a grant, in the stage. A folder is moved with all that is in
//! it, one by one: there is nothing in a stage that stands for a whole tree.

use super::View;
use super::beneath::Handle;
use super::escape::from_os;
use super::halt::Halt;
use super::merged::{Met, There};
use super::open::{Manner, Open};
use super::place::Place;
use super::policy::{Want, is_state_folder};
use super::refused::Refused;
use super::resolve::Links;
use crate::mask::folded;
use crate::receipt::DenialReason;
use rustix::fs::{Dir, FileType};
use std::collections::BTreeSet;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

impl View {
    /// Renames one place to another; both may be changed. `to_folder`: only a folder can get the
    /// name.
    pub(super) fn rename(&mut self, source: &Met, target: &Met, to_folder: bool) -> Result<(), Halt> {
        let grant_of = |place: &Place| self.tree.holder(place).map(|granted| granted.place.clone());
        if grant_of(&source.place) != grant_of(&target.place) {
            return Err(Refused::denied(DenialReason::CrossesGrants, &target.place).into());
        }
        for end in [&source.place, &target.place] {
            self.may_replace(end)?;
        }
        if source.place == target.place {
            return Ok(());
        }
        // Where names differ in case alone, the file system may have one file for both.
        if matches!(target.there, There::Project(_))
            && folded(source.place.as_str()) == folded(target.place.as_str())
        {
            return Err(ErrorCode::Exist.into());
        }
        let is_link = |met: &Met| match &met.there {
            There::Project(pinned) => pinned.kind() == Some(FileType::Symlink),
            There::Bare | There::Absent | There::StagedFolder | There::StagedFile => false,
        };
        if let Some(link) = [source, target].into_iter().find(|met| is_link(met)) {
            return Err(Refused::denied(DenialReason::NoLinks, &link.place).into());
        }
        match (source.is_folder(), target.is_folder(), &target.there) {
            (true, _, _) if target.place.below(&source.place).is_some() => Err(ErrorCode::Invalid.into()),
            (true, _, There::Absent) => self.move_folder(&source.place, &target.place),
            (true, true, _) => {
                self.plan(&source.place, &target.place)?;
                self.remove_met_folder(target)?;
                self.move_folder(&source.place, &target.place)
            }
            (true, false, _) => Err(ErrorCode::NotDirectory.into()),
            (false, true, _) => Err(ErrorCode::IsDirectory.into()),
            (false, false, There::Absent) if to_folder => Err(ErrorCode::NotDirectory.into()),
            (false, false, There::Absent) => self.move_file(source, &target.place),
            (false, false, _) => {
                self.take_file(target, true)?;
                self.move_file(source, &target.place)
            }
        }
    }

    fn move_file(&mut self, source: &Met, to: &Place) -> Result<(), Halt> {
        self.take_file(source, false)?;
        // If it was read where it was, it needn't be read again where it comes to.
        let read_now = self.log.whole_read(&source.place);
        let quota = self.quotas.writes.clone();
        let Some(layer) = &mut self.layer else { return Err(ErrorCode::Unsupported.into()) };
        // Not known is no reason not to move it.
        let _ = layer.permit(source.place.as_str(), read_now);
        layer.rename_file(source.place.as_str(), to.as_str(), &quota)
    }

    fn move_folder(&mut self, from: &Place, to: &Place) -> Result<(), Halt> {
        let all = self.plan(from, to)?;
        for (place, target) in &all {
            let met = self.at(place)?;
            if met.is_folder() {
                let quota = self.quotas.writes.clone();
                if let There::Project(pinned) = &met.there {
                    self.note(pinned)?;
                    // Noted is gone; what is in it has to be seen until it's moved.
                    if let Some(layer) = &mut self.layer {
                        layer.make_folder(place.as_str(), &quota)?;
                    }
                }
                if let Some(layer) = &mut self.layer {
                    layer.make_folder(target.as_str(), &quota)?;
                }
            } else {
                self.move_file(&met, target)?;
            }
        }
        // What is left are the folders, the inner ones last.
        for (place, _) in all.iter().rev() {
            if let Some(layer) = &mut self.layer {
                layer.remove(place.as_str());
            }
        }
        Ok(())
    }

    /// All that is to be moved with a folder, outer ones first, and where to. Nothing is moved if
    /// any of it can't be.
    fn plan(&mut self, from: &Place, to: &Place) -> Result<Vec<(Place, Place)>, Halt> {
        let mut all = vec![(from.clone(), to.clone())];
        let mut next = 0;
        while let Some((place, target)) = all.get(next).cloned() {
            self.quotas.writes.go_on()?;
            next += 1;
            let met = self.at(&place)?;
            if let There::Project(pinned) = &met.there {
                match pinned.kind() {
                    Some(FileType::Directory | FileType::RegularFile) => {}
                    Some(FileType::Symlink) => {
                        return Err(Refused::denied(DenialReason::NoLinks, &place).into());
                    }
                    Some(_) | None => return Err(Refused::denied(DenialReason::SpecialFile, &place).into()),
                }
            }
            if !met.is_folder() {
                continue;
            }
            for name in self.entries_of(&place)? {
                let (mut inner, mut inner_target) = (place.clone(), target.clone());
                inner.push(&name)?;
                inner_target.push(&name)?;
                self.may_change(&inner_target)?;
                all.push((inner, inner_target));
            }
        }
        Ok(all)
    }

    /// The names in a folder with the stage over it. Refused if something in it is hidden, since
    /// whoever asks is about to take it all away.
    pub(super) fn entries_of(&mut self, folder: &Place) -> Result<BTreeSet<String>, Halt> {
        let mut names = BTreeSet::new();
        let Some(layer) = &self.layer else { return Err(ErrorCode::Unsupported.into()) };
        let staged = layer.names(folder.as_str());
        if !layer.hides_project(folder.as_str())
            && let Some(handle) = self.project_folder(folder)?
        {
            let mut read = 0;
            for entry in Dir::read_from(&handle)? {
                self.quotas.writes.go_on()?;
                let entry = entry?;
                let name = from_os(entry.file_name().to_bytes());
                if matches!(&*name, "." | "..") {
                    continue;
                }
                read += 1;
                if read > self.quotas.entries_left() {
                    break;
                }
                let mut place = folder.clone();
                place.push(&name)?;
                if is_state_folder(place.as_str()) || self.tree.masks(folder).hides_entry(place.as_str()) {
                    return Err(Refused::denied(DenialReason::HoldsHidden, folder).into());
                }
                names.insert(name.into_owned());
            }
            self.quotas.entries(read)?;
        }
        for (name, kind) in staged {
            let mut place = folder.clone();
            place.push(&name)?;
            // Staged under other masks than this call's.
            if kind.is_some() && self.tree.masks(folder).hides_entry(place.as_str()) {
                return Err(Refused::denied(DenialReason::HoldsHidden, folder).into());
            }
            match kind {
                Some(_) => names.insert(name),
                None => names.remove(&name),
            };
        }
        Ok(names)
    }

    /// The project's folder at a place, open for listing; none if there is none.
    pub(super) fn project_folder(&self, place: &Place) -> Result<Option<Handle>, Refused> {
        let Some(layer) = &self.layer else { return Ok(None) };
        let merged = super::merged::Merged { tree: &self.tree, layer };
        let There::Project(pinned) = merged.in_project(place)? else { return Ok(None) };
        if pinned.kind() != Some(FileType::Directory) {
            return Ok(None);
        }
        match self.tree.open_pinned(&pinned, Manner { links: Links::Keep, want: Want::Look, folder: true })? {
            Open::Folder(_, handle) => Ok(Some(handle)),
            Open::Bare(_) | Open::File(..) => Ok(None),
        }
    }
}
