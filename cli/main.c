#include "cli/commands/commands.h"
#include "cli/commands/completion.h"
#include "cli/commands/elements.h"
#include "cli/commands/keys.h"
#include "cli/commands/manual.h"
#include "cli/commands/stages.h"
#include "cli/console/answer.h"
#include "cli/console/args.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/console/memory.h"
#include "cli/mpi/work_sharing.h"
#include "cli/mpi/workers.h"
#include "cli/results/kinds.h"
#include "config.h"
#include "lib/base/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIST_COMMAND(word) &cli_command_##word,
static const cli_command *const commands[] = {CLI_COMMANDS(LIST_COMMAND)};
enum { NCOMMAND = sizeof commands / sizeof commands[0] };

static void write_help(FILE *f) {
  fprintf(f,
          "dmoc %s: discrete mechanics and optimal control\n\n"
          "usage: dmoc COMMAND ...\n\n",
          DMOC_VERSION);

  // usage and description of each, in the order of the list
  for (int i = 0; i < NCOMMAND; i++)
    fprintf(f, "  %-10s %s\n             %s\n", commands[i]->name, commands[i]->usage,
            commands[i]->what);
  fprintf(
      f, "\nPROBLEM is a YAML file, MODEL a robot file or a problem, DIR a result folder.\n"
         "All take --json (one JSON object on stdout), --quiet, --help. Exit status: 0 done,\n"
         "1 a numerical outcome (not converged, infeasible, gains that do not hold), 2 bad input,\n"
         "3 a fault of dmoc. The launcher ./dmoc in the sources also knows test, bench and docs.\n"
         "dmoc --keys prints the keys of problem files, dmoc --results the keys of result.json,\n"
         "dmoc --elements the elements of robot files, dmoc --man the manual page,\n"
         "dmoc --completion bash|zsh|fish what a shell completes.\n");
}

static int refuse_command(const cli_args *args, const char *word) {
  // commands of the launcher script
  if (!strcmp(word, "test") || !strcmp(word, "bench") || !strcmp(word, "docs"))
    return cli_fail(args, CLI_INPUT, "%s belongs to the launcher ./dmoc at the root of the sources",
                    word);

  // otherwise suggest the nearest command
  const char *known[NCOMMAND];
  for (int i = 0; i < NCOMMAND; i++) known[i] = commands[i]->name;
  char near[CLI_SUGGESTION];
  return cli_fail(args, CLI_INPUT, "there is no command '%s'%s; see dmoc --help", word,
                  cli_suggest(known, NCOMMAND, word, near));
}

// print a text on stdout, or under a key of the JSON answer
static void tell_text(const cli_args *args, const char *key, const char *text) {
  cli_json *o = json_object_new_object();
  cli_json_text(o, key, text);
  cli_answer_set(o);
  json_object_put(o);
  if (!args->json) printf("%s\n", text);
}

// show the text written by a function; NULL: the help of a command
static int show_text(const cli_args *args, const char *key, void (*write)(FILE *f),
                     const cli_command *c) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) return cli_fail(args, CLI_FAULT, "out of memory");

  // by the function, or the help of a command
  if (write)
    write(f);
  else
    cli_args_help(f, c);
  fclose(f);
  if (text && size) text[size - 1] = 0; // without the last newline
  tell_text(args, key, text ? text : "");
  free(text);
  return CLI_DONE;
}

// show the completion script of the shell after --completion
static int show_completion(const cli_args *args, const char *shell) {
  const char *known[CLI_SHELLS];
  for (int i = 0; i < CLI_SHELLS; i++) {
    known[i] = cli_shells[i].name;
    if (shell && !strcmp(known[i], shell))
      return show_text(args, "completion", cli_shells[i].write, NULL);
  }

  // unknown shell
  char list[64], near[CLI_SUGGESTION] = "";
  dm_names_list(known, CLI_SHELLS, list, sizeof list);
  if (!shell) return cli_fail(args, CLI_INPUT, "--completion: found nothing, expected %s", list);
  return cli_fail(args, CLI_INPUT, "--completion: found %s, expected %s%s", shell, list,
                  cli_suggest(known, CLI_SHELLS, shell, near));
}

// the number of threads; with several ranks one each
static int take_threads(const cli_args *args) {
  const bool alone = cli_work_count() == 1;

  // default: all processors (0), or one with other ranks
  const double n = args->threads > 0 ? args->threads : !alone;
  if (n > 1 && !alone)
    return cli_fail(args, CLI_INPUT,
                    "--threads: found %g beside %d processes of a launcher, expected 1: start more "
                    "processes",
                    n, cli_work_count());
  cli_workers_set((int)n);
  return CLI_DONE;
}

