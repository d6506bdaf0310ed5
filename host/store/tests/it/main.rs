//! The store as its users see it.

mod agreement;
mod answers;
mod damage;
mod disk;
mod driven;
mod durability;
mod fixtures;
mod forks;
mod full_disk;
mod heartbeats;
mod journal;
mod leases;
mod listing;
mod sample;
mod torn;
