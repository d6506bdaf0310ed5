// Counts words with nothing but C++'s library, over the bindings that are made of the WIT.
#include "tool.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using Counts = exports_ringfence_examples_words_counts_t;
using Frequent = exports_ringfence_examples_words_frequent_t;
/// Without exceptions: what went wrong, or nothing.
using Failure = std::optional<std::string>;

/// Words with more bytes are counted, but never among the frequent.
constexpr std::size_t longest = 100;
constexpr std::uint32_t most = 100;
constexpr std::uint32_t default_top = 10;

struct Closer {
  void operator()(std::FILE *file) const { std::fclose(file); }
  void operator()(DIR *folder) const { closedir(folder); }
};

Failure failed(const std::string &path) { return path + ": " + std::strerror(errno); }

/// Bytes of the character that begins a text; none where it isn't one.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length > text.size()) return 0;
  for (std::size_t at = 1; at < length; at++) {
    if ((byte(at) & 0xC0) != 0x80) return 0;
  }
  // Too long for what they say, a surrogate, or beyond the last character.
  const bool wrong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                     (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
  return wrong ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = character(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// The characters of a name or a pattern, each of them a text.
std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const auto length = std::max<std::size_t>(character(text), 1);
    all.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return all;
}

/// Whether a name fits a pattern of `*` and `?`, in time that both lengths multiplied bound.
bool matches(const std::vector<std::string_view> &pattern, const std::vector<std::string_view> &name) {
  std::size_t p = 0, n = 0, from = 0;
  std::optional<std::size_t> star;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == "*") {
      star = p++;
      from = n;
    } else if (p < pattern.size() && (pattern[p] == "?" || pattern[p] == name[n])) {
      p++;
      n++;
    } else if (star) {
      p = *star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + p, pattern.end(), [](auto c) { return c == "*"; });
}

class Count {
public:
  explicit Count(std::string_view pattern) : pattern(characters(pattern)) {}

  Failure all(const std::string &path) {
    struct stat found;
    if (stat(path.c_str(), &found) != 0) return failed(path);
    if (!S_ISDIR(found.st_mode)) return file(path);
    std::vector<std::string> pending{path};
    while (!pending.empty()) {
      const auto folder = std::move(pending.back());
      pending.pop_back();
      if (auto failure = this->folder(folder, pending)) return failure;
    }
    return {};
  }

  Counts finish(std::size_t top) {
    std::vector<std::pair<std::string_view, std::uint64_t>> frequent(times.begin(), times.end());
    std::sort(frequent.begin(), frequent.end(), [](const auto &a, const auto &b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    frequent.resize(std::min(top, frequent.size()));
    // What is returned is freed by the bindings: memory of C.
    counts.top.len = frequent.size();
    counts.top.ptr = static_cast<Frequent *>(std::calloc(frequent.size(), sizeof(Frequent)));
    for (std::size_t i = 0; i < frequent.size(); i++) {
      const auto &[word, seen] = frequent[i];
      tool_string_dup_n(&counts.top.ptr[i].word, word.data(), word.size());
      counts.top.ptr[i].times = seen;
    }
    return counts;
  }

private:
  Failure folder(const std::string &path, std::vector<std::string> &pending) {
    const std::unique_ptr<DIR, Closer> entries(opendir(path.c_str()));
    if (!entries) return failed(path);
    for (;;) {
      errno = 0;
      const auto *entry = readdir(entries.get());
      if (!entry) return errno == 0 ? Failure{} : failed(path);
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      const auto inside = path + (path.ends_with('/') ? "" : "/") + std::string(name);
      // The entry's own kind: a link is neither a folder nor a file.
      if (entry->d_type == DT_DIR) {
        pending.push_back(inside);
      } else if (entry->d_type == DT_REG && matches(pattern, characters(name))) {
        if (auto failure = file(inside)) return failure;
      }
    }
  }

  Failure file(const std::string &path) {
    const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
    if (!file) return failed(path);
    std::string read;
    char chunk[16384];
    while (const auto length = std::fread(chunk, 1, sizeof chunk, file.get())) read.append(chunk, length);
    if (std::ferror(file.get())) return failed(path);
    text(read);
    return {};
  }

  void text(std::string_view text) {
    if (!is_utf8(text)) {
      counts.skipped++;
      return;
    }
    constexpr std::string_view spaces = " \t\n\v\f\r";
    counts.files++;
    counts.bytes += text.size();
    counts.lines += std::count(text.begin(), text.end(), '\n') + (!text.empty() && !text.ends_with('\n'));
    for (auto start = text.find_first_not_of(spaces); start != text.npos;) {
      const auto end = std::min(text.find_first_of(spaces, start), text.size());
      counts.words++;
      if (end - start <= longest) times[lower(text.substr(start, end - start))]++;
      start = text.find_first_not_of(spaces, end);
    }
  }

  static std::string lower(std::string_view word) {
    std::string lowered(word);
    for (auto &c : lowered) {
      if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    }
    return lowered;
  }

  std::vector<std::string_view> pattern;
  std::unordered_map<std::string, std::uint64_t> times;
  Counts counts{};
};

} // namespace

bool exports_ringfence_examples_words_word_count(tool_string_t *path, tool_string_t *maybe_pattern, std::uint32_t *maybe_top,
                                                 Counts *counts, tool_string_t *error) {
  const auto text = [](const tool_string_t &given) {
    return std::string_view(reinterpret_cast<const char *>(given.ptr), given.len);
  };
  const std::string name(text(*path));
  Count count(maybe_pattern ? text(*maybe_pattern) : "*");
  // A path with a NUL in it would be cut there: that is another path.
  auto failure = name.find('\0') == name.npos ? count.all(name) : name + ": a path can't hold a NUL";
  if (failure) {
    tool_string_dup_n(error, failure->data(), failure->size());
    return false;
  }
  *counts = count.finish(std::min(maybe_top ? *maybe_top : default_top, most));
  return true;
}
