#include "cli/results/record.h"

#include "cli/console/log.h"
#include "cli/results/kinds.h"
#include "cli/results/registry.h"
#include "problems/readers/format/sha256.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_there(const pb_folder *folder, const char *name) {
  const pb_file file = pb_file_in(folder, name);
  return pb_file_there(&file);
}

// read result.json; NULL if it is missing or not valid JSON, in which case nothing can be lost
static dm_status read_record(cli_json **record, const pb_file *file, dm_message *msg) {
  dm_message why;
  *record = NULL;
  if (!pb_file_there(file) && (errno == ENOENT || errno == ENOTDIR)) return DM_OK;
  const dm_status s = cli_json_read(record, file, &why);
  if (s != DM_IO) return DM_OK;
  return dm_fail(msg, DM_IO, "%s; nothing is put in its place", why.text);
}

dm_status cli_record_read(cli_json **record, const pb_folder *folder, dm_message *msg) {
  const pb_file file = pb_file_in(folder, "result.json");
  return read_record(record, &file, msg);
}

// -- progress of a result

static bool is_text(const cli_json *o, const char *key, const char *text) {
  const char *found = cli_json_get_text(o, key);
  return found && !strcmp(found, text);
}

// whether the required share of samples succeeded
static bool has_enough_samples(const cli_json *verify) {
  json_object *required = NULL;
  int held = cli_json_get_int(verify, "held", -1), samples = cli_json_get_int(verify, "samples", 0);

  // no verdict if only a part of the samples was run
  if (held < 0 || samples < 1 || cli_json_get_text(verify, "status")) return false;
  json_object_object_get_ex(verify, "required", &required);
  return (double)held / samples >= json_object_get_double(required);
}

cli_standing cli_standing_of(const cli_json *result) {
  if (!json_object_is_type(result, json_type_object)) return (cli_standing){.stage = -1};
  const cli_json *controller = cli_json_get_object(result, "controller");
  cli_standing w = {.controller = is_text(controller, "status", "done")};

  // 1  a solution, 2 with gains, 3 with gains that pass verification
  const char *status = cli_json_get_text(result, "status");
  if (!status || !cli_is_solution(status)) return w;
  w.stage = 1;
  if (!is_text(cli_json_get_object(result, "gains"), "status", "done")) return w;
  w.stage = has_enough_samples(cli_json_get_object(result, "verify")) ? 3 : 2;
  return w;
}

bool cli_standing_less(cli_standing a, cli_standing b) {
  if (a.stage != b.stage) return a.stage < b.stage;
  return !a.controller && b.controller;
}

// -- digests

// returns false with the reason in why if the file cannot be read
static bool digest_file(const pb_file *file, char text[65], dm_message *why) {
  FILE *f = pb_file_open(file, PB_LARGEST_TABLE, why);
  if (!f) return false;
  pb_sha256 sha;
  char buffer[1 << 15];

  // block by block: files may exceed the memory
  pb_sha256_init(&sha);
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) pb_sha256_add(&sha, buffer, n);
  bool whole = !ferror(f);

  // no digest after a read error
  if (!whole) dm_fail(why, DM_IO, "%s", strerror(errno));
  fclose(f);
  pb_sha256_text(&sha, text);
  return whole;
}

static dm_status check_file(const pb_folder *folder, const char *name, const char *expected,
                            dm_message *msg) {
  dm_message why;
  char found[65];
  const pb_file file = pb_file_in(folder, name);
  if (!cli_commit_inside(name))
    return dm_fail(msg, DM_BAD_INPUT,
                   "%s/result.json is damaged: found the file '%.80s', expected names such as "
                   "gains.csv and inputs/task.yaml",
                   folder->path, name);
  if (!digest_file(&file, found, &why))
    return dm_fail(msg, DM_BAD_INPUT,
                   "%s cannot be read: %s; the result.json beside it was written with it, so that "
                   "%s is not whole: make it again",
                   file.path, why.text, folder->path);

  // an entry that is not text does not match
  if (expected && !strcmp(found, expected)) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT,
                 "%s is damaged: found the SHA-256 %.12s.., expected %.12s.. by the result.json "
                 "beside it; make it again, or take a whole copy of the folder",
                 file.path, found, expected ? expected : "a text");
}

