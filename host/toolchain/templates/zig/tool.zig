//! The tool's functions, as wit/tool.wit declares them; the module `wit` is made of it.
const std = @import("std");
const wit = @import("wit");

/// What is returned is freed by the bindings: memory of C.
const allocator = std.heap.c_allocator;

export fn exports_tool_count_words(path: *wit.tool_string_t, words: *u32, failure: *wit.tool_string_t) bool {
    const name: []const u8 = if (path.len == 0) "" else path.ptr[0..path.len];
    words.* = countWords(name) catch |err| {
        const message = std.fmt.allocPrint(allocator, "{s}: {t}", .{ name, err }) catch @panic("out of memory");
        failure.* = .{ .ptr = message.ptr, .len = message.len };
        return false;
    };
    return true;
}

fn countWords(path: []const u8) !u32 {
    var threaded: std.Io.Threaded = .init_single_threaded;
    const text = try std.Io.Dir.cwd().readFileAlloc(threaded.io(), path, allocator, .unlimited);
    defer allocator.free(text);
    var words = std.mem.tokenizeAny(u8, text, &std.ascii.whitespace);
    var count: u32 = 0;
    while (words.next()) |_| count += 1;
    return count;
}
