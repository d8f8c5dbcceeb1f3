// Whole result folders: the bytes are a script that makes a stranger's folder of a good one. It is read,
// by a command of the program, too, and then written. Reading changes nothing, takes no link and no
// unfinished folder; nothing outside of the folder changes, whoever reads or writes.
//
//   file NAME TEXT     link NAME TARGET     pipe NAME     dir NAME     hole NAME BYTES     remove NAME
//   digest NAME        the record has the digest of what is there
//   list NAME          the record lists a file; phase NAME: it has a phase
//   own                a journal begins, with the key of this folder; else it has none
//   commit LINE        a line of the journal
#define _GNU_SOURCE // memmem
#include "cli/commands/commands.h"
#include "cli/console/log.h"
#include "cli/report/phase_list.h"
#include "cli/results/named_table.h"
#include "cli/results/record.h"
#include "cli/results/registry.h"
#include "cli/stages/call.h"
#include "problems/readers/format/sha256.h"
#include "tests/fuzz/kinds.h"
#include "tests/support/files.h"

#include <dirent.h>
#include <fcntl.h>

#define DOWNLOADS "home/Downloads"
#define FOLDER    DOWNLOADS "/r"
#define SECRET    "SECRET-OF-THE-USER"

enum { LONGEST = 1 << 12, GIGABYTES = 31, SMALL = 1 << 16 };

// what stands outside of the folder and stays as it is
static const char *const outside[] = {"home",
                                      "home/secrets",
                                      "home/secrets/config",
                                      "home/secrets/authorized_keys",
                                      "home/victim",
                                      "home/victim/gains.csv",
                                      "home/victim/result.json"};
enum { OUTSIDE = sizeof outside / sizeof *outside };
static uint64_t was[OUTSIDE];

// the good folder
static const char *const kept[] = {"trajectory.csv", "gains.csv", "inputs/task.yaml"};
enum { KEPT = sizeof kept / sizeof *kept };
static char *good[KEPT], *record;
static cli_call call; // on it

static uint64_t add_hash(uint64_t hash, const void *bytes, size_t size) {
  const uint8_t *b = bytes;
  for (size_t i = 0; i < size; i++) hash = (hash ^ b[i]) * 1099511628211u;
  return hash;
}

// a name with what the system says of it, but for when it was read
static uint64_t add_stamp(uint64_t hash, const char *name, const struct stat *st) {
  const long long figures[] = {(long long)st->st_ino,   (long long)st->st_mode,
                               (long long)st->st_size,  (long long)st->st_nlink,
                               (long long)st->st_mtime, st->st_mtim.tv_nsec,
                               (long long)st->st_ctime, st->st_ctim.tv_nsec};
  return add_hash(add_hash(hash, name, strlen(name)), figures, sizeof figures);
}

static uint64_t stamp_path(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0 ? add_stamp(1, path, &st) : 0;
}

static void check_outside(const char *script) {
  for (int i = 0; i < OUTSIDE; i++)
    if (stamp_path(outside[i]) != was[i]) fuzz_fail(outside[i], script);
}

// all that is in a folder, in any order; with `clears` it is removed
static uint64_t walk_folder(int parent, const char *name, bool clears) {
  struct stat st;
  uint64_t sum = 0;
  const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  for (struct dirent *e; list && (e = readdir(list));) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    if (fstatat(dirfd(list), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const bool below = S_ISDIR(st.st_mode);
    if (below) sum += walk_folder(dirfd(list), e->d_name, clears);
    if (clears) unlinkat(dirfd(list), e->d_name, below ? AT_REMOVEDIR : 0);
    sum += add_stamp(1, e->d_name, &st);
  }
  if (list) closedir(list);
  return sum;
}

// -- the folder as a stranger makes it

// where a name of the folder stands, with the folders above it made; -1: it leads elsewhere
static int find_place(int folder, const char *name, const char **last) {
  char part[LONGEST];
  for (const char *at = name; (at = strchr(at, '/')); at++) {
    snprintf(part, sizeof part, "%.*s", (int)(at - name), name);
    const int parent = pb_folder_enter(folder, part, last);
    if (parent < 0) return -1;
    mkdirat(parent, *last, 0700);
    pb_folder_leave(folder, parent);
  }
  return pb_folder_enter(folder, name, last);
}

static void put_text(int folder, const char *name, const char *text, bool more) {
  const char *last;
  const int parent = find_place(folder, name, &last);
  if (parent < 0) return;
  if (!more) unlinkat(parent, last, 0);
  const int how = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int fd = openat(parent, last, how, 0600);
  if (fd >= 0 && write(fd, text, strlen(text)) < 0) unlinkat(parent, last, 0);
  if (fd >= 0) close(fd);
  pb_folder_leave(folder, parent);
}

static void put_record(int folder, cli_json *o) {
  put_text(folder, "result.json", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN), false);
}