dm_status cli_record_check(const pb_folder *folder, const cli_json *result, dm_message *msg) {
  json_object *files = NULL;

  // folders of earlier versions have no list
  if (!json_object_object_get_ex(result, "files", &files)) return DM_OK;
  if (!json_object_is_type(files, json_type_object))
    return dm_fail(msg, DM_BAD_INPUT,
                   "%s/result.json is damaged: found files that are no object, expected the "
                   "digest of each file",
                   folder->path);

  // check each file by its digest
  json_object_object_foreach(files, name, value) {
    bool text = json_object_is_type(value, json_type_string);
    DM_TRY(check_file(folder, name, text ? json_object_get_string(value) : NULL, msg));
  }
  return DM_OK;
}

static dm_status list_file(cli_json *files, const char *name, const pb_file *file,
                           dm_message *msg) {
  dm_message why;
  char text[65];
  if (!digest_file(file, text, &why))
    return dm_fail(msg, DM_IO, "%s cannot be read back: %s", file->path, why.text);
  cli_json_text(files, name, text);
  return DM_OK;
}

// the digest of a file that was begun; for a copy its original's digest, so that later damage is
// detected
static dm_status list_staged(cli_json *files, const cli_folder *out, const char *name,
                             dm_message *msg) {
  const char *known = cli_folder_digest(out, name);
  if (known[0]) {
    cli_json_text(files, name, known);
    return DM_OK;
  }
  const pb_file staged = cli_folder_staged(out, name);
  return list_file(files, name, &staged, msg);
}

// add the digests of all files that were begun, in the order of stages, inputs last; remove those
// of removed files
static dm_status list_begun(cli_json *files, const cli_json *result, const cli_folder *out,
                            dm_message *msg) {
  // files of stages
  for (int i = 0; i < CLI_FILES; i++) {
    char text[CLI_RESULT_NAME];
    const char *name = cli_result_name(cli_result_files[i]->name, result, text);
    if (cli_folder_begun(out, name)) DM_TRY(list_staged(files, out, name, msg));
  }

  // copies of inputs; removed files leave the list
  for (int i = 0; i < out->n; i++) {
    const cli_folder_entry *e = &out->file[i];
    if (!e->begun)
      json_object_object_del(files, e->name);
    else if (cli_result_find(e->name) < 0)
      DM_TRY(list_staged(files, out, e->name, msg));
  }
  return DM_OK;
}

// in debug builds, end the program at a key that is not in cli/results/kinds.inc; in others a
// finished computation is not lost for a missing row
static void check_keys(const cli_json *result) {
#ifdef __OPTIMIZE__
  (void)result;
#else
  char place[CLI_KIND_PATH];
  const bool known = cli_kinds_hold(result, NULL, place);
  if (!known) cli_error("result.json: found %s, which has no row of this type in kinds.inc", place);
  assert(known);
#endif
}

dm_status cli_record_list(cli_json *result, const cli_folder *out, bool kept, dm_message *msg) {
  // continue the list of a result in its own folder, else begin one
  cli_json *old = kept ? cli_json_get_object(result, "files") : NULL;
  cli_json *files = old ? json_object_get(old) : json_object_new_object();
  dm_status s = files ? DM_OK : dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // list the files of a folder of an earlier version
  for (int i = 0; s == DM_OK && kept && !old && i < CLI_FILES; i++) {
    const pb_file file = pb_file_in(&out->at, cli_result_files[i]->name);
    if (pb_file_there(&file)) s = list_file(files, cli_result_files[i]->name, &file, msg);
  }

  // then the new files
  if (s == DM_OK) s = list_begun(files, result, out, msg);
  json_object_object_del(result, "files");
  json_object_object_add(result, "files", files);
  if (!kept) check_keys(result);
  return s;
}

dm_status cli_record_places(const cli_folder *out, dm_message *msg) {
  // report problems before the work, not after it
  for (int i = 0; i < CLI_FILES; i++) DM_TRY(cli_folder_check(out, cli_result_files[i]->name, msg));
  return cli_folder_check(out, "inputs/any", msg);
}

