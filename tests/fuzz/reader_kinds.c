// Each reader alone: it takes the file, or refuses it in one line, and gives all memory back.
#include "cli/commands/commands.h"
#include "cli/console/args.h"
#include "cli/console/log.h"
#include "cli/pictures/request.h"
#include "cli/results/gains.h"
#include "cli/results/named_table.h"
#include "cli/results/record.h"
#include "cli/results/registry.h"
#include "cli/results/trajectory.h"
#include "cli/stages/call.h"
#include "problems/readers/format/csv.h"
#include "problems/readers/format/expression.h"
#include "problems/readers/format/log.h"
#include "problems/readers/format/mesh.h"
#include "problems/readers/task/problem.h"
#include "tests/fuzz/kinds.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 8, WORDS = 64, SET = 128 };

void fuzz_fail(const char *why, const char *about) {
  fprintf(stderr, "fuzz: %s: %s\n", why, about);
  abort();
}

void fuzz_put(const char *name, const void *bytes, size_t size) {
  // opened once, for opening costs more than most readers
  static struct {
    const char *name;
    int fd;
  } file[FILES];
  int i = 0;
  while (i < FILES && file[i].name && strcmp(file[i].name, name) != 0) i++;
  if (i == FILES) fuzz_fail("too many files", name);
  if (!file[i].name) file[i].fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  file[i].name = name;
  if (ftruncate(file[i].fd, 0) != 0 || pwrite(file[i].fd, bytes, size, 0) != (ssize_t)size)
    fuzz_fail("cannot be written", name);
}

void fuzz_check_told(dm_status s, const dm_message *msg) {
  if (s >= 0) return;
  if (!msg->text[0]) fuzz_fail("refused without a word", dm_status_text(s));
  for (const char *at = msg->text; *at; at++)
    if ((unsigned char)*at < ' ' || *at == 127) fuzz_fail("no plain sentence", msg->text);
}

// -- problems and robots

// whether a number of millions stands there: so many steps take seconds, and are what was asked for
static bool asks_much(const uint8_t *bytes, size_t size) {
  size_t digits = 0;
  for (size_t i = 0; i < size; i++) {
    const bool digit = bytes[i] >= '0' && bytes[i] <= '9';
    if (!digit && digits > 5 && digits < 10) return true;
    digits = digit ? digits + 1 : 0;
  }
  return digits > 5 && digits < 10;
}

static void read_yaml(const uint8_t *bytes, size_t size) {
  if (asks_much(bytes, size)) return;
  pb_problem *p;
  dm_message msg = {""};
  fuzz_put("fuzzed.yaml", bytes, size);
  dm_status s = pb_problem_read(&p, "fuzzed.yaml", &msg);
  fuzz_check_told(s, &msg);
  if ((s == DM_OK) != (p != NULL)) fuzz_fail("a problem that is none", msg.text);
  pb_problem_free(p);
}

// fixed, and with a base that floats
static void read_robot(const char *name) {
  for (int floats = 0; floats < 2; floats++) {
    pb_robot robot;
    struct pb_warnings warnings = {0};
    dm_message msg = {""};
    dm_status s = pb_model_read(&robot, name, floats, &warnings, &msg);
    fuzz_check_told(s, &msg);
    if ((s == DM_OK) != (robot.mechanism.model != NULL))
      fuzz_fail("a robot that is none", msg.text);
    pb_robot_free(&robot);
    pb_warnings_free(&warnings);
  }
}

static void read_urdf(const uint8_t *bytes, size_t size) {
  fuzz_put("fuzzed.urdf", bytes, size);
  read_robot("fuzzed.urdf");
}

static void read_mjcf(const uint8_t *bytes, size_t size) {
  fuzz_put("fuzzed.xml", bytes, size);
  read_robot("fuzzed.xml");
}

// the files of the last input, in the folder `set`
static struct {
  int n;
  char name[SET][64];
} set;

static void put_member(const char *name, const char *text, size_t size) {
  const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) return; // a name that is a folder's
  if (write(fd, text, size) != (ssize_t)size) fuzz_fail("cannot be written", name);
  close(fd);
  snprintf(set.name[set.n++], sizeof set.name[0], "%s", name);
}

