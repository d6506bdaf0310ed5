//! The store as its users see it.

mod agreement;
mod damage;
mod durability;
mod fixtures;
mod journal;
mod leases;
mod listing;
mod sample;
