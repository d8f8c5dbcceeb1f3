#define _XOPEN_SOURCE 700 // realpath
#include "problems/readers/task/opened.h"

#include "lib/base/text.h"
#include "problems/readers/format/replace.h"
#include "problems/readers/task/file_keys.h"
#include "problems/readers/task/read_phases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the results folder has this name
static dm_status check_name(const pb_reader *r, const pb_node *node) {
  const char *s = node->text;
  if (s[0] != '.' && s[0] != '-' && !strchr(s, '/') && strlen(s) < 128) return DM_OK;
  return pb_refuse_node(r, node, "name: found '%.40s', expected one that can name a folder", s);
}

// FOLDER-FILE without extension, from the file's full path; FILE alone without a folder
static dm_status derive_name(const pb_reader *r, char **name) {
  // the file name and its folder
  char *full = realpath(r->file, NULL);
  const char *path = full ? full : r->file;
  const char *file = strrchr(path, '/');
  const char *folder = file;
  while (folder && folder > path && folder[-1] != '/') folder--;
  size_t before = folder && file > folder ? (size_t)(file - folder) : 0;
  file = file ? file + 1 : path;

  // a leading dot does not begin an extension: .hidden
  const char *dot = strrchr(file, '.');
  size_t after = dot && dot > file ? (size_t)(dot - file) : strlen(file);

  // FOLDER-FILE as plain text, because it names a folder of results
  char *text = pb_arena_alloc(r->arena, before + after + 2, 1);
  if (text) {
    if (before) {
      memcpy(text, folder, before);
      text[before++] = '-';
    }
    memcpy(text + before, file, after);
    dm_text_make_plain(text, NULL, '_');
  }
  free(full);
  *name = text;
  return text ? DM_OK : DM_NO_MEMORY;
}

// replaced text must satisfy the same rules as the file
static dm_status check_replaced(const pb_reader *r, const char *text) {
  const char *flaw = dm_text_flaw(text, NULL);
  char what[64];
  if (!flaw) return DM_OK;
  return pb_refuse(r, r->file, 0, 0, "found %s in '%.64s' to vary, expected plain text",
                   dm_text_describe(flaw, what), text);
}

// parse the file, apply the replacements, and read its sections
dm_status pb_opened_root(pb_reader *r, const char *text, size_t size, const pb_node **root,
                         pb_sections *s) {
  DM_TRY(pb_yaml_read(r, text, size, root));
  for (int i = 0; i < r->nreplace; i++) {
    // the digest includes the replaced values
    const pb_replace *v = &r->replace[i];
    pb_sha256_add(&r->digest, v->path, strlen(v->path) + 1);
    pb_sha256_add(&r->digest, v->text, strlen(v->text) + 1);
    DM_TRY(check_replaced(r, v->path));
    DM_TRY(check_replaced(r, v->text));
    DM_TRY(pb_replace_in(r, *root, v));
  }
  DM_TRY(pb_phases_choose(r, *root));
  DM_TRY(pb_schema_read(r, "", *root, pb_file_keys, s));
  if (!s->folder) return DM_OK;

  // the folder of files named in the problem, itself relative to the problem file
  r->folder = pb_file_beside(r, s->folder);
  return r->folder ? DM_OK : DM_NO_MEMORY;
}

// open a reader on a file
dm_status pb_opened_text(pb_reader *r, char **text, size_t *size) {
  dm_message why = {""};
  const char *slash = strrchr(r->file, '/');
  pb_sha256_init(&r->digest);
  if (r->msg) r->msg->text[0] = 0;
  // the file's own name in the sources has no folder
  dm_status s = pb_file_read(r, slash ? slash + 1 : r->file, r->file, text, size, &why);
  if (s == DM_IO) dm_fail(r->msg, s, "%.300s: cannot be read: %s", r->file, why.text);
  return s;
}

// the message of a failure without a line in the file: out of memory, or non-finite numbers
dm_status pb_opened_report(const pb_reader *r, dm_status s) {
  if (s == DM_NO_MEMORY) return dm_fail(r->msg, s, "%.300s: out of memory", r->file);
  if (s >= 0 || !r->msg || r->msg->text[0]) return s;
  return dm_fail(
      r->msg, DM_BAD_INPUT,
      "%.300s: the robot's equations cannot be evaluated: %s; masses, lengths and inertias, in "
      "SI units, may be too large or too small",
      r->file, dm_status_text(s));
}

// whether a file is XML, by its extension or its first character
bool pb_opened_robot(const char *path, const char *text) {
  const char *dot = strrchr(path, '.');
  if (dot && (!strcmp(dot, ".urdf") || !strcmp(dot, ".xml"))) return true;
  if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3;
  return text[strspn(text, " \t\r\n")] == '<';
}

// the name of the results: from the file's key, or from the file name
dm_status pb_opened_name(const pb_reader *r, const pb_node *root, const char *word, char **name) {
  const pb_node *given = pb_node_get(root, "name");
  if (!given) return derive_name(r, name);
  DM_TRY(check_name(r, given));
  *name = pb_copy(r->arena, word, strlen(word));
  return *name ? DM_OK : DM_NO_MEMORY;
}