// "=== NAME" begins the next file, which is put below `set`: no name leads out of it. Returns what follows.
static const char *put_next_member(const char *at, const char *end) {
  char name[64] = "set/";
  size_t n = strlen(name);
  for (; at < end && *at != '\n'; at++)
    if (n + 1 < sizeof name && (isalnum((unsigned char)*at) || strchr("._/", *at))) name[n++] = *at;
  name[n] = 0;
  const char *text = at < end ? at + 1 : end, *next = text;
  while (next < end && !(end - next > 4 && !memcmp(next, "\n===", 4))) next++;
  if (!strstr(name, "..")) put_member(name, text, (size_t)(next - text));
  return next < end ? next + 4 : end;
}

static void open_set(void) {
  if (mkdir("set", 0700) != 0 || mkdir("set/in", 0700) != 0) fuzz_fail("no folder", "set");
}

// a robot of several files, the first of them in set/main.xml: they include and attach one another
static void read_include(const uint8_t *bytes, size_t size) {
  const char *at = (const char *)bytes, *end = at + size;
  put_member("set/main.xml", "", 0);
  while (at < end && set.n < SET) at = put_next_member(at, end);
  read_robot("set/main.xml");
  while (set.n > 0) unlink(set.name[--set.n]);
}

// -- tables of a problem, meshes

static pb_reader open_reader(pb_arena *arena, struct pb_warnings *warnings, dm_message *msg) {
  pb_reader r = {.arena = arena, .warnings = warnings, .msg = msg, .file = "problem.yaml"};
  pb_sha256_init(&r.digest);
  return r;
}

// columns of a group at three times, of the names that the table may have
static void sample_group(const pb_reader *r, const pb_csv *c, const char *group) {
  static const char *const names[] = {"arm", "hand"};
  static const double at[] = {0, 0.05, 1};
  double *out = NULL;
  dm_status s = pb_csv_sample(r, c, group, names, 2, NULL, at, 3, &out);
  fuzz_check_told(s, r->msg);
  for (int i = 0; s == DM_OK && out && i < 6; i++)
    if (!isfinite(out[i])) fuzz_fail("a sample that is no number", group);
}

static void read_csv(const uint8_t *bytes, size_t size) {
  static const pb_node node = {.text = "fuzzed.csv", .line = 1, .column = 1};
  pb_arena arena = {0};
  struct pb_warnings warnings = {0};
  dm_message msg = {""};
  pb_reader r = open_reader(&arena, &warnings, &msg);
  pb_csv c;
  fuzz_put("fuzzed.csv", bytes, size);
  dm_status s = pb_csv_read(&r, &node, &c);
  fuzz_check_told(s, &msg);
  for (const char *group = "qvpyu"; s == DM_OK && *group; group++)
    sample_group(&r, &c, (const char[]){*group, 0});
  pb_arena_free(&arena);
  pb_warnings_free(&warnings);
}

// a log with two quantities, one of them with times of its own
static void read_log(const uint8_t *bytes, size_t size) {
  static const pb_log_column columns[] = {
      {.name = "q.a", .value = "q.a", .time = "t", .factor = 2},
      {.name = "u.a", .value = "i", .time = "clock", .factor = 1, .delay = 0.1},
      {.name = "u.b", .time = "t", .factor = 1}};
  pb_arena arena = {0};
  dm_message msg = {""};
  pb_reader r = open_reader(&arena, NULL, &msg);
  pb_log log;
  fuzz_put("fuzzed.csv", bytes, size);
  const dm_status s = pb_log_read(&r, "fuzzed.csv", columns, 3, 1e3, &log);
  fuzz_check_told(s, &msg);
  for (int i = 0; s == DM_OK && i < log.n; i++)
    for (int k = 0; k < log.channel[i].samples; k++)
      if (!isfinite(log.channel[i].value[k]) ||
          (k && log.channel[i].t[k] < log.channel[i].t[k - 1]))
        fuzz_fail("samples of a log are not finite, or out of order:", log.channel[i].name);
  pb_arena_free(&arena);
}

