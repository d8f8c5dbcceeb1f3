// Each option of optim/nlp/options.h changes the motion that a solver finds, by its example.
#include "optim/nlp/ipopt.h"
#include "optim/nlp/options.h"
#include "tests/support/commands.h"

// problems for each solver, and the keys of sections that choose it
static const struct {
  unsigned solver;
  const char *command, *folder, *file, *solvers, *starts;
} problems[] = {
    {OC_BY_STAGE, "optimize", "cart-pole", "swing-up.yaml", "method: stage", NULL},
    {OC_BY_STAGE, "optimize", "contact", "jump.yaml", "method: stage", NULL},
    {OC_BY_IPOPT, "optimize", "cart-pole", "swing-up.yaml", "method: ipopt", NULL},
    {OC_BY_NEWTON, "optimize", "two-link", "swing-up.yaml", NULL, NULL},
    {OC_BY_DESCENT, "descend", "pendulum", "paper-001.yaml", NULL, NULL},
    {OC_BY_DESCENT, "descend", "cart-pole", "swing-up.yaml", NULL, NULL},
    {OC_BY_STARTS, "optimize --threads 1", "pendubot", "swing-up.yaml", NULL, "count: 40"},
    {OC_BY_STARTS, "optimize --threads 1", "cart-pole", "swing-up.yaml", NULL, "count: 200"},
};

// "section: {chosen, key: example}"; the option replaces the key if it is the same
static void put_section(FILE *f, const char *section, const char *chosen, const oc_option *o) {
  const size_t length = strlen(section);
  const bool own = o && !strncmp(o->path, section, length);
  const char *key = own ? o->path + length + 1 : "";
  if (chosen && own && !strncmp(chosen, key, strlen(key))) chosen = NULL;
  if (!chosen && !own) return;
  fprintf(f, "%s: {%s%s", section, chosen ? chosen : "", chosen && own ? ", " : "");
  if (own) fprintf(f, "%s: %s", key, o->example);
  fprintf(f, "}\n");
}

// a problem without its gains and solver, with an option; NULL: none
static void put_problem(int p, const oc_option *o) {
  char path[PROGRAM_LINE];
  FILE *f = fopen("task.yaml", "w");
  assert_non_null(f);
  snprintf(path, sizeof path, "%s/problems/%s/%s", source_folder(), problems[p].folder,
           problems[p].file);
  char *text = get_file(path);
  assert_non_null(text);
  for (char *rest = text, *line; (line = strtok_r(rest, "\n", &rest));)
    if (strncmp(line, "solver:", 7) && strncmp(line, "feedback:", 9) &&
        strncmp(line, "verify:", 7) && strncmp(line, "starts:", 7))
      fprintf(f, "%s\n", line);
  free(text);
  fprintf(f, "folder: %s/problems/%s\n", source_folder(), problems[p].folder);
  put_section(f, "solver", problems[p].solvers, o);
  put_section(f, "starts", problems[p].starts, o);
  put_section(f, "contact", NULL, o);
  fclose(f);
}

// the exit status, and the motion or the optima of all searches, or NULL; free it
static int solve(int p, const oc_option *o, char **motion) {
  char line[PROGRAM_LINE];
  put_problem(p, o);
  snprintf(line, sizeof line, "%s task.yaml -o motion --quiet", problems[p].command);
  const int status = program_run(line);
  const bool searches = problems[p].solver == OC_BY_STARTS;
  const char *table = searches ? "motion/optima.csv" : "motion/trajectory.csv";
  *motion = status == CLI_DONE ? get_file(table) : NULL;
  return status;
}

// whether a solver that reads the option finds another motion, or another status
static bool has_effect(const oc_option *o, int p) {
  char *plain, *changed;
  const int was = solve(p, NULL, &plain), is = solve(p, o, &changed);
  const bool same = plain && changed && !strcmp(plain, changed);
  free(plain);
  free(changed);
  return was == CLI_DONE && is <= CLI_OUTCOME && !same;
}

static void options_have_an_effect(void **state) {
  (void)state;
  int without = 0;
  for (const oc_option *o = oc_option_rows; o < oc_option_rows + OC_OPTION_COUNT; o++) {
    if (!oc_ipopt_is_built() && (o->read_by & OC_BY_ALL) == OC_BY_IPOPT) continue;
    bool found = false;
    for (size_t p = 0; p < sizeof problems / sizeof *problems && !found; p++) {
      if (!(o->read_by & problems[p].solver)) continue;
      if (problems[p].solver == OC_BY_IPOPT && !oc_ipopt_is_built()) continue;
      found = has_effect(o, (int)p);
    }
    if (!found) print_error("%s: %s has no effect\n%s", o->path, o->example, program_said);
    without += !found;
  }
  assert_int_equal(without, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_have_an_effect)};
  return cmocka_run_group_tests(tests, program_open, program_close);
}
