// The attacks with libc, over the bindings that wit-bindgen makes for C.
#include "hostile.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ATTACK(name) exports_ringfence_hostile_attacks_##name

extern char **environ;
static char *kept;

static bool fail(hostile_string_t *err) {
  hostile_string_dup(err, strerror(errno));
  return false;
}

static char *text(const hostile_string_t *from) {
  char *copy = malloc(from->len + 1);
  if (copy == NULL) abort();
  memcpy(copy, from->ptr, from->len);
  copy[from->len] = 0;
  // What comes after a NUL would be cut: that is another path.
  for (size_t at = 0; at < from->len; at++)
    if (copy[at] == 0) copy[at] = '?';
  return copy;
}

static void push(hostile_list_string_t *list, const char *line) {
  hostile_string_t *larger = realloc(list->ptr, (list->len + 1) * sizeof *larger);
  if (larger == NULL) abort();
  list->ptr = larger;
  hostile_string_dup(&list->ptr[list->len++], line);
}

static void repeat(const hostile_string_t *from, uint32_t times, hostile_string_t *ret) {
  ret->len = from->len * times;
  ret->ptr = malloc(ret->len);
  if (ret->ptr == NULL && ret->len > 0) abort();
  for (uint32_t at = 0; at < times; at++) memcpy(ret->ptr + at * from->len, from->ptr, from->len);
}

static bool read_path(const char *path, hostile_string_t *ret) {
  int file = open(path, O_RDONLY);
  if (file < 0) return false;
  size_t room = 4096;
  ssize_t got = 0;
  ret->len = 0;
  ret->ptr = malloc(room);
  while (ret->ptr != NULL && (got = read(file, ret->ptr + ret->len, room - ret->len)) > 0) {
    ret->len += (size_t)got;
    if (ret->len == room) ret->ptr = realloc(ret->ptr, room *= 2);
  }
  if (ret->ptr == NULL) abort();
  int error = errno;
  close(file);
  errno = error;
  return got == 0;
}

bool ATTACK(read_text)(hostile_string_t *path, hostile_string_t *ret, hostile_string_t *err) {
  return read_path(text(path), ret) || fail(err);
}

bool ATTACK(list_folder)(hostile_string_t *path, hostile_list_string_t *ret, hostile_string_t *err) {
  DIR *folder = opendir(text(path));
  if (folder == NULL) return fail(err);
  ret->ptr = NULL;
  ret->len = 0;
  for (;;) {
    errno = 0;
    struct dirent *entry = readdir(folder);
    if (entry == NULL) return errno == 0 || fail(err);
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) push(ret, entry->d_name);
  }
}

bool ATTACK(look_at)(hostile_string_t *path, hostile_string_t *ret, hostile_string_t *err) {
  struct stat found;
  char line[40] = "folder";
  if (stat(text(path), &found) != 0) return fail(err);
  if (!S_ISDIR(found.st_mode)) snprintf(line, sizeof line, "file %lld", (long long)found.st_size);
  hostile_string_dup(ret, line);
  return true;
}

bool ATTACK(look_at_all)(hostile_string_t *path, uint32_t *ret, hostile_string_t *err) {
  char line[4200];
  struct stat found;
  struct dirent *entry;
  const char *at = text(path);
  DIR *folder = opendir(at);
  if (folder == NULL) return fail(err);
  for (*ret = 0; (entry = readdir(folder)) != NULL;) {
    snprintf(line, sizeof line, "%s/%s", at, entry->d_name);
    if (stat(line, &found) == 0) *ret += 1;
  }
  return true;
}

bool ATTACK(read_link)(hostile_string_t *path, hostile_string_t *ret, hostile_string_t *err) {
  char target[4096];
  ssize_t length = readlink(text(path), target, sizeof target - 1);
  if (length < 0) return fail(err);
  target[length] = 0;
  hostile_string_dup(ret, target);
  return true;
}

static int closed(int file) { return file < 0 ? file : close(file); }

static int written(int file) { return file < 0 || write(file, "mine", 4) < 0 ? -1 : closed(file); }