static int run_command(cli_args *args, int n, char **word) {
  int status = cli_args_read(args, n - 2, word + 2);

  if (status != CLI_DONE) return status;

  // other ranks compute only in commands that share their work
  args->nowhere = cli_work_this() > 0;
  if (args->nowhere && !args->command->shares) return CLI_DONE;
  if (args->help) return show_text(args, "help", NULL, args->command);
  status = take_threads(args);
  if (status != CLI_DONE) return status;
  return args->command->run ? args->command->run(args) : cli_walk_command(args);
}

static bool asks_json(int n, char **word) {
  for (int i = 1; i < n; i++)
    if (!strcmp(word[i], "--json")) return true;
  return false;
}

// words that replace a command, with their keys in the answer
static const struct {
  const char *word, *key;
  void (*write)(FILE *f);
} texts[] = {{"--help", "help", write_help},     {"-h", "help", write_help},
             {"help", "help", write_help},       {"--man", "manual", cli_manual_write},
             {"--keys", "keys", cli_keys_write}, {"--elements", "elements", cli_elements_write}};

static const cli_command *find_command(const char *word) {
  for (int i = 0; i < NCOMMAND; i++)
    if (!strcmp(commands[i]->name, word)) return commands[i];
  return NULL;
}

static int dispatch_command(int n, char **word) {
  // errors before parsing are also JSON answers
  cli_args args = {0};
  args.json = asks_json(n, word);

  // --json may precede the command
  while (n > 1 && !strcmp(word[1], "--json")) {
    n--;
    word++;
  }
  if (n < 2 && args.json) return cli_fail(&args, CLI_INPUT, "found no command; see dmoc --help");
  if (n < 2) {
    show_text(&args, "help", write_help, NULL);
    return CLI_INPUT;
  }

  // help COMMAND is COMMAND --help
  if (!strcmp(word[1], "help") && n > 2 && word[2][0] != '-') {
    args.command = find_command(word[2]);
    return args.command ? show_text(&args, "help", NULL, args.command)
                        : refuse_command(&args, word[2]);
  }

  // standard texts
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!strcmp(word[1], texts[i].word))
      return show_text(&args, texts[i].key, texts[i].write, NULL);
  if (!strcmp(word[1], "--results")) {
    // the keys of result.json: a table, or as JSON an object
    if (!args.json) return show_text(&args, "results", cli_kinds_write, NULL);
    cli_json *o = json_object_new_object();
    json_object_object_add(o, "results", cli_kinds_json());
    cli_answer_set(o);
    json_object_put(o);
    return CLI_DONE;
  }
  if (!strcmp(word[1], "--completion")) return show_completion(&args, n > 2 ? word[2] : NULL);
  if (!strcmp(word[1], "--version")) {
    if (args.json)
      tell_text(&args, "version", DMOC_VERSION);
    else
      tell_text(&args, "", "dmoc " DMOC_VERSION);
    return CLI_DONE;
  }

  // otherwise a command with its arguments
  args.command = find_command(word[1]);
  return args.command ? run_command(&args, n, word) : refuse_command(&args, word[1]);
}

// OpenBLAS starts its threads when it is loaded. More than one only costs time, because the matrices are small, and
// with little address space they cannot start.
static void use_one_thread(char **word) {
  const char *name = "OPENBLAS_NUM_THREADS", *threads = getenv(name);
  if ((threads && !strcmp(threads, "1")) || setenv(name, "1", 1) != 0) return;
#ifdef DM_LINKS_LIBRARIES
  execv("/proc/self/exe", word); // it is loaded already: run the program again
#else
  (void)word;
#endif
}

int main(int n, char **word) {
  static char room[BUFSIZ]; // stdout's buffer, so that printing allocates nothing
  use_one_thread(word);
  setvbuf(stdout, room, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof room);
  if (asks_json(n, word)) cli_answer_ask(); // first, so that a signal finds the answer
  cli_interrupt_catch();
  cli_memory_watch();
  int status = cli_work_begin(&n, &word);
  if (status == CLI_DONE) status = cli_work_end(dispatch_command(n, word));
  cli_interrupt_worth(CLI_BRIEF); // a partially printed answer is not valid JSON
  cli_answer_print(status);
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  cli_error("the output cannot be written");
  return status == CLI_DONE ? CLI_INPUT : status;
}
