#![forbid(unsafe_code)]
//! Components of others: fetched from files, hosts and OCI registries, verified, published.
