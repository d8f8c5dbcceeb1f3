#include "cli/commands.h"
#include "cli/say.h"
#include "config.h"
#include "problems/names.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

static const cli_command commands[] = {
    {"run", "the whole way: optimize (without a horizon: simulate), gains, verify, export", cmd_run,
     "PROBLEM [-o DIR] [--from DIR]"},
    {"check", "read a problem, print its sizes, hold its derivatives against differences",
     cmd_check, "PROBLEM"},
    {"simulate", "integrate forward as the problem's simulate section says", cmd_simulate,
     "PROBLEM [-o DIR]"},
    {"optimize", "problem -> trajectory", cmd_optimize, "PROBLEM [-o DIR] [--from DIR]"},
    {"descend", "problem -> trajectory, by first- and second-order descent side by side",
     cmd_descend,
     "PROBLEM [-o DIR] [--from DIR] [--method METHOD] [--kkt SOLVER] [--paper] [--quasi N] [--tol "
     "SLOPE]"},
    {"gains", "trajectory -> time-varying gains (a problem is optimized first)", cmd_gains,
     "PROBLEM|DIR [-o DIR]"},
    {"verify", "do the gains hold? perturbed starts, on two plants", cmd_verify,
     "PROBLEM|DIR [-o DIR]"},
    {"export", "the law as C99 for a robot: controller.c, .h, a trace and its replay", cmd_export,
     "PROBLEM|DIR [-o DIR] [--single] [--all] [--force]"},
    {"linearize", "A, B of every knot, as CSV; what inputs reach and outputs show", cmd_linearize,
     "PROBLEM|DIR [-o DIR] [--knot K] [--second] [--window W] [--outputs NAMES]"},
    {"plot", "a picture of a result folder", cmd_plot,
     "DIR -o FILE.svg|png|pdf [--what WHAT] [--only NAMES]"},
    {"info", "joints, limits and masses of a model, as read", cmd_info, "MODEL [--floating]"},
    {"eval", "mass matrix, momentum, derivatives of L, inverse dynamics at a state", cmd_eval,
     "MODEL --q LIST --v LIST [--a LIST] [--floating]"},
};
enum { NCOMMAND = sizeof commands / sizeof commands[0] };

static void help(void) {
  printf("dmoc %s: discrete mechanics and optimal control\n\n"
         "usage: dmoc COMMAND ...\n\n",
         DMOC_VERSION);
  for (const cli_command *c = commands; c < commands + NCOMMAND; c++)
    printf("  %-10s %s\n             %s\n", c->name, c->usage, c->what);
  printf("\nPROBLEM is a YAML file, MODEL a URDF file or a problem, DIR a result folder.\n"
         "All take --json (one JSON object on stdout), --quiet, --help. Exit status: 0 done,\n"
         "1 a numerical outcome (not converged, infeasible, gains that do not hold), 2 bad input,\n"
         "3 a fault of dmoc. The launcher ./dmoc in the sources also knows test and bench.\n");
}

static int unknown_command(const cli_args *args, const char *word) {
  if (!strcmp(word, "test") || !strcmp(word, "bench"))
    return cli_fail(args, CLI_INPUT, "%s belongs to the launcher ./dmoc at the root of the sources",
                    word);
  const char *known[NCOMMAND];
  for (int i = 0; i < NCOMMAND; i++) known[i] = commands[i].name;
  const char *near = pb_names_nearest(known, NCOMMAND, word);
  return cli_fail(args, CLI_INPUT, "there is no command '%s'%s%s%s; see dmoc --help", word,
                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int dispatch(int n, char **word) {
  cli_args args = {0};
  for (int i = 1; i < n; i++) args.json = args.json || !strcmp(word[i], "--json");
  if (n < 2 || !strcmp(word[1], "--help") || !strcmp(word[1], "-h")) {
    help();
    return n < 2 ? CLI_INPUT : CLI_DONE;
  }
  if (!strcmp(word[1], "--version")) {
    printf("dmoc %s\n", DMOC_VERSION);
    return CLI_DONE;
  }
  for (const cli_command *c = commands; c < commands + NCOMMAND; c++)
    if (!strcmp(c->name, word[1])) args.command = c;
  if (!args.command) return unknown_command(&args, word[1]);
  int status = cli_args_read(&args, n - 2, word + 2);
  if (status != CLI_DONE) return status;
  if (!args.help) return args.command->run(&args);
  cli_args_help(args.command);
  return CLI_DONE;
}

int main(int n, char **word) {
  openblas_set_num_threads(1); // the matrices are small: a second thread only costs
  cli_interrupt_catch();
  int status = dispatch(n, word);
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  cli_error("the output cannot be written");
  return status == CLI_DONE ? CLI_INPUT : status;
}
