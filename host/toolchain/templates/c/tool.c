// The tool's functions, as wit/tool.wit declares them; tool.h is made of it.
#include "tool.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(const char *path, const char *reason, tool_string_t *error) {
  char message[512];
  snprintf(message, sizeof message, "%.300s: %s", path, reason);
  tool_string_dup(error, message);
  return false;
}

bool exports_tool_count_words(tool_string_t *path, uint32_t *words, tool_string_t *error) {
  // A path with a NUL in it would be cut there: that is another path.
  char *name = strndup((const char *)path->ptr, path->len);
  FILE *file = strlen(name) == path->len ? fopen(name, "rb") : (errno = EINVAL, NULL);
  bool done = file != NULL;
  *words = 0;
  if (done) {
    bool inside = false;
    for (int c; (c = getc(file)) != EOF; inside = !isspace(c)) *words += !inside && !isspace(c);
    done = !ferror(file);
  }
  if (!done) fail(name, strerror(errno), error);
  if (file != NULL) fclose(file);
  free(name);
  return done;
}
