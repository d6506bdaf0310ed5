//! Counts words with nothing but Zig's library, over the C bindings that are made of the WIT.
const std = @import("std");
const wit = @import("wit");

const Counts = wit.exports_ringfence_examples_words_counts_t;
const Frequent = wit.exports_ringfence_examples_words_frequent_t;
const String = wit.tool_string_t;

/// Words with more bytes are counted, but never among the frequent.
const longest = 100;
const most = 100;
/// What is returned is freed by the bindings: memory of C.
const allocator = std.heap.c_allocator;

export fn exports_ringfence_examples_words_word_count(path: *String, pattern: ?*String, top: ?*u32, counts: *Counts, failure: *String) bool {
    var count: Count = .{ .pattern = if (pattern) |given| text(given) else "*" };
    defer count.deinit();
    count.all(text(path)) catch |err| {
        failure.* = returned(std.fmt.allocPrint(allocator, "{s}: {t}", .{ count.at, err }) catch @panic("out of memory"));
        return false;
    };
    counts.* = count.finish(@min(if (top) |given| given.* else 10, most)) catch @panic("out of memory");
    return true;
}

fn text(string: *const String) []const u8 {
    return if (string.len == 0) "" else string.ptr[0..string.len];
}

fn returned(bytes: []u8) String {
    return .{ .ptr = bytes.ptr, .len = bytes.len };
}

const Count = struct {
    pattern: []const u8,
    counts: Counts = .{},
    times: std.StringHashMapUnmanaged(u64) = .empty,
    /// What is read, for an error to name.
    at: []const u8 = "",
    arena: std.heap.ArenaAllocator = .init(allocator),
    threaded: std.Io.Threaded = .init_single_threaded,

    fn deinit(count: *Count) void {
        count.arena.deinit();
    }

    fn all(count: *Count, path: []const u8) !void {
        count.at = path;
        const io = count.threaded.io();
        const found = try std.Io.Dir.cwd().statFile(io, path, .{});
        if (found.kind != .directory) return count.file(path);
        var pending: std.ArrayList([]const u8) = .empty;
        try pending.append(count.arena.allocator(), path);
        while (pending.pop()) |next| try count.folder(next, &pending);
    }

    fn folder(count: *Count, path: []const u8, pending: *std.ArrayList([]const u8)) !void {
        count.at = path;
        const io = count.threaded.io();
        const arena = count.arena.allocator();
        var opened = try std.Io.Dir.cwd().openDir(io, path, .{ .iterate = true });
        defer opened.close(io);
        var entries = opened.iterate();
        while (try entries.next(io)) |entry| {
            // The entry's own kind: a link is neither a folder nor a file.
            switch (entry.kind) {
                .directory => try pending.append(arena, try std.fs.path.join(arena, &.{ path, entry.name })),
                .file => if (matches(count.pattern, entry.name)) {
                    const inside = try std.fs.path.join(allocator, &.{ path, entry.name });
                    defer allocator.free(inside);
                    errdefer count.at = arena.dupe(u8, inside) catch path;
                    try count.file(inside);
                },
                else => {},
            }
        }
    }

    fn file(count: *Count, path: []const u8) !void {
        const bytes = try std.Io.Dir.cwd().readFileAlloc(count.threaded.io(), path, allocator, .unlimited);
        defer allocator.free(bytes);
        if (!std.unicode.utf8ValidateSlice(bytes)) {
            count.counts.skipped += 1;
            return;
        }
        count.counts.files += 1;
        count.counts.bytes += bytes.len;
        count.counts.lines += std.mem.countScalar(u8, bytes, '\n');
        if (bytes.len > 0 and bytes[bytes.len - 1] != '\n') count.counts.lines += 1;
        var words = std.mem.tokenizeAny(u8, bytes, &std.ascii.whitespace);
        while (words.next()) |word| {
            count.counts.words += 1;
            if (word.len <= longest) try count.add(word);
        }
    }

    fn add(count: *Count, word: []const u8) !void {
        var buffer: [longest]u8 = undefined;
        const lower = std.ascii.lowerString(&buffer, word);
        const arena = count.arena.allocator();
        const known = try count.times.getOrPut(arena, lower);
        if (!known.found_existing) {
            known.key_ptr.* = try arena.dupe(u8, lower);
            known.value_ptr.* = 0;
        }
        known.value_ptr.* += 1;
    }

    fn finish(count: *Count, top: u32) !Counts {
        const frequent = try allocator.alloc(Frequent, count.times.count());
        defer allocator.free(frequent);
        var words = count.times.iterator();
        for (frequent) |*place| {
            const word = words.next().?;
            place.* = .{ .word = .{ .ptr = @constCast(word.key_ptr.ptr), .len = word.key_ptr.len }, .times = word.value_ptr.* };
        }
        std.mem.sort(Frequent, frequent, {}, moreFrequent);
        const kept = try allocator.dupe(Frequent, frequent[0..@min(top, frequent.len)]);
        for (kept) |*place| place.word = returned(try allocator.dupe(u8, text(&place.word)));
        // Of no elements there is no memory, and Zig's pointer to it isn't one of the component's.
        if (kept.len > 0) count.counts.top = .{ .ptr = kept.ptr, .len = kept.len };
        return count.counts;
    }
};

fn moreFrequent(_: void, a: Frequent, b: Frequent) bool {
    if (a.times != b.times) return a.times > b.times;
    return std.mem.lessThan(u8, text(&a.word), text(&b.word));
}

/// Whether a name fits a pattern of `*` and `?`, in time that both lengths multiplied bound.
fn matches(pattern: []const u8, name: []const u8) bool {
    var p: usize = 0;
    var n: usize = 0;
    var star: ?usize = null;
    var from: usize = 0;
    while (n < name.len) {
        if (p < pattern.len and pattern[p] == '*') {
            star = p;
            from = n;
            p += 1;
        } else if (p < pattern.len and pattern[p] == '?') {
            p += 1;
            n += length(name[n..]);
        } else if (p < pattern.len and pattern[p] == name[n]) {
            p += 1;
            n += 1;
        } else if (star) |at| {
            p = at + 1;
            from += length(name[from..]);
            n = from;
        } else return false;
    }
    return std.mem.trimStart(u8, pattern[p..], "*").len == 0;
}

/// Bytes of the character that begins here.
fn length(name: []const u8) usize {
    return std.unicode.utf8ByteSequenceLength(name[0]) catch 1;
}
