//! What the engine wished for at a step, in the engine's own type. Owns the name alone: the store
//! writes it, reads it back, and never looks inside.

/// A wish that is recorded before it is begun; whether it was carried out, later events say.
pub use ringfence_engine::Intent;
