// The worked problems of one folder, run by the program as a user would, against its expect.yaml;
// and their derivatives, as `check` holds them against differences.
//
// expect.yaml has a section for each problem file beside it, or a name of another run of one, with
// `file`: `command` (run where left out), `exit` (0 where left out), `nightly` where it takes too long
// for every change (with DMOC_LONG it is run), `vary`: a mapping of keys of the problem file, each to another value, with
// which it is run to verify as the one case of a sweep, and keys of result.json,
// dotted (momentum.drift.2 is an entry of a list), each a text or a range [least, most]; or a place
// in a table of the result folder (response.csv/50/error.closed: row 50, counted from 0, of that
// column), with a range. A new folder of problems is a new test without code.
#include "config.h"
#include "problems/readers/format/yaml.h"
#include "tests/support/models.h"

#include <glob.h>
#include <json-c/json.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program, *path; // of the program, of an expect.yaml

static json_object *find(json_object *o, const char *dotted) {
  char key[128], *rest = NULL;
  snprintf(key, sizeof key, "%s", dotted);
  for (char *part = strtok_r(key, ".", &rest); o && part; part = strtok_r(NULL, ".", &rest))
    o = json_object_is_type(o, json_type_array)
            ? json_object_array_get_idx(o, (size_t)strtoul(part, NULL, 10))
            : json_object_object_get(o, part);
  return o;
}

// column `name` of a header, counted from 0, or -1
static int find_column(char *header, const char *name) {
  char *rest = NULL;
  int i = 0;
  header[strcspn(header, "\r\n")] = 0;
  for (char *word = strtok_r(header, ",", &rest); word; word = strtok_r(NULL, ",", &rest), i++)
    if (!strcmp(word, name)) return i;
  return -1;
}

// the number at TABLE.csv/ROW/COLUMN of a result folder
static double read_cell(const char *out, const char *key) {
  char table[128], column[128], name[256], *line = NULL;
  int row;
  size_t size = 0;
  if (sscanf(key, "%127[^/]/%d/%127s", table, &row, column) != 3) fail_msg("what is %s?", key);
  snprintf(name, sizeof name, "%s/%s", out, table);
  FILE *f = fopen(name, "r");
  if (!f) fail_msg("there is no %s", table);

  // the header, then the row
  assert_true(getline(&line, &size, f) > 0);
  int at = find_column(line, column);
  if (at < 0) fail_msg("%s has no column %s", table, column);
  for (int i = 0; i <= row; i++)
    if (getline(&line, &size, f) <= 0) fail_msg("%s has no row %d", table, row);
  fclose(f);

  // its cell
  const char *cell = line;
  for (; at > 0; at--) cell = strchr(cell, ',') + 1;
  double x = strtod(cell, NULL);
  free(line);
  return x;
}

static void check_range(const char *file, const pb_node *e, double x) {
  assert_true(e->kind == PB_SEQUENCE && e->n == 2);
  double least = strtod(e->first->text, NULL), most = strtod(e->first->next->text, NULL);
  print_message("%s: %s = %.10g\n", file, e->key, x);
  if (!(x >= least && x <= most))
    fail_msg("%s: %s is %.10g, expected in [%g, %g]", file, e->key, x, least, most);
}

static void check_key(const char *file, const char *out, json_object *result, const pb_node *e) {
  if (strchr(e->key, '/')) {
    check_range(file, e, read_cell(out, e->key));
    return;
  }
  json_object *o = find(result, e->key);
  if (!o) fail_msg("%s: result.json has no %s", file, e->key);
  if (e->kind == PB_SCALAR) {
    const char *text = json_object_get_string(o);
    if (strcmp(text, e->text)) fail_msg("%s: %s is %s, expected %s", file, e->key, text, e->text);
    return;
  }
  check_range(file, e, json_object_get_double(o));
}

static const char *text_of(const pb_node *map, const char *key, const char *absent) {
  const pb_node *node = pb_node_get(map, key);
  return node ? node->text : absent;
}

