//! A component that tells what it finds in its environment.

/// In the text format. Its one tool is `variables`, which gives back the names and values that
/// `wasi:cli/environment` has.
pub const TELLER: &str = r#"(component
  (import "wasi:cli/environment@0.2.6" (instance $environment
    (export "get-environment" (func (result (list (tuple string string)))))))
  (core module $memory
    (memory (export "memory") 4)
    (global $free (mut i32) (i32.const 1024))
    (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
      (global.set $free (i32.add (local.get $at) (local.get $size)))
      (local.get $at)))
  (core instance $memory (instantiate $memory))
  (alias core export $memory "memory" (core memory $bytes))
  (alias core export $memory "cabi_realloc" (core func $realloc))
  (alias export $environment "get-environment" (func $all))
  (core func $get (canon lower (func $all) (memory $bytes) (realloc $realloc)))
  (core module $main
    (import "host" "get" (func $get (param i32)))
    (func (export "variables") (result i32) (call $get (i32.const 16)) (i32.const 16)))
  (core instance $main (instantiate $main (with "host" (instance (export "get" (func $get))))))
  (alias core export $main "variables" (core func $variables))
  (func (export "variables") (result (list (tuple string string)))
    (canon lift (core func $variables) (memory $bytes))))"#;
