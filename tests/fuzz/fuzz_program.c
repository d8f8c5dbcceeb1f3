// tests/fuzz/fuzz_program.c: any bytes as a file that the program reads, or as its words: an exit
// status of 0 to 2 and one JSON object on stdout, never a fault.
//
//   FUZZ_KIND=problem FUZZ_FOLDER=/dev/shm/fuzz fuzz_program CORPUS      (tests/fuzz/fuzz.sh)
//
// The whole program runs in this process, once for each command of the kind's row: what is read goes
// on to whatever writes it. $FUZZ_FOLDER has the files that problems name. One reader or writer alone
// (tests/fuzz/kinds.h) is many times as fast.
#include "cli/console/interrupt.h"
#include "cli/mpi/work_sharing.h"

// signals are libFuzzer's, and what shares work out begins only once in a process
static int begin_work(int *n, char ***word) {
  return cli_work_begin(n, word);
}
#define cli_interrupt_catch()   (void)0
#define cli_work_begin(n, word) CLI_DONE
#define cli_work_end(status)    (status)
int run_program(int n, char **word);
#define main run_program
#include "cli/main.c"
#undef main
#include "cli/console/answer.c" // its state begins anew with each command
#include "problems/readers/format/sha256.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/kinds.h"
#include "tests/support/files.h"

// lines of the answer of a command, and words of a command line
enum { WORDS = 24, RUNS = 4 };

// what the bytes are: the file they are put in, and what the program is asked then
static const struct {
  const char *kind, *file, *runs[RUNS];
} kinds[] = {
    {"problem",
     "fuzzed.yaml",
     {"info fuzzed.yaml", "eval fuzzed.yaml --q 0.3 --v 0.2 --output all"}},
    {"solved",
     "fuzzed.yaml",
     {"optimize fuzzed.yaml -o out --threads 1", "convert out --to mujoco -o out.xml",
      "convert out --to mcap -o out.mcap", "report out -o out.html"}},
    {"robot", "fuzzed.urdf", {"info fuzzed.urdf", "eval fuzzed.urdf --q 0.3 --v 0.2 --floating"}},
    {"table", "fuzzed.csv", {"check tables.yaml"}},
    {"result",
     "result/result.json",
     {"convert result --to npz -o out.npz", "convert result --to mujoco -o out.xml",
      "report result -o out.html"}},
    {"motion",
     "result/trajectory.csv",
     {"convert result --to npz -o out.npz", "convert result --to mcap -o out.mcap",
      "report result -o out.html", "linearize result -o out"}},
    {"words", "words", {""}},
};

static const char base[] =
    "model: {bodies: [{name: bob, joints: [{name: arm, type: ry, effort: 2}], mass: 1, centre: "
    "[0, 0, -1]}]}\nhorizon: {steps: 6, time: 1}\nstart: {q: 0, v: 0}\n";
static const char task[] =
    "goal: {q: 0.1, v: 0}\ncost: {input: 1}\nfeedback: {Q: {q: 1, p: 1}, R: 1}\n";
static const char tables[] = "cost: {reference: {csv: fuzzed.csv}, input: 1}\nguess: {csv: "
                             "fuzzed.csv}\nsimulate: {input: {csv: fuzzed.csv}}\n";

static int kind;               // of these; -1: of one reader or writer
static const fuzz_kind *alone; // which then is this
static char *record;           // result.json as it was written

static void fail_run(const char *why, const char *words) {
  char *said = get_file("stdout");
  fprintf(stderr, "fuzz: %s: dmoc %s\n%s\n", why, words, said ? said : "");
  abort();
}

// the state of an answer, as a process begins with it: what was printed is freed already
static void begin_answer(void) {
  memset(&answer, 0, sizeof answer);
}

// one JSON object on stdout, and nothing else there
static void check_answer(const char *words) {
  char *said = get_file("stdout");
  json_tokener *reader = json_tokener_new_ex(64);
  json_object *o = said ? json_tokener_parse_ex(reader, said, (int)strlen(said)) : NULL;
  const size_t end = json_tokener_get_parse_end(reader);

  // all of it was read
  if (!json_object_is_type(o, json_type_object) || said[end + strspn(said + end, "\n")])
    fail_run("stdout is not one JSON object", words);
  json_object_put(o);
  json_tokener_free(reader);
  free(said);
}

