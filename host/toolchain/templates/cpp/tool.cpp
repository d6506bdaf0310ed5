// The tool's functions, as wit/tool.wit declares them; tool.h is made of it. There are no exceptions.
#include "tool.h"
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace {

struct Closer {
  void operator()(std::FILE *file) const { std::fclose(file); }
};

bool fail(const std::string &path, tool_string_t *error) {
  const auto message = path + ": " + std::strerror(errno);
  tool_string_dup_n(error, message.data(), message.size());
  return false;
}

} // namespace

bool exports_tool_count_words(tool_string_t *path, std::uint32_t *words, tool_string_t *error) {
  const std::string name(reinterpret_cast<const char *>(path->ptr), path->len);
  // A path with a NUL in it would be cut there: that is another path.
  errno = EINVAL;
  const std::unique_ptr<std::FILE, Closer> file(name.find('\0') == name.npos ? std::fopen(name.c_str(), "rb") : nullptr);
  if (!file) return fail(name, error);
  bool inside = false;
  *words = 0;
  for (int c; (c = std::getc(file.get())) != EOF; inside = !std::isspace(c)) *words += !inside && !std::isspace(c);
  return !std::ferror(file.get()) || fail(name, error);
}
