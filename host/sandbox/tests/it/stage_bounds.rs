//! What a stage holds, and how long a change of it takes, is bounded.
