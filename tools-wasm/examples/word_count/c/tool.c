// Counts words with nothing but C's library, over the bindings that are made of the WIT.
#include "tool.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
  LONGEST = 100, // words with more bytes are counted, but never among the frequent
  MOST = 100,
  DEFAULT_TOP = 10,
};

typedef exports_ringfence_examples_words_counts_t counts_t;
typedef exports_ringfence_examples_words_frequent_t frequent_t;

static void *allocated(void *memory) {
  if (memory == NULL) abort();
  return memory;
}

static bool fail(tool_string_t *error, const char *path, const char *reason) {
  size_t room = strlen(path) + strlen(reason) + 3;
  error->ptr = allocated(malloc(room));
  error->len = (size_t)snprintf((char *)error->ptr, room, "%s: %s", path, reason);
  return false;
}

// How often each word was seen: a hash table with open addresses, at most half full.
typedef struct {
  frequent_t *slots;
  size_t room, used;
} table_t;

static frequent_t *slot(const table_t *table, const uint8_t *word, size_t length) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < length; i++) hash = (hash ^ word[i]) * 1099511628211u;
  for (size_t at = hash % table->room;; at = (at + 1) % table->room) {
    frequent_t *found = &table->slots[at];
    if (found->times == 0 || (found->word.len == length && memcmp(found->word.ptr, word, length) == 0)) return found;
  }
}

static void grow(table_t *table) {
  table_t larger = {.room = table->room ? table->room * 2 : 256, .used = table->used};
  larger.slots = allocated(calloc(larger.room, sizeof(frequent_t)));
  for (size_t i = 0; i < table->room; i++) {
    frequent_t *old = &table->slots[i];
    if (old->times > 0) *slot(&larger, old->word.ptr, old->word.len) = *old;
  }
  free(table->slots);
  *table = larger;
}

static void add(table_t *table, const uint8_t *word, size_t length) {
  uint8_t lower[LONGEST];
  for (size_t i = 0; i < length; i++) lower[i] = word[i] >= 'A' && word[i] <= 'Z' ? word[i] + 'a' - 'A' : word[i];
  if (table->used * 2 >= table->room) grow(table);
  frequent_t *found = slot(table, lower, length);
  if (found->times++ == 0) {
    tool_string_dup_n(&found->word, (const char *)lower, length);
    table->used++;
  }
}

static int by_times_then_bytes(const void *a, const void *b) {
  const frequent_t *left = a, *right = b;
  if (left->times != right->times) return left->times < right->times ? 1 : -1;
  size_t shorter = left->word.len < right->word.len ? left->word.len : right->word.len;
  int order = memcmp(left->word.ptr, right->word.ptr, shorter);
  if (order != 0) return order;
  return (left->word.len > right->word.len) - (left->word.len < right->word.len);
}

// Leaves the most frequent of the words, in their order.
static void sort(table_t *table, size_t top) {
  size_t kept = 0;
  for (size_t i = 0; i < table->room; i++) {
    if (table->slots[i].times > 0) table->slots[kept++] = table->slots[i];
  }
  qsort(table->slots, kept, sizeof(frequent_t), by_times_then_bytes);
  for (table->used = kept; table->used > top; table->used--) tool_string_free(&table->slots[table->used - 1].word);
}

// Bytes of the character that begins here; none where it isn't one.
static size_t character(const uint8_t *at, size_t left) {
  uint8_t first = at[0];
  size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length == 0 || length > left) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xC0) != 0x80) return 0;
  }
  // Too long for what they say, a surrogate, or beyond the last character.
  if ((first == 0xE0 && at[1] < 0xA0) || (first == 0xED && at[1] > 0x9F)) return 0;
  if ((first == 0xF0 && at[1] < 0x90) || (first == 0xF4 && at[1] > 0x8F)) return 0;
  return length;
}

static bool is_utf8(const uint8_t *text, size_t length) {
  for (size_t at = 0, step; at < length; at += step) {
    step = character(text + at, length - at);
    if (step == 0) return false;
  }
  return true;
}

static bool is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static void count_text(const uint8_t *text, size_t length, counts_t *counts, table_t *table) {
  if (!is_utf8(text, length)) {
    counts->skipped++;
    return;
  }
  counts->files++;
  counts->bytes += length;
  for (size_t at = 0; at < length;) {
    size_t start = at;
    while (at < length && !is_space(text[at])) at++;
    if (at > start) {
      counts->words++;
      if (at - start <= LONGEST) add(table, text + start, at - start);
    } else {
      counts->lines += text[at++] == '\n';
    }
  }
  counts->lines += length > 0 && text[length - 1] != '\n';
}