static bool changed(const char *change, const char *at, const char *to) {
  const struct timespec times[2] = {{0, 0}, {0, 0}};
  errno = EINVAL;
  if (strcmp(change, "create") == 0) return written(open(at, O_WRONLY | O_CREAT | O_TRUNC, 0666)) == 0;
  if (strcmp(change, "append") == 0) return written(open(at, O_WRONLY | O_APPEND)) == 0;
  if (strcmp(change, "truncate") == 0) return closed(open(at, O_WRONLY | O_TRUNC)) == 0;
  if (strcmp(change, "make-folder") == 0) return mkdir(at, 0777) == 0;
  if (strcmp(change, "remove") == 0) return unlink(at) == 0;
  if (strcmp(change, "remove-folder") == 0) return rmdir(at) == 0;
  if (strcmp(change, "rename") == 0) return rename(at, to) == 0;
  if (strcmp(change, "hard-link") == 0) return link(at, to) == 0;
  if (strcmp(change, "soft-link") == 0) return symlink(at, to) == 0;
  if (strcmp(change, "touch") == 0) return utimensat(AT_FDCWD, at, times, 0) == 0;
  return false;
}

bool ATTACK(change)(hostile_string_t *how, hostile_string_t *path, hostile_string_t *other, hostile_string_t *ret,
                    hostile_string_t *err) {
  const char *change = text(how);
  if (!changed(change, text(path), text(other))) return fail(err);
  hostile_string_dup(ret, change);
  return true;
}

// Adds a line that isn't there yet.
static void push_once(hostile_list_string_t *list, const char *line) {
  for (size_t at = 0; at < list->len; at++)
    if (list->ptr[at].len == strlen(line) && memcmp(list->ptr[at].ptr, line, strlen(line)) == 0) return;
  push(list, line);
}

static void push_error(hostile_list_string_t *list, void (*to)(hostile_list_string_t *, const char *)) {
  char line[256];
  snprintf(line, sizeof line, "error: %s", strerror(errno));
  to(list, line);
}

bool ATTACK(steps)(exports_ringfence_hostile_attacks_list_step_t *steps, hostile_list_string_t *ret,
                   hostile_string_t *err) {
  ret->ptr = NULL;
  ret->len = 0;
  for (size_t at = 0; at < steps->len; at++) {
    exports_ringfence_hostile_attacks_step_t *step = &steps->ptr[at];
    const char *how = text(&step->how), *path = text(&step->path);
    hostile_string_t found;
    if (strcmp(how, "crash") == 0) ATTACK(crash)(&step->path);
    if (strcmp(how, "spin") == 0) ATTACK(spin)();
    if (strcmp(how, "fail") == 0) {
      hostile_string_dup(err, path);
      return false;
    }
    if (strcmp(how, "read") == 0 && read_path(path, &found)) {
      hostile_string_t copy = {found.ptr, found.len};
      push(ret, text(&copy));
    } else if (strcmp(how, "read") != 0 && changed(how, path, text(&step->other))) {
      push(ret, how);
    } else {
      push_error(ret, push);
    }
  }
  return true;
}

static bool all_written(int file, const hostile_string_t *said) {
  for (size_t at = 0; at < said->len;) {
    ssize_t put = write(file, said->ptr + at, said->len - at);
    if (put < 0) return false;
    at += (size_t)put;
  }
  return true;
}

bool ATTACK(write_at)(hostile_string_t *path, hostile_string_t *said, uint64_t at, hostile_string_t *ret,
                      hostile_string_t *err) {
  int file = open(text(path), O_WRONLY | O_CREAT, 0666);
  if (file < 0 || lseek(file, (off_t)at, SEEK_SET) < 0 || !all_written(file, said) || close(file) != 0)
    return fail(err);
  hostile_string_dup(ret, "written");
  return true;
}

bool ATTACK(append_again)(hostile_string_t *path, hostile_string_t *said, uint64_t times, hostile_string_t *ret,
                          hostile_string_t *err) {
  int file = open(text(path), O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0) return fail(err);
  for (uint64_t time = 0; time < times; time++)
    if (!all_written(file, said)) return fail(err);
  if (close(file) != 0) return fail(err);
  hostile_string_dup(ret, "written");
  return true;
}