// so large that none reads it, or so small that it takes no time
static off_t measure_hole(const char *text) {
  const unsigned long long size = strtoull(text, NULL, 10);
  return size > SMALL ? ((off_t)1 << GIGABYTES) + (off_t)(size >> 20) : (off_t)size;
}

static void put_digest(int folder, cli_json *o, const char *name) {
  char text[65];
  const pb_file file = pb_file_in(&(pb_folder){folder, FOLDER}, name);
  FILE *f = pb_file_open(&file, SMALL, NULL);
  char *bytes = f ? calloc(1, SMALL) : NULL;
  pb_sha256 sha;
  pb_sha256_init(&sha);
  if (bytes) pb_sha256_add(&sha, bytes, fread(bytes, 1, SMALL, f));
  pb_sha256_text(&sha, text);
  if (bytes) cli_json_text(cli_json_get_object(o, "files"), name, text);
  if (bytes) put_record(folder, o);
  if (f) fclose(f);
  free(bytes);
}

// a journal with the key that the system gives this folder
static void put_own(int folder) {
  const int fd = openat(folder, CLI_STAGE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const pb_folder stage = {fd, FOLDER "/" CLI_STAGE};
  if (fd < 0 && mkdirat(folder, CLI_STAGE, 0700) == 0) put_own(folder);
  FILE *f = fd < 0 ? NULL : cli_commit_begin(&stage, false);
  if (f) cli_commit_end(f, &stage, false);
  if (fd >= 0) close(fd);
}

// what is neither a file nor of the record
static void put_other(int folder, const char *word, const char *name, const char *text) {
  const char *last;
  const int parent = find_place(folder, name, &last);
  if (parent < 0) return;
  if (strcmp(word, "dir") != 0) unlinkat(parent, last, 0);
  if (!strcmp(word, "link") && symlinkat(text, parent, last) == 0) word = "";
  if (!strcmp(word, "pipe")) mkfifoat(parent, last, 0600);
  if (!strcmp(word, "dir") && mkdirat(parent, last, 0700) != 0 && unlinkat(parent, last, 0) == 0)
    mkdirat(parent, last, 0700);
  const int fd =
      strcmp(word, "hole") ? -1 : openat(parent, last, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd >= 0 && ftruncate(fd, measure_hole(text)) != 0) unlinkat(parent, last, 0);
  if (fd >= 0) close(fd);
  pb_folder_leave(folder, parent);
}

// a line of the script
static void do_line(int folder, cli_json *o, char *line) {
  char *name = strchr(line, ' '), *text = name ? strchr(name + 1, ' ') : NULL;
  char empty[] = "";
  if (name) *name++ = 0;
  name = name ? name : empty;
  if (!strcmp(line, "commit")) {
    put_text(folder, CLI_STAGE "/commit", name, true);
    put_text(folder, CLI_STAGE "/commit", "\n", true);
    return;
  }
  if (text) *text++ = 0;
  text = text ? text : empty;
  if (!strcmp(line, "own")) put_own(folder);
  if (!strcmp(line, "file")) put_text(folder, name, text, false);
  if (!strcmp(line, "digest")) put_digest(folder, o, name);
  for (int i = 0; i < 5; i++) {
    static const char *const words[] = {"link", "pipe", "dir", "hole", "remove"};
    if (!strcmp(line, words[i])) put_other(folder, line, name, text);
  }
  if (strcmp(line, "list") != 0 && strcmp(line, "phase") != 0) return;
  if (line[0] == 'l') cli_json_text(cli_json_get_object(o, "files"), name, text);
  cli_json *phase = json_object_new_object(), *phases = json_object_new_array();
  cli_json_text(phase, "name", name);
  json_object_array_add(phases, phase);
  if (line[0] == 'p')
    json_object_object_add(o, "phases", phases);
  else
    json_object_put(phases);
  put_record(folder, o);
}

static void make_folder_of(char *script) {
  const int above = open(DOWNLOADS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  walk_folder(above, "r", true);
  mkdirat(above, "r", 0700);
  const int folder = openat(above, "r", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) fuzz_fail("no folder", FOLDER);
  for (int i = 0; i < KEPT; i++) put_text(folder, kept[i], good[i], false);
  put_text(folder, "result.json", record, false);
  cli_json *o = json_tokener_parse(record);
  for (char *line, *rest = script; (line = strsep(&rest, "\n"));) do_line(folder, o, line);
  json_object_put(o);
  close(folder);
  close(above);
}

// -- read

// whether each part of a name is what it seems: folders, and a file
static bool is_plain(const char *name) {
  char path[LONGEST];
  struct stat st;
  bool plain = true;
  for (const char *at = name; at && plain; at = *at ? strchr(at + 1, '/') : NULL) {
    const char *end = strchr(at + (at > name), '/');
    snprintf(path, sizeof path, FOLDER "/%.*s", (int)(end ? end - name : (long)strlen(name)), name);
    plain = lstat(path, &st) == 0 && (end ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode));
  }
  return plain && !strstr(name, "..");
}

static void read_tables(const pb_folder *at) {
  const cli_table_source from = {
      .names = &call.run.p->names, .problem = call.run.p, .result = call.result};
  for (int i = 0; i < CLI_FILES; i++) {
    const cli_result_file *of = cli_result_files[i];
    const pb_file file = pb_file_in(at, of->name);
    cli_named_table head = {0};
    cli_table t = {0};
    dm_message msg = {""};
    if (!strstr(of->name, ".csv") || !pb_file_there(&file)) continue;
    dm_status s = cli_named_table_head(&head, &file, &msg);
    fuzz_check_told(s, &msg);
    if (s == DM_OK && !is_plain(of->name)) fuzz_fail("a table through a link", of->name);
    cli_named_table_free(&head);
    s = cli_result_is_read(of) ? cli_result_read(of, &t, &file, &from, &msg) : DM_OK;
    fuzz_check_told(s, &msg);
    free(t.x);
  }
}

static void read_record(const pb_folder *at) {
  cli_json *o;
  dm_message msg = {""};
  pb_problem *p;
  dm_status s = cli_record_read(&o, at, &msg);
  fuzz_check_told(s, &msg);
  s = o ? cli_record_check(at, o, &msg) : DM_BAD_INPUT;
  if (o) fuzz_check_told(s, &msg);
  cli_json *files = s == DM_OK ? cli_json_get_object(o, "files") : NULL;
  if (files) {
    json_object_object_foreach(files, name, value) {
      (void)value;
      if (!is_plain(name)) fuzz_fail("a file of the list that is none", name);
    }
  }
  json_object_put(o);
  if (pb_problem_copied(&p, "task.yaml", FOLDER "/inputs", NULL, 0, &msg) != DM_OK) return;
  if (!is_plain("inputs/task.yaml")) fuzz_fail("an input through a link", FOLDER);
  pb_problem_free(p);
}

static void read_folder(const char *script) {
  pb_folder at;
  dm_message msg = {""};
  cli_phase_list phases;
  static const cli_args args = {.quiet = true};
  struct stat st;
  char why[1024] = "";
  const uint64_t before = walk_folder(AT_FDCWD, FOLDER, false);

  // a journal that waits is seen, unless the staging folder is none
  const bool waits = lstat(FOLDER "/" CLI_STAGE, &st) == 0 && S_ISDIR(st.st_mode) &&
                     lstat(FOLDER "/" CLI_STAGE "/commit", &st) == 0;
  const dm_status s = cli_folder_hold(&at, FOLDER, false, true, &msg);
  fuzz_check_told(s, &msg);
  if ((s == DM_OK) == waits) fuzz_fail("an unfinished folder", script);
  if (s == DM_OK) read_record(&at);
  if (s == DM_OK) read_tables(&at);
  pb_folder_close(&at);

  cli_hush(why, sizeof why);
  cli_phase_list_read(&phases, &args, FOLDER);
  for (int i = 0; i < phases.n; i++)
    if (strstr(phases.dir[i], "..") || strchr(phases.name[i], '/')) fuzz_fail("a phase", script);
  cli_phase_list_free(&phases);
  cli_hush(NULL, 0);
  if (walk_folder(AT_FDCWD, FOLDER, false) != before) fuzz_fail("reading has written", script);
}

// -- by commands, and written

static void run_command(uint64_t draw, const char *script) {
  static const struct {
    const char *words;
    bool reads;
  } runs[] = {{"report " FOLDER " -o out.html", true},
              {"convert " FOLDER " --to npz -o out.npz", true},
              {"convert " FOLDER " --to mujoco -o out.xml", true},
              {"plot " FOLDER " --what moving -o out.svg", true},
              {"linearize " FOLDER " --knot 0 -o out", true},
              {"optimize task.yaml --from " FOLDER " -o out --threads 1", true},
              {"linearize " FOLDER " --knot 0", false},
              {"gains " FOLDER, false},
              {"report " FOLDER, false},
              {"convert " FOLDER " --to npz", false},
              {"gains task.yaml -o " FOLDER, false},
              {"finish " FOLDER, false}};
  const int i = (int)(draw % (sizeof runs / sizeof *runs));
  const uint64_t before = walk_folder(AT_FDCWD, FOLDER, false);
  fuzz_run(runs[i].words);
  if (runs[i].reads && walk_folder(AT_FDCWD, FOLDER, false) != before)
    fuzz_fail(runs[i].words, script);

  // what links lead to is not in what it says, nor in a page
  static const char *const said[] = {"stdout", "out.html"};
  for (int k = 0; k < 2; k++) {
    char *text = get_file(said[k]);
    if (text && strstr(text, SECRET)) fuzz_fail("a secret is shown", runs[i].words);
    free(text);
  }
  unlink("out.html");
}

// as a command does that puts a result there
static void write_folder(void) {
  cli_folder d;
  dm_message msg = {""};
  dm_status s = cli_folder_make(&d, FOLDER, false, &msg);
  d.hurried = true;
  if (s == DM_OK) s = cli_folder_claim(&d, NULL, false, &msg);
  if (s == DM_OK) s = cli_record_places(&d, &msg);
  for (int i = 0; s == DM_OK && i < KEPT; i++)
    if (!cli_folder_file(&d, kept[i], &msg)) s = DM_IO;
  if (s == DM_OK) cli_folder_remove(&d, "fan.csv");
  if (s == DM_OK) s = cli_record_replace(&d, NULL, &msg);
  if (s == DM_OK) s = cli_folder_commit(&d, NULL, &msg);
  fuzz_check_told(s, &msg);
  cli_folder_discard(&d);
  for (int i = 0; s == DM_OK && i < KEPT; i++)
    if (!is_plain(kept[i])) fuzz_fail("what was written is no file", kept[i]);
}

// one in sixteen is a command's
static void run_folder(const uint8_t *bytes, size_t size) {
  char script[LONGEST], shown[LONGEST];
  const size_t length = size < sizeof script ? size : sizeof script - 1;
  memcpy(script, bytes, length);
  script[length] = 0;
  memcpy(shown, script, sizeof shown);
  const uint64_t draw = add_hash(14695981039346656037u, bytes, size) >> 20;
  make_folder_of(script);
  read_folder(shown);
  check_outside(shown);
  if (draw % 16 == 0)
    run_command(draw / 16, shown);
  else
    write_folder();
  check_outside(shown);
}

// -- once

static void put_outside(void) {
  static const char *const folders[] = {"home", "home/secrets", "home/victim", DOWNLOADS};
  for (int i = 0; i < 4; i++) mkdir(folders[i], 0700);
  put_file("home/secrets", "config", SECRET "\n");
  put_file("home/secrets", "authorized_keys", SECRET "\n");
  put_file("home/victim", "gains.csv", SECRET "\n");
  put_file("home/victim", "result.json", record);
  for (int i = 0; i < OUTSIDE; i++) was[i] = stamp_path(outside[i]);
}

// a record of few files, so that a folder is made quickly
static void begin_folder(void) {
  static cli_args args = {
      .command = &cli_command_report, .operand = "small", .quiet = true, .silent = true};
  fuzz_run("gains task.yaml -o small");
  if (cli_call_open(&call, &args, false) != CLI_DONE || cli_read_motion(&call) != CLI_DONE)
    fuzz_fail("no result", "small");
  cli_json *files = cli_json_get_object(call.result, "files"), *few = json_object_new_object();
  for (int i = 0; i < KEPT; i++) {
    char path[64];
    snprintf(path, sizeof path, "small/%s", kept[i]);
    good[i] = get_file(path);
    if (!good[i]) fuzz_fail("no file", path);
    cli_json_text(few, kept[i], cli_json_get_text(files, kept[i]));
  }
  json_object_object_add(call.result, "files", few);
  record = strdup(json_object_to_json_string_ext(call.result, JSON_C_TO_STRING_PLAIN));
  put_outside();
}

const fuzz_kind fuzz_folders[] = {{"folder", begin_folder, run_folder}, {NULL, NULL, NULL}};
