#include "problems/reader.h"

#include "problems/names.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// no control characters from a file in what a terminal will show
static void make_plain(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127) *text = '?';
}

static void place(char *text, size_t size, const char *file, int line, int column) {
  if (column > 0)
    snprintf(text, size, "%s:%d:%d: ", file, line, column);
  else if (line > 0)
    snprintf(text, size, "%s:%d: ", file, line);
  else
    snprintf(text, size, "%s: ", file);
}

dm_status pb_refuse(const pb_reader *r, const char *file, int line, int column, const char *format,
                    ...) {
  if (!r->msg) return DM_BAD_INPUT;
  char *text = r->msg->text;
  place(text, sizeof r->msg->text, file, line, column);
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, sizeof r->msg->text - used, format, args);
  va_end(args);
  make_plain(text);
  return DM_BAD_INPUT;
}

dm_status pb_warn(pb_reader *r, const char *file, int line, const char *format, ...) {
  if (!r->warnings) return DM_OK;
  char text[512];
  place(text, sizeof text, file, line, 0);
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, sizeof text - used, format, args);
  va_end(args);
  make_plain(text);
  return pb_warnings_add(r->warnings, text);
}

const char *pb_did_you_mean(const char *const *list, int n, const char *name, char text[96]) {
  const char *near = pb_names_nearest(list, n, name);
  text[0] = 0;
  if (near) snprintf(text, 96, "; did you mean '%.64s'?", near);
  return text;
}

dm_status pb_file_read(pb_reader *r, const char *path, char **bytes, size_t *size,
                       dm_message *reason) {
  enum { LARGEST = 64 << 20 };
  FILE *f = fopen(path, "rb");
  if (!f) return dm_fail(reason, DM_IO, "%s", strerror(errno));
  // double the room until the file fits
  char *text = NULL;
  size_t used = 0, room = 1 << 14;
  dm_status s = DM_OK;
  while (s == DM_OK) {
    char *more = pb_take(r->arena, room + 1, 1);
    if (!more) {
      s = DM_NO_MEMORY;
      break;
    }
    if (used) memcpy(more, text, used);
    text = more;
    used += fread(text + used, 1, room - used, f);
    if (ferror(f)) s = dm_fail(reason, DM_IO, "%s", strerror(errno));
    if (used < room) break;
    if (room >= LARGEST) s = dm_fail(reason, DM_IO, "it is larger than %d MiB", LARGEST >> 20);
    room *= 2;
  }
  fclose(f);
  if (s != DM_OK) return s;
  pb_sha256_add(&r->digest, text, used);
  *bytes = text;
  *size = used;
  return DM_OK;
}

const char *pb_file_beside(const pb_reader *r, const char *name) {
  const char *slash = strrchr(r->file, '/');
  size_t folder = slash && name[0] != '/' ? (size_t)(slash - r->file) + 1 : 0;
  size_t length = strlen(name);
  char *path = pb_take(r->arena, folder + length + 1, 1);
  if (!path) return NULL;
  memcpy(path, r->file, folder);
  memcpy(path + folder, name, length);
  return path;
}
