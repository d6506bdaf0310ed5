;; The code of bodies.wit, by the canonical ABI.
(module
  (import "wasi:io/streams@0.2.6" "[method]output-stream.check-write" (func $check (param i32 i32)))
  (import "wasi:io/streams@0.2.6" "[method]output-stream.write" (func $write (param i32 i32 i32 i32)))
  (import "wasi:io/streams@0.2.6" "[resource-drop]output-stream" (func $drop_output (param i32)))
  (import "wasi:http/types@0.2.6" "[resource-drop]outgoing-body" (func $drop_body (param i32)))
  (import "wasi:http/types@0.2.6" "[constructor]fields" (func $fields (result i32)))
  (import "wasi:http/types@0.2.6" "[constructor]outgoing-request" (func $request (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.body" (func $request_body (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-path-with-query"
    (func $set_path (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-scheme"
    (func $set_scheme (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-authority"
    (func $set_authority (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-body.write" (func $body_write (param i32 i32)))
  (import "wasi:http/outgoing-handler@0.2.6" "handle" (func $handle (param i32 i32 i32 i32)))
  (memory (export "memory") 4)
  (data (i32.const 8) "/")
  ;; What the host allocates is read at once.
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 200000))
  (func (export "bodies") (param $times i32) (result i32) (local $got i32) (local $body i32) (local $stream i32)
    (block $enough
      (loop $again
        (br_if $enough (i32.eq (local.get $got) (local.get $times)))
        (call $request_body (call $request (call $fields)) (i32.const 64))
        (local.set $body (i32.load (i32.const 68)))
        (call $body_write (local.get $body) (i32.const 64))
        (local.set $stream (i32.load (i32.const 68)))
        ;; As much as it takes.
        (block $full
          (loop $more
            (call $check (local.get $stream) (i32.const 64))
            (br_if $full (i64.eqz (i64.load (i32.const 72))))
            (call $write (local.get $stream) (i32.const 1024) (i32.wrap_i64 (i64.load (i32.const 72))) (i32.const 64))
            (br $more)))
        (call $drop_output (local.get $stream))
        (call $drop_body (local.get $body))
        (local.set $got (i32.add (local.get $got) (i32.const 1)))
        (br $again)))
    (local.get $got))
  (func (export "replies") (param $host i32) (param $length i32) (param $times i32)
    (result i32) (local $got i32) (local $sent i32)
    (block $enough
      (loop $again
        (br_if $enough (i32.eq (local.get $got) (local.get $times)))
        (local.set $sent (call $request (call $fields)))
        (drop (call $set_scheme (local.get $sent) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
        (drop (call $set_authority (local.get $sent) (i32.const 1) (local.get $host) (local.get $length)))
        (drop (call $set_path (local.get $sent) (i32.const 1) (i32.const 8) (i32.const 1)))
        (call $handle (local.get $sent) (i32.const 0) (i32.const 0) (i32.const 64))
        (br_if $enough (i32.load8_u (i32.const 64)))
        (local.set $got (i32.add (local.get $got) (i32.const 1)))
        (br $again)))
    (local.get $got))
)
