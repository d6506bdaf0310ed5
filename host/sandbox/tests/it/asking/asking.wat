;; The code of asking.wit, by the canonical ABI.
(module
  (import "wasi:io/poll@0.2.6" "[method]pollable.block" (func $block (param i32)))
  (import "wasi:io/poll@0.2.6" "[resource-drop]pollable" (func $drop_pollable (param i32)))
  (import "wasi:io/streams@0.2.6" "[method]input-stream.blocking-read" (func $read (param i32 i64 i32)))
  (import "wasi:io/streams@0.2.6" "[method]output-stream.blocking-write-and-flush"
    (func $write (param i32 i32 i32 i32)))
  (import "wasi:io/streams@0.2.6" "[resource-drop]output-stream" (func $drop_output (param i32)))
  (import "wasi:io/streams@0.2.6" "[resource-drop]input-stream" (func $drop_input (param i32)))
  (import "wasi:http/types@0.2.6" "[resource-drop]incoming-body" (func $drop_body (param i32)))
  (import "wasi:http/types@0.2.6" "http-error-code" (func $error_code (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[constructor]fields" (func $fields (result i32)))
  (import "wasi:http/types@0.2.6" "[method]fields.append" (func $append (param i32 i32 i32 i32 i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]fields.entries" (func $entries (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[constructor]outgoing-request" (func $request (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.body" (func $request_body (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-method"
    (func $set_method (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-path-with-query"
    (func $set_path (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-scheme"
    (func $set_scheme (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-request.set-authority"
    (func $set_authority (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]outgoing-body.write" (func $body_write (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[static]outgoing-body.finish" (func $body_finish (param i32 i32 i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]incoming-response.status" (func $status (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]incoming-response.headers" (func $headers (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]incoming-response.consume" (func $consume (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]incoming-body.stream" (func $body_stream (param i32 i32)))
  (import "wasi:http/types@0.2.6" "[method]future-incoming-response.subscribe"
    (func $subscribe (param i32) (result i32)))
  (import "wasi:http/types@0.2.6" "[method]future-incoming-response.get" (func $get (param i32 i32)))
  (import "wasi:http/outgoing-handler@0.2.6" "handle" (func $handle (param i32 i32 i32 i32)))

  (memory (export "memory") 2)
  (global $count (mut i32) (i32.const 0))
  (global $free (mut i32) (i32.const 65536))
  ;; Where the answer is put together: a result<answer, u8>.
  (global $answer i32 (i32.const 256))
  ;; Where host calls leave what they return.
  (global $back i32 (i32.const 64))

  (func (export "cabi_realloc") (param i32 i32) (param $align i32) (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and
      (i32.add (global.get $free) (i32.sub (local.get $align) (i32.const 1)))
      (i32.sub (i32.const 0) (local.get $align))))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (block $enough
      (loop $grow
        (br_if $enough (i32.le_u (global.get $free) (i32.shl (memory.size) (i32.const 16))))
        (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
        (br $grow)))
    (local.get $at))

  (func $failed (param $code i32) (result i32)
    (i32.store8 (global.get $answer) (i32.const 1))
    (i32.store8 (i32.add (global.get $answer) (i32.const 4)) (local.get $code))
    (global.get $answer))

  (func $back_tag (result i32) (i32.load8_u (global.get $back)))
  (func $back_at (param $at i32) (result i32) (i32.load (i32.add (global.get $back) (local.get $at))))
  (func $back_byte (param $at i32) (result i32) (i32.load8_u (i32.add (global.get $back) (local.get $at))))

  (func $ask (export "ask")
    (param $method i32) (param $method_len i32) (param $scheme i32) (param $scheme_len i32)
    (param $host i32) (param $host_len i32) (param $path i32) (param $path_len i32)
    (param $list i32) (param $list_len i32) (param $body i32) (param $body_len i32) (result i32)
    (local $fields i32) (local $request i32) (local $out i32) (local $stream i32) (local $future i32)
    (local $reply i32) (local $piece i32) (local $start i32) (local $length i32)
    (local.set $fields (call $fields))
    (block $all
      (loop $each
        (br_if $all (i32.eqz (local.get $list_len)))
        (call $append (local.get $fields)
          (i32.load (local.get $list)) (i32.load offset=4 (local.get $list))
          (i32.load offset=8 (local.get $list)) (i32.load offset=12 (local.get $list)) (global.get $back))
        (if (call $back_tag)
          (then (return (call $failed (i32.add (i32.const 200) (call $back_byte (i32.const 1)))))))
        (local.set $list (i32.add (local.get $list) (i32.const 16)))
        (local.set $list_len (i32.sub (local.get $list_len) (i32.const 1)))
        (br $each)))
    (local.set $request (call $request (local.get $fields)))
    (if (call $set_method (local.get $request) (i32.const 9) (local.get $method) (local.get $method_len))
      (then (return (call $failed (i32.const 101)))))
    (if (call $set_scheme (local.get $request)
          (i32.const 1) (i32.const 2) (local.get $scheme) (local.get $scheme_len))
      (then (return (call $failed (i32.const 102)))))
    (if (call $set_authority (local.get $request) (i32.const 1) (local.get $host) (local.get $host_len))
      (then (return (call $failed (i32.const 103)))))
    (if (call $set_path (local.get $request) (i32.const 1) (local.get $path) (local.get $path_len))
      (then (return (call $failed (i32.const 104)))))
    (if (local.get $body_len) (then
      (call $request_body (local.get $request) (global.get $back))
      (local.set $out (call $back_at (i32.const 4)))))
    (call $handle (local.get $request) (i32.const 0) (i32.const 0) (global.get $back))
    (if (call $back_tag) (then (return (call $failed (call $back_byte (i32.const 8))))))
    (local.set $future (call $back_at (i32.const 8)))
    (if (local.get $body_len) (then
      (call $body_write (local.get $out) (global.get $back))
      (local.set $stream (call $back_at (i32.const 4)))
      (block $written
        (loop $more
          (br_if $written (i32.eqz (local.get $body_len)))
          (local.set $piece (select (local.get $body_len) (i32.const 4096)
            (i32.lt_u (local.get $body_len) (i32.const 4096))))
          (call $write (local.get $stream) (local.get $body) (local.get $piece) (global.get $back))
          (br_if $written (call $back_tag))
          (local.set $body (i32.add (local.get $body) (local.get $piece)))
          (local.set $body_len (i32.sub (local.get $body_len) (local.get $piece)))
          (br $more)))
      (call $drop_output (local.get $stream))
      (call $body_finish (local.get $out) (i32.const 0) (i32.const 0) (global.get $back))))
    (local.set $piece (call $subscribe (local.get $future)))
    (call $block (local.get $piece))
    (call $drop_pollable (local.get $piece))
    (call $get (local.get $future) (global.get $back))
    (if (call $back_byte (i32.const 16)) (then (return (call $failed (call $back_byte (i32.const 24))))))
    (local.set $reply (call $back_at (i32.const 24)))
    (i32.store8 (global.get $answer) (i32.const 0))
    (i32.store16 offset=4 (global.get $answer) (call $status (local.get $reply)))
    (call $entries (call $headers (local.get $reply)) (i32.add (global.get $answer) (i32.const 8)))
    (call $consume (local.get $reply) (global.get $back))
    (local.set $out (call $back_at (i32.const 4)))
    (call $body_stream (local.get $out) (global.get $back))
    (local.set $stream (call $back_at (i32.const 4)))
    (block $ended
      (loop $more
        (call $read (local.get $stream) (i64.const 65536) (global.get $back))
        (if (call $back_tag) (then
          (br_if $ended (call $back_byte (i32.const 4)))
          (call $error_code (call $back_at (i32.const 8)) (global.get $back))
          (return (call $failed (select (call $back_byte (i32.const 8)) (i32.const 250) (call $back_tag))))))
        (if (i32.eqz (local.get $start)) (then (local.set $start (call $back_at (i32.const 4)))))
        (local.set $length (i32.add (local.get $length) (call $back_at (i32.const 8))))
        (br $more)))
    (call $drop_input (local.get $stream))
    (call $drop_body (local.get $out))
    (i32.store offset=16 (global.get $answer) (local.get $start))
    (i32.store offset=20 (global.get $answer) (local.get $length))
    (global.get $answer))

  (func (export "ask-often") (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (param $times i32)
    (result i32) (local $answers i32)
    (block $enough
      (loop $again
        (br_if $enough (i32.eqz (local.get $times)))
        (drop (call $ask (local.get 0) (local.get 1) (local.get 2) (local.get 3) (local.get 4) (local.get 5)
          (local.get 6) (local.get 7) (local.get 8) (local.get 9) (local.get 10) (local.get 11)))
        (if (i32.eqz (i32.load8_u (global.get $answer))) (then
          (local.set $answers (i32.add (local.get $answers) (i32.const 1)))))
        (local.set $times (i32.sub (local.get $times) (i32.const 1)))
        (br $again)))
    (local.get $answers))
  (func (export "count") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (global.get $count))
)
