#define _POSIX_C_SOURCE 200809L // fileno
#include "problems/readers/format/reader.h"

#include "lib/base/names.h"
#include "lib/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void write_place(char *text, size_t size, const char *file, int line, int column) {
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

  // the place, then the sentence, truncated to fit
  write_place(text, sizeof r->msg->text, file, line, column);
  size_t used = strlen(text);
  if (r->phase)
    used += (size_t)snprintf(text + used, sizeof r->msg->text - used, "phase %.48s: ", r->phase);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, sizeof r->msg->text - used, format, args);
  va_end(args);
  // text from a file must not act on the terminal
  dm_text_make_plain(text, NULL, '?');
  return DM_BAD_INPUT;
}

dm_status pb_warn(pb_reader *r, const char *file, int line, const char *format, ...) {
  if (!r->warnings) return DM_OK;
  char text[512];

  // the place, then the sentence, truncated to fit
  write_place(text, sizeof text, file, line, 0);
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, sizeof text - used, format, args);
  va_end(args);
  dm_text_make_plain(text, NULL, '?');
  return pb_warnings_add(r->warnings, format, text);
}

const char *pb_did_you_mean(const char *const *list, int n, const char *name, char text[96]) {
  const char *near = dm_names_nearest(list, n, name);
  text[0] = 0;
  if (near) snprintf(text, 96, "; did you mean '%.64s'?", near);
  return text;
}

// the location of a file: its own path, or its copy
static pb_file find_place(const pb_reader *r, const char *name, const char *path) {
  if (!r->copies) return pb_file_at(path);
  char copy[PB_COPY_NAME];
  pb_copy_name(name, copy);
  return pb_file_in(r->copies, copy);
}

// record the content of a file
static dm_status add_source(pb_reader *r, const char *name, const char *path, const char *bytes,
                            size_t size) {
  pb_source *source = pb_arena_alloc(r->arena, 1, sizeof *source);
  char *name_copy = pb_copy(r->arena, name, strlen(name));
  char *path_copy = pb_copy(r->arena, path, strlen(path));
  char *whole = pb_copy(r->arena, bytes, size); // readers modify their copy
  if (!source || !name_copy || !path_copy || !whole) return DM_NO_MEMORY;

  // append: copies are listed in the order of reading
  *source = (pb_source){.name = name_copy, .path = path_copy, .bytes = whole, .size = size};
  if (r->last_source)
    r->last_source->next = source;
  else
    r->sources = source;
  r->last_source = source;
  return DM_OK;
}

dm_status pb_file_read(pb_reader *r, const char *name, const char *path, char **bytes, size_t *size,
                       dm_message *reason) {
  // the file, or its copy stored with the results
  const pb_file at = find_place(r, name, path);
  const size_t most = r->logs ? PB_LARGEST_TABLE : PB_LARGEST_FILE;
  FILE *f = pb_file_open(&at, (long long)most, reason);
  if (!f) return DM_IO;

  // double the buffer, at first of the file's size, until the file fits
  char *text = NULL;
  struct stat st;
  const bool sized = fstat(fileno(f), &st) == 0 && st.st_size > 0;
  size_t used = 0, room = sized ? (size_t)st.st_size + 1 : 1 << 14;
  dm_status s = DM_OK;
  while (s == DM_OK) {
    char *more = pb_arena_alloc(r->arena, room + 1, 1);
    if (!more) {
      s = DM_NO_MEMORY;
      break;
    }
    if (used) memcpy(more, text, used);
    text = more;
    used += fread(text + used, 1, room - used, f);
    if (ferror(f)) s = dm_fail(reason, DM_IO, "%s", strerror(errno));
    if (used < room) break;
    if (room > most) s = dm_fail(reason, DM_IO, "it grows beyond %zu MiB", most >> 20);
    room *= 2;
  }

  // digest of the original bytes, before readers modify them
  fclose(f);
  if (s != DM_OK) return s;
  pb_sha256_add(&r->digest, text, used);
  *bytes = text;
  *size = used;
  return r->logs ? DM_OK : add_source(r, name, at.path, text, used);
}

// join a name to the folder given by the first `folder` bytes of `beside`
static const char *join_name(const pb_reader *r, const char *beside, size_t folder,
                             const char *name) {
  size_t length = strlen(name), slash = folder && beside[folder - 1] != '/';
  char *path = pb_arena_alloc(r->arena, folder + slash + length + 1, 1);
  if (!path) return NULL;
  memcpy(path, beside, folder);
  memcpy(path + folder, "/", slash);
  memcpy(path + folder + slash, name, length);
  return path;
}

const char *pb_file_beside(const pb_reader *r, const char *name) {
  // relative names start from the reader's folder, else from the folder of the file that names them
  const char *slash = strrchr(r->file, '/');
  if (name[0] == '/') return join_name(r, "", 0, name);
  if (r->folder) return join_name(r, r->folder, strlen(r->folder), name);
  return join_name(r, r->file, slash ? (size_t)(slash - r->file) + 1 : 0, name);
}

dm_status pb_file_once(pb_reader *r, const char *name, const pb_source **out, dm_message *reason) {
  char *bytes;
  size_t size;
  const pb_source *const list[] = {r->sources, r->known};
  for (int i = 0; i < 2; i++)
    for (*out = list[i]; *out; *out = (*out)->next)
      if (!strcmp((*out)->name, name)) return DM_OK;
  const char *path = pb_file_beside(r, name);
  if (!path) return DM_NO_MEMORY;
  DM_TRY(pb_file_read(r, name, path, &bytes, &size, reason));
  *out = r->last_source;
  return DM_OK;
}