// run the program on words apart by a character
static void run_words(const char *words, char apart) {
  char text[1024], *word[WORDS] = {"dmoc", "--json"};
  int n = 2;
  snprintf(text, sizeof text, "%s", words);

  // where one ends, the next begins
  for (char *at = text; at && *at && n < WORDS - 1;) {
    char *end = strchr(at, apart);
    if (end) *end++ = 0;
    if (*at) word[n++] = at;
    at = end;
  }

  // what it says goes to a file, from its beginning
  if (ftruncate(fileno(stdout), 0) != 0) abort();
  rewind(stdout);
  begin_answer();
  int status = run_program(n, word);
  if (status < CLI_DONE || status > CLI_INPUT) fail_run("exit status", words);
  check_answer(words);
}

void fuzz_run(const char *words) {
  run_words(words, ' ');
}

// words as they were typed, a line each: none leads out of the folder or begins a long search
static bool are_harmless(const char *words) {
  static const char *const known[] = {"info", "eval", "check", "convert", "report", "export", "--"};

  if (strchr(words, '/') || strstr(words, "..")) return false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strncmp(words, known[i], strlen(known[i]))) return true;
  return false;
}

// the digest that result.json has of a file is that of the bytes, as if the program had written them
static void renew_digest(const char *name, const uint8_t *bytes, size_t size) {
  pb_sha256 s;
  char digest[65], key[80];
  pb_sha256_init(&s);
  pb_sha256_add(&s, bytes, size);
  pb_sha256_text(&s, digest);

  // behind its name, a colon, a space and a quote
  snprintf(key, sizeof key, "\"%s\":", name);
  char *at = strstr(record, key);
  if (at) memcpy(at + strlen(key) + 2, digest, 64);
  put_file("result", "result.json", record);
}

static const fuzz_kind *const lists[] = {fuzz_readers, fuzz_folders, fuzz_writers};
enum { LISTS = sizeof lists / sizeof *lists };

static const fuzz_kind *find_alone(const char *name) {
  for (int i = 0; i < LISTS; i++)
    for (const fuzz_kind *k = lists[i]; k->name; k++)
      if (!strcmp(k->name, name)) return k;
  return NULL;
}

static bool find_kind(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    kind = (int)i;
    if (!strcmp(kinds[i].kind, name)) return true;
  }
  kind = -1;
  alone = find_alone(name);
  return alone;
}

// the words of FUZZ_KIND there are
static void tell_kinds(void) {
  fprintf(stderr, "fuzz: FUZZ_FOLDER is a folder, FUZZ_KIND one of");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) fprintf(stderr, " %s", kinds[i].kind);
  for (int i = 0; i < LISTS; i++)
    for (const fuzz_kind *k = lists[i]; k->name; k++) fprintf(stderr, " %s", k->name);
  fprintf(stderr, "\n");
}

// what the kinds read beside the bytes; stdout is a file from here on
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const char *name = getenv("FUZZ_KIND"), *folder = getenv("FUZZ_FOLDER");
  if (!name || !find_kind(name) || !folder || chdir(folder) != 0) {
    tell_kinds();
    exit(2);
  }

  // a task that is solved, and one whose tables are the bytes
  char text[1024];
  snprintf(text, sizeof text, "%s%s", base, task);
  put_file(".", "task.yaml", text);
  snprintf(text, sizeof text, "%s%s", base, tables);
  put_file(".", "tables.yaml", text);
  if (!freopen("stdout", "w", stdout) || begin_work(argc, argv) != CLI_DONE) exit(2);
  run_words(alone ? "run full.yaml -o result --threads 1" : "gains task.yaml -o result", ' ');
  record = get_file("result/result.json");
  if (!record) fail_run("no result", "gains");
  if (alone && alone->begin) alone->begin();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (alone) {
    alone->run(bytes, size);
    return 0;
  }
  if (!strcmp(kinds[kind].kind, "words")) {
    char words[1024] = "";
    memcpy(words, bytes, size < sizeof words ? size : sizeof words - 1);
    if (are_harmless(words)) run_words(words, '\n');
    return 0;
  }

  // the file, then all that is asked of it
  put_bytes(".", kinds[kind].file, bytes, size);
  if (!strcmp(kinds[kind].kind, "motion")) renew_digest("trajectory.csv", bytes, size);
  for (int i = 0; i < RUNS && kinds[kind].runs[i]; i++) run_words(kinds[kind].runs[i], ' ');
  return 0;
}