static bool count_file(const char *path, counts_t *counts, table_t *table, tool_string_t *error) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return fail(error, path, strerror(errno));
  uint8_t *text = NULL;
  size_t room = 4096, length = 0;
  do {
    text = allocated(realloc(text, room *= 2));
    length += fread(text + length, 1, room - length, file);
  } while (length == room);
  bool done = !ferror(file);
  if (done) {
    count_text(text, length, counts, table);
  } else {
    fail(error, path, strerror(errno));
  }
  free(text);
  fclose(file);
  return done;
}

// Whether a name fits a pattern of `*` and `?`, in time that both lengths multiplied bound.
static bool matches(const uint8_t *pattern, size_t pattern_length, const char *name) {
  size_t p = 0, n = 0, star = SIZE_MAX, from = 0, length = strlen(name);
  while (n < length) {
    size_t step = character((const uint8_t *)name + n, length - n);
    if (step == 0) step = 1;
    if (p < pattern_length && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern_length && pattern[p] == '?') {
      p++;
      n += step;
    } else if (p < pattern_length && pattern[p] == (uint8_t)name[n]) {
      p++;
      n++;
    } else if (star != SIZE_MAX) {
      // A byte further is enough: no part of a character looks like another's beginning.
      p = star + 1;
      from += 1;
      while (from < length && ((uint8_t)name[from] & 0xC0) == 0x80) from++;
      n = from;
    } else {
      return false;
    }
  }
  while (p < pattern_length && pattern[p] == '*') p++;
  return p == pattern_length;
}

typedef struct {
  char **paths;
  size_t count, room;
} paths_t;

static void push(paths_t *paths, char *path) {
  if (paths->count == paths->room) {
    paths->room = paths->room ? paths->room * 2 : 16;
    paths->paths = allocated(realloc(paths->paths, paths->room * sizeof(char *)));
  }
  paths->paths[paths->count++] = path;
}

static char *join(const char *folder, const char *name) {
  size_t room = strlen(folder) + strlen(name) + 2;
  char *path = allocated(malloc(room));
  bool ends = folder[0] != 0 && folder[strlen(folder) - 1] == '/';
  snprintf(path, room, "%s%s%s", folder, ends ? "" : "/", name);
  return path;
}

static bool count_folder(const char *folder, const tool_string_t *pattern, counts_t *counts, table_t *table,
                         paths_t *pending, tool_string_t *error) {
  DIR *entries = opendir(folder);
  if (entries == NULL) return fail(error, folder, strerror(errno));
  bool done = true;
  while (done) {
    errno = 0;
    struct dirent *entry = readdir(entries);
    if (entry == NULL) {
      if (errno != 0) done = fail(error, folder, strerror(errno));
      break;
    }
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    // The entry's own kind: a link is neither a folder nor a file.
    if (entry->d_type == DT_DIR) {
      push(pending, join(folder, entry->d_name));
    } else if (entry->d_type == DT_REG && matches(pattern->ptr, pattern->len, entry->d_name)) {
      char *path = join(folder, entry->d_name);
      done = count_file(path, counts, table, error);
      free(path);
    }
  }
  closedir(entries);
  return done;
}

static bool count_all(const char *path, const tool_string_t *pattern, counts_t *counts, table_t *table,
                      tool_string_t *error) {
  struct stat found;
  if (stat(path, &found) != 0) return fail(error, path, strerror(errno));
  if (!S_ISDIR(found.st_mode)) return count_file(path, counts, table, error);
  paths_t pending = {0};
  push(&pending, allocated(strdup(path)));
  bool done = true;
  while (done && pending.count > 0) {
    char *folder = pending.paths[--pending.count];
    done = count_folder(folder, pattern, counts, table, &pending, error);
    free(folder);
  }
  while (pending.count > 0) free(pending.paths[--pending.count]);
  free(pending.paths);
  return done;
}

bool exports_ringfence_examples_words_word_count(tool_string_t *path, tool_string_t *maybe_pattern, uint32_t *maybe_top,
                                                 counts_t *counts, tool_string_t *error) {
  tool_string_t pattern = {.ptr = (uint8_t *)"*", .len = 1};
  if (maybe_pattern != NULL) pattern = *maybe_pattern;
  uint32_t top = maybe_top == NULL ? DEFAULT_TOP : *maybe_top < MOST ? *maybe_top : MOST;
  char *name = allocated(strndup((const char *)path->ptr, path->len));
  // A path with a NUL in it would be cut there: that is another path.
  bool done = strlen(name) == path->len || fail(error, name, "a path can't hold a NUL");
  table_t table = {0};
  *counts = (counts_t){0};
  done = done && count_all(name, &pattern, counts, &table, error);
  free(name);
  sort(&table, done ? top : 0);
  counts->top.ptr = table.slots;
  counts->top.len = table.used;
  if (table.used == 0) free(table.slots);
  return done;
}