// an expression and its tape: at places inside and outside of domains its value, derivatives and fault are found
static void read_expression(const uint8_t *bytes, size_t size) {
  static const pb_symbol symbols[] = {
      {"s", 0, 0, NULL}, {"q.arm", 1, 0, NULL}, {"k", -1, 2.5, NULL}};
  static const double at[][2] = {{0.3, -2}, {0, 0}, {-1, 1e200}};
  static const char *const parameters[] = {"x", "y"};
  static const double table[][3] = {{0, 1, 3}, {1, 2, 0}, {0, -2, 0}};
  static const pb_definition list[] = {
      {.name = "aim", .text = "[s, 2, q.arm]"},
      {.name = "f", .text = "x + aim[0] y", .count = 2, .parameter = parameters},
      {.name = "self", .text = "self self"},
      {.name = "t", .table = {"t", 3, table[0], table[1], table[2]}}};
  static const pb_definitions definitions = {4, list};
  static const pb_vector vectors[] = {{"tool", 0, 2}};
  const pb_language language = {.list = symbols,
                                .n = 3,
                                .functions = true,
                                .smooth = size % 2,
                                .vectors = vectors,
                                .nvectors = 1,
                                .definitions = &definitions};
  pb_arena arena = {0};
  dm_message msg = {""};
  pb_expression e;
  dm_tape f = {0};
  const int *used;
  char *text = pb_copy(&arena, (const char *)bytes, size);
  dm_status s = pb_expression_parse(&arena, text, &language, &e, &msg);
  fuzz_check_told(s, &msg);
  if (s == DM_OK) s = pb_expression_compile(&arena, &e, &f, &used);
  double *room = pb_arena_alloc(&arena, dm_tape_room(&f) + 1, sizeof *room);
  for (int i = 0; s == DM_OK && i < 3; i++) {
    double x[2], f_x[2], f_xx[4];
    char fault[80] = "";
    if (f.nx > 2 || f.count > 16384) fuzz_fail("a tape that is too long", text);
    for (int j = 0; j < f.nx; j++) x[j] = at[i][used[j]];
    const double y = dm_tape_eval(&f, x, room, f_x, f_xx);
    if (dm_tape_fault(&f, x, 0, room, fault, sizeof fault) != (*fault != 0) ||
        (isnan(y) && !*fault))
      fuzz_fail("no value, and no fault", text);
  }
  pb_arena_free(&arena);
}

// as each of the formats that a name may promise
static void read_mesh(const uint8_t *bytes, size_t size) {
  static const char *const names[] = {"fuzzed.stl", "fuzzed.obj"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    pb_arena arena = {0};
    dm_message msg = {""};
    pb_reader r = open_reader(&arena, NULL, &msg);
    pb_mesh mesh = {0};
    char *text = pb_copy(&arena, (const char *)bytes, size);
    dm_status s = pb_mesh_read(&r, names[i], text, size, &mesh);
    fuzz_check_told(s, &msg);

    // each corner is one
    for (int k = 0; s == DM_OK && k < 3 * mesh.n; k++)
      if (!isfinite(mesh.x[k])) fuzz_fail("a corner that is nowhere", names[i]);
    for (int k = 0; s == DM_OK && mesh.side && k < 3 * mesh.nside; k++)
      if (mesh.side[k / 3][k % 3] < 0 || mesh.side[k / 3][k % 3] >= mesh.n)
        fuzz_fail("a side of a corner that is not there", names[i]);
    pb_arena_free(&arena);
  }
}

// -- what a result folder holds

static cli_call call; // of the result in the folder

static void open_result(void) {
  static cli_args args;
  args = (cli_args){.command = &cli_command_report, .operand = "result", .quiet = true};
  args.silent = true;
  if (cli_call_open(&call, &args, false) != CLI_DONE || cli_read_motion(&call) != CLI_DONE)
    fuzz_fail("no result", "result");
}

// by the names of its columns, as pictures read any table
static void read_named_table(const pb_file *file) {
  cli_named_table t = {0};
  dm_message msg = {""};
  dm_status s = cli_named_table_read(&t, file, &msg);
  fuzz_check_told(s, &msg);
  for (int k = 0; s == DM_OK && k < t.rows * t.cols; k++)
    (void)cli_named_table_number(&t, k / t.cols, k % t.cols);
  for (int c = 0; s == DM_OK && c < t.cols; c++) {
    (void)cli_named_table_has_words(&t, c);
    if (cli_named_table_find(&t, t.name[c]) > c) fuzz_fail("a column that is not found", t.name[c]);
  }
  cli_named_table_free(&t);
}

// each number is one, or stands for an empty cell
static void check_table(const cli_table *t) {
  double sum = 0;
  for (size_t i = 0; t->x && i < (size_t)t->rows * (size_t)t->cols; i++)
    if (isfinite(t->x[i])) sum += fabs(t->x[i]) > 1;
  if (sum < 0) fuzz_fail("a table", "of less than nothing");
}

