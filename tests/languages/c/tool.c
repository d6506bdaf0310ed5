// read-text with stdio, over the bindings that wit-bindgen makes for C.
#include "tool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(const char *path, tool_string_t *error) {
  const char *reason = strerror(errno);
  size_t room = strlen(path) + strlen(reason) + 3;
  char *message = malloc(room);
  if (message == NULL) abort();
  snprintf(message, room, "%s: %s", path, reason);
  error->ptr = (uint8_t *)message;
  error->len = room - 1;
  return false;
}

static bool read_all(FILE *file, tool_string_t *text) {
  size_t room = 4096, length = 0;
  char *bytes = malloc(room);
  while (bytes != NULL) {
    length += fread(bytes + length, 1, room - length, file);
    if (length < room) break;
    char *larger = realloc(bytes, room *= 2);
    if (larger == NULL) free(bytes);
    bytes = larger;
  }
  if (bytes == NULL || ferror(file)) {
    free(bytes);
    return false;
  }
  text->ptr = (uint8_t *)bytes;
  text->len = length;
  return true;
}

bool exports_ringfence_languages_reader_read_text(tool_string_t *path, tool_string_t *text, tool_string_t *error) {
  // A path with a NUL in it would be cut there: that is another path.
  if (memchr(path->ptr, 0, path->len) != NULL) {
    errno = EINVAL;
    return fail("a path with a NUL", error);
  }
  char *name = strndup((const char *)path->ptr, path->len);
  if (name == NULL) abort();
  FILE *file = fopen(name, "rb");
  bool done = file != NULL && read_all(file, text);
  if (!done) fail(name, error);
  if (file != NULL) fclose(file);
  free(name);
  return done;
}
