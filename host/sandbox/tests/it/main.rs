//! The sandbox's integration tests, in one binary because linking the runtime takes long.

mod built;
mod cache;
mod call;
mod chance;
mod compile;
mod fence_changes;
mod fence_content;
mod fence_files;
mod fence_grants;
mod fence_guest;
mod fence_links;
mod fence_log;
mod fence_masks;
mod fence_paths;
mod fence_quotas;
mod fence_race;
mod fence_special;
mod generated;
mod guests;
mod json;
mod json_passing;
mod limits;
mod network;
mod reflect;
mod reflect_hostile;
mod standard;