static void read_result_file(const cli_result_file *of, const pb_file *file) {
  cli_table t = {0};
  dm_message msg = {""};
  const cli_table_source from = {
      .names = &call.run.p->names, .problem = call.run.p, .result = call.result};
  dm_status s = cli_result_read(of, &t, file, &from, &msg);
  fuzz_check_told(s, &msg);
  if (s == DM_OK) check_table(&t);
  free(t.x);
}

static void read_motion(const pb_file *file) {
  dm_trajectory *x = NULL;
  dm_message msg = {""};
  dm_status s = cli_trajectory_read(&x, file, &call.run.p->names, &msg);
  fuzz_check_told(s, &msg);
  if ((s == DM_OK) != (x != NULL)) fuzz_fail("a motion that is none", msg.text);
  dm_trajectory_free(x);
}

// the first line says which file it is: # trajectory.csv
static void read_tables(const uint8_t *bytes, size_t size) {
  char name[64] = "";
  const uint8_t *end = memchr(bytes, '\n', size);
  if (end && end > bytes + 2 && end < bytes + sizeof name)
    snprintf(name, sizeof name, "%.*s", (int)(end - bytes - 2), (const char *)bytes + 2);
  fuzz_put("fuzzed.csv", bytes, size);
  const pb_file file = pb_file_at("fuzzed.csv");
  read_named_table(&file);

  // and as what it is
  const int i = cli_result_find(name);
  if (i >= 0 && cli_result_is_read(cli_result_files[i]))
    read_result_file(cli_result_files[i], &file);
  else
    read_motion(&file);
}

static void read_record(const uint8_t *bytes, size_t size) {
  cli_json *record = NULL;
  dm_message msg = {""};
  pb_replace list[CLI_REPLACED];
  fuzz_put("result/result.json", bytes, size);
  dm_status s = cli_record_read(&record, &call.place.operand, &msg);
  fuzz_check_told(s, &msg);
  const cli_standing standing = cli_standing_of(record);
  if (!record && standing.stage != -1) fuzz_fail("a standing of nothing", "result.json");
  if (!record) return;

  // what other commands ask of it
  s = cli_record_check(&call.place.operand, record, &msg);
  fuzz_check_told(s, &msg);
  const int n = cli_call_replaced(cli_json_get_object(record, "replaced"), list);
  if (n < 0 || n > CLI_REPLACED) fuzz_fail("too many values", "result.json");
  (void)cli_json_get_text(record, "status");
  (void)cli_json_get_int(record, "every", 1);
  (void)cli_json_get_number(record, "objective", 0);
  json_object_put(record);
}

// -- words of a command line

static const cli_command *find_command(const char *word) {
#define LIST_COMMAND(word) &cli_command_##word,
  static const cli_command *const commands[] = {CLI_COMMANDS(LIST_COMMAND)};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(commands[i]->name, word)) return commands[i];
  return NULL;
}

static void read_options(const uint8_t *bytes, size_t size) {
  char text[2048], why[1024] = "", *word[WORDS];
  int n = 0;
  if (size >= sizeof text) return;
  memcpy(text, bytes, size);
  text[size] = 0;

  // a word a line
  for (char *at = text; at && *at && n < WORDS;) {
    char *end = strchr(at, '\n');
    if (end) *end++ = 0;
    if (*at) word[n++] = at;
    at = end;
  }
  cli_args args = {.command = n ? find_command(word[0]) : NULL, .quiet = true};
  if (!args.command) return;

  // what is wrong is said; a picture's own words are read, too
  cli_hush(why, sizeof why);
  cli_request request = {0};
  int status = cli_args_read(&args, n - 1, word + 1);
  const bool drawn = status == CLI_DONE && args.command == &cli_command_plot && !args.help;
  if (drawn) status = cli_request_read(&request, &args);
  if (drawn) cli_request_free(&request);
  cli_hush(NULL, 0);
  if (status != CLI_DONE && status != CLI_INPUT) fuzz_fail("exit status", why);
  if (status == CLI_INPUT && !why[0]) fuzz_fail("refused without a word", word[0]);
}

const fuzz_kind fuzz_readers[] = {{"yaml", NULL, read_yaml},
                                  {"urdf", NULL, read_urdf},
                                  {"mjcf", NULL, read_mjcf},
                                  {"include", open_set, read_include},
                                  {"csv", NULL, read_csv},
                                  {"log", NULL, read_log},
                                  {"expression", NULL, read_expression},
                                  {"mesh", NULL, read_mesh},
                                  {"tables", open_result, read_tables},
                                  {"record", open_result, read_record},
                                  {"options", NULL, read_options},
                                  {NULL, NULL, NULL}};