// the program's answer to the arguments, as JSON; it ends with the given status
static json_object *answer(const char *file, const char *words, long status) {
  char command[2048];
  static char text[1 << 20];
  snprintf(command, sizeof command, "'%s' %s --json --quiet", program, words);
  FILE *f = popen(command, "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  int ended = pclose(f);
  assert_true(WIFEXITED(ended));
  if (WEXITSTATUS(ended) != status)
    fail_msg("%s: exit status %d, expected %ld", words, WEXITSTATUS(ended), status);
  json_object *result = json_tokener_parse(text);
  if (!result) fail_msg("%s: no JSON but '%.200s'", file, text);
  return result;
}

// whether a key of a section is no key of result.json
static bool says_how(const char *key) {
  static const char *const words[] = {"command", "exit", "file", "nightly", "vary"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(key, words[i])) return true;
  return false;
}

// The case of a sweep over one value per key: its folder replaces `out`, its result.json the answer.
static json_object *enter_case(json_object *swept, char *out, size_t size) {
  char pattern[256];
  glob_t found;
  json_object_put(swept);
  snprintf(pattern, sizeof pattern, "%s/*/result.json", out);
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  assert_int_equal(found.gl_pathc, 1);
  json_object *result = json_object_from_file(found.gl_pathv[0]);
  assert_non_null(result);
  snprintf(out, size, "%.*s", (int)(strrchr(found.gl_pathv[0], '/') - found.gl_pathv[0]),
           found.gl_pathv[0]);
  globfree(&found);
  return result;
}

static void run(const char *folder, const pb_node *file) {
  if (pb_node_get(file, "nightly") && !getenv("DMOC_LONG")) return;
  const pb_node *vary = pb_node_get(file, "vary");
  char words[1800], out[] = "/tmp/dmoc-test-XXXXXX", at[256];
  if (!mkdtemp(out)) fail_msg("no temporary folder");
  int used = snprintf(words, sizeof words, "%s '%s/%s' -o '%s'",
                      vary ? "sweep --run --keep" : text_of(file, "command", "run"), folder,
                      text_of(file, "file", file->key), out);
  for (const pb_node *e = vary ? vary->first : NULL; e; e = e->next)
    used += snprintf(words + used, sizeof words - (size_t)used, " --vary '%s=%s'", e->key, e->text);
  long status = strtol(text_of(file, "exit", "0"), NULL, 10);
  json_object *result = answer(file->key, words, status);
  snprintf(at, sizeof at, "%s", out);
  if (vary) result = enter_case(result, at, sizeof at);
  for (const pb_node *e = file->first; e; e = e->next)
    if (!says_how(e->key)) check_key(file->key, at, result, e);
  json_object_put(result);

  // where it is not as expected the folder stays, to be looked at
  snprintf(words, sizeof words, "rm -r '%s'", out);
  assert_int_equal(system(words), 0);
}

// a program has twelve blocks of derivatives and more (of second order, without rows, seven), a
// step two or three
static void check(const char *folder, const pb_node *file) {
  char words[1800];
  if (pb_node_get(file, "file")) return; // is checked under its own name
  snprintf(words, sizeof words, "check '%s/%s'", folder, file->key);
  json_object *result = answer(file->key, words, 0), *blocks = find(result, "blocks");
  json_object *order = find(result, "transcription");
  bool second = order && strcmp(json_object_get_string(order), "first-order") != 0;
  size_t least = !find(result, "sizes") ? 2 : second ? 7 : 12;
  assert_true(blocks && json_object_array_length(blocks) >= least);
  for (size_t i = 0; i < json_object_array_length(blocks); i++) {
    json_object *block = json_object_array_get_idx(blocks, i);
    if (!json_object_get_boolean(find(block, "holds")))
      fail_msg("%s: %s", file->key, json_object_to_json_string(block));
  }
  json_object_put(result);
}

// the folder's problems one after the other
static void each(void (*does)(const char *folder, const pb_node *file)) {
  char folder[1024];
  snprintf(folder, sizeof folder, "%s", path);
  *strrchr(folder, '/') = 0;
  pb_arena arena = {0};
  dm_message msg = {""};
  pb_reader r = {.arena = &arena, .msg = &msg, .file = path};
  char *text;
  size_t size;
  const pb_node *root;
  if (pb_file_read(&r, path, path, &text, &size, &msg) != DM_OK) fail_msg("%s", msg.text);
  if (pb_yaml_read(&r, text, size, &root) != DM_OK) fail_msg("%s", msg.text);
  assert_true(root->n > 0);
  for (const pb_node *file = root->first; file; file = file->next) does(folder, file);
  pb_arena_free(&arena);
}

static void every_problem_is_as_expected(void **state) {
  (void)state;
  each(run);
}

static void every_derivative_of_every_problem_holds(void **state) {
  (void)state;
  each(check);
}

// test_problems PROGRAM EXPECT [NEEDED]: where the folder NEEDED is not there, nothing is run
int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) return 2;
  program = argv[1], path = argv[2];
  if (argc == 4 && access(argv[3], R_OK)) {
    printf("skipped: no %s here\n", argv[3]);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_problem_is_as_expected),
      cmocka_unit_test(every_derivative_of_every_problem_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
