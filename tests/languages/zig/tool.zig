//! read-text with std.Io.Dir, over the canonical ABI by hand: Zig has no generator of bindings.
const std = @import("std");

const allocator = std.heap.wasm_allocator;

/// `result<string, string>` as it lies in memory.
const Answer = extern struct { is_error: u8, text: [*]const u8, length: usize };

var answer: Answer = undefined;

fn readText(path: [*]const u8, length: usize) callconv(.c) *const Answer {
    const name = path[0..length];
    defer allocator.free(name);
    var threaded: std.Io.Threaded = .init_single_threaded;
    const io = threaded.io();
    if (std.Io.Dir.cwd().readFileAlloc(io, name, allocator, .unlimited)) |text| {
        answer = .{ .is_error = 0, .text = text.ptr, .length = text.len };
    } else |err| {
        const message = std.fmt.allocPrint(allocator, "{s}: {t}", .{ name, err }) catch @panic("out of memory");
        answer = .{ .is_error = 1, .text = message.ptr, .length = message.len };
    }
    return &answer;
}

fn forget(given: *const Answer) callconv(.c) void {
    allocator.free(given.text[0..given.length]);
}

/// Only ever asked for new bytes: no parameter is larger than a string.
fn cabiRealloc(old: ?[*]u8, old_size: usize, alignment: usize, size: usize) callconv(.c) [*]u8 {
    _ = alignment;
    if (old != null and old_size != 0) @panic("a string that grows");
    const bytes = allocator.alignedAlloc(u8, .of(u64), size) catch @panic("out of memory");
    return bytes.ptr;
}

comptime {
    const name = "ringfence:languages/reader@0.1.0#read-text";
    @export(&readText, .{ .name = name });
    @export(&forget, .{ .name = "cabi_post_" ++ name });
    @export(&cabiRealloc, .{ .name = "cabi_realloc" });
}