// -- replacing a result

static dm_status copy_file(cli_folder *out, const pb_folder *folder, const char *name,
                           dm_message *msg) {
  // copy an existing file to a new one
  dm_message why;
  char buffer[1 << 15];
  const pb_file file = pb_file_in(folder, name);
  FILE *from = pb_file_open(&file, PB_LARGEST_TABLE, &why);
  if (!from) return dm_fail(msg, DM_IO, "%s cannot be read: %s", file.path, why.text);
  FILE *to = cli_folder_file(out, name, msg);

  // out discards it on failure
  if (to)
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, from)) > 0;) fwrite(buffer, 1, n, to);
  dm_status s = to ? DM_OK : DM_IO;
  if (to && ferror(from)) s = dm_fail(msg, DM_IO, "%s cannot be read", file.path);
  fclose(from);
  return s;
}

static bool is_free(const cli_folder *out, const char *name) {
  return !cli_folder_begun(out, name) && !cli_folder_removed(out, name);
}

dm_status cli_record_copy(cli_folder *out, const pb_folder *folder, const cli_json *result,
                          dm_message *msg) {
  // files of the other result that out has not begun
  cli_json *files = cli_json_get_object(result, "files");
  for (int i = 0; i < CLI_FILES; i++) {
    char text[CLI_RESULT_NAME];
    const char *name = cli_result_name(cli_result_files[i]->name, result, text);
    const bool listed =
        files ? json_object_object_get_ex(files, name, NULL) : is_there(folder, name);
    if (!listed || !is_free(out, name)) continue;
    DM_TRY(copy_file(out, folder, name, msg));
    const char *digest = files ? cli_json_get_text(files, name) : NULL;
    if (digest) cli_folder_set_digest(out, name, digest);
  }
  return DM_OK;
}

// files named place + name in the folder, entry + name in out
typedef struct removal {
  cli_folder *out;
  const char *place, *entry;
} removal;

static void remove_listed(const removal *w, const char *name) {
  char place[CLI_NAME], entry[CLI_NAME];
  const int length = snprintf(place, sizeof place, "%s%s", w->place, name);
  if (length >= (int)sizeof place) return;
  snprintf(entry, sizeof entry, "%s%s", w->entry, name);
  if (cli_commit_inside(place) && is_there(&w->out->at, place) && !cli_folder_begun(w->out, entry))
    cli_folder_remove(w->out, entry);
}

static dm_status remove_all(const removal *w, dm_message *msg) {
  // by its list, and for folders of earlier versions by all known names
  static const char *const made[] = {CLI_PAGE, CLI_MCAP, CLI_NPZ, CLI_MUJOCO};
  char mark[2 * CLI_NAME];
  cli_json *result;
  snprintf(mark, sizeof mark, "%sresult.json", w->place);
  const pb_file file = pb_file_in(&w->out->at, mark);
  DM_TRY(read_record(&result, &file, msg));
  cli_json *files = cli_json_get_object(result, "files");
  if (files) {
    json_object_object_foreach(files, name, value) {
      (void)value;
      remove_listed(w, name);
    }
  }
  for (int i = 0; i < CLI_FILES; i++) remove_listed(w, cli_result_files[i]->name);
  if (w->entry[0]) remove_listed(w, "result.json");
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) remove_listed(w, made[i]);
  json_object_put(result);
  return DM_OK;
}

dm_status cli_record_replace(cli_folder *out, const char *under, dm_message *msg) {
  static const char unfinished[] = "unfinished/";
  char beside[CLI_NAME];

  // beside a result that stays: remove an earlier one there
  if (under) snprintf(beside, sizeof beside, "%.200s/", under);
  if (under) return remove_all(&(removal){out, beside, ""}, msg);

  // in place of the result: remove it and the unfinished one in its subfolder
  DM_TRY(remove_all(&(removal){out, "", ""}, msg));
  if (!is_there(&out->at, "unfinished/result.json")) return DM_OK;
  return remove_all(&(removal){out, unfinished, unfinished}, msg);
}