void ATTACK(create_many)(hostile_string_t *folder, uint32_t times, hostile_list_string_t *ret) {
  char line[4200];
  const char *at = text(folder);
  ret->ptr = NULL;
  ret->len = 0;
  for (uint32_t time = 0; time < times; time++) {
    snprintf(line, sizeof line, "%s/made%u", at, time);
    if (changed("create", line, "")) push_once(ret, "made");
    else push_error(ret, push_once);
  }
}

void ATTACK(read_again)(hostile_string_t *path, uint32_t times, hostile_list_string_t *ret) {
  const char *at = text(path);
  ret->ptr = NULL;
  ret->len = 0;
  for (uint32_t time = 0; time < times; time++) {
    hostile_string_t found;
    char line[256];
    if (read_path(at, &found)) {
      snprintf(line, sizeof line, "%.*s", (int)found.len, (const char *)found.ptr);
      free(found.ptr);
    } else {
      snprintf(line, sizeof line, "error: %s", strerror(errno));
    }
    push_once(ret, line);
  }
}

bool ATTACK(hold)(hostile_string_t *path, uint32_t times, uint32_t *ret, hostile_string_t *err) {
  for (uint32_t time = 0; time < times; time++)
    if (open(text(path), O_RDONLY) < 0) return fail(err);
  *ret = times;
  return true;
}

void ATTACK(surroundings)(hostile_list_string_t *ret) {
  char folder[4096], line[4200];
  ret->ptr = NULL;
  ret->len = 0;
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) push(ret, *variable);
  if (getcwd(folder, sizeof folder) == NULL) return;
  snprintf(line, sizeof line, "folder %s", folder);
  push(ret, line);
}

void ATTACK(clocks)(hostile_list_string_t *ret) {
  char line[40];
  struct timespec first, second;
  ret->ptr = NULL;
  ret->len = 0;
  snprintf(line, sizeof line, "%lld", (long long)time(NULL));
  push(ret, line);
  clock_gettime(CLOCK_MONOTONIC, &first);
  clock_gettime(CLOCK_MONOTONIC, &second);
  bool later = second.tv_sec > first.tv_sec || second.tv_nsec > first.tv_nsec;
  push(ret, later ? "true" : "false");
}

void ATTACK(remember)(hostile_string_t *word, hostile_string_t *ret) {
  hostile_string_dup(ret, kept == NULL ? "" : kept);
  kept = text(word);
}

void ATTACK(spin)(void) {
  volatile int turn = 0;
  while (turn == 0) continue;
}

void ATTACK(spin_with_calls)(void) {
  struct stat found;
  for (;;) stat("src/none", &found);
}

void ATTACK(sleep)(uint64_t millis) {
  struct timespec length = {(time_t)(millis / 1000), (long)(millis % 1000) * 1000000};
  nanosleep(&length, NULL);
}

uint64_t ATTACK(recurse)(uint64_t depth) {
  volatile uint64_t frame[16] = {depth};
  return depth == 0 ? 0 : 1 + ATTACK(recurse)(depth - 1) + frame[0] - depth;
}

uint64_t ATTACK(grow)(uint32_t mebibytes) {
  uint64_t sum = 0;
  for (uint32_t at = 0; at < mebibytes; at++) {
    volatile char *block = malloc(1 << 20);
    if (block == NULL) abort();
    for (size_t byte = 0; byte < 1 << 20; byte += 4096) block[byte] = 1;
    sum += 1 << 20;
  }
  return sum;
}

void ATTACK(say)(hostile_string_t *said, uint32_t times, hostile_string_t *ret) { repeat(said, times, ret); }

bool ATTACK(fail)(hostile_string_t *said, uint32_t times, hostile_string_t *ret, hostile_string_t *err) {
  (void)ret;
  repeat(said, times, err);
  return false;
}

void ATTACK(print)(hostile_string_t *said, uint64_t times, bool to_error) {
  for (uint64_t time = 0; time < times; time++) fwrite(said->ptr, 1, said->len, to_error ? stderr : stdout);
  fflush(to_error ? stderr : stdout);
}

void ATTACK(crash)(hostile_string_t *said) {
  fwrite(said->ptr, 1, said->len, stderr);
  fflush(stderr);
  abort();
}

void ATTACK(leave)(uint8_t code) { _Exit(code); }
