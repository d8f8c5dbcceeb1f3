#include "cli/commands/manual.h"

#include "cli/commands/commands.h"
#include "cli/console/args.h"
#include "config.h"

#include <stdlib.h>

#define LIST_COMMAND(word) &cli_command_##word,
static const cli_command *const commands[] = {CLI_COMMANDS(LIST_COMMAND) NULL};

// text before and after the commands
static const char opening[] =
    ".SH NAME\n"
    "dmoc \\- discrete mechanics and optimal control\n"
    ".SH SYNOPSIS\n"
    ".B dmoc\n.I COMMAND PROBLEM\n|\n.I MODEL\n|\n.I DIR\n.RI [ options ]\n"
    ".SH DESCRIPTION\n"
    "dmoc takes a robot and a task and computes an optimal trajectory, the feedback gains that\n"
    "hold it, a record of how well they do, and a C file that runs on the robot.\n"
    ".PP\n"
    ".I PROBLEM\nis a YAML file,\n.I MODEL\na robot file (URDF, MuJoCo's XML) or a problem,\n.I "
    "DIR\na result folder.\n"
    "Results go to results/ and the problem's name, or to the folder of\n.BR \\-o .\n";
static const char closing[] =
    ".SH EXIT STATUS\n"
    ".TP\n0\nThe command is done.\n"
    ".TP\n1\nA numerical outcome: not converged, infeasible, gains that do not hold; or "
    "interrupted.\n"
    ".TP\n2\nBad input.\n"
    ".TP\n3\nA fault of dmoc.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B OPENBLAS_CORETYPE\nThe kernels of OpenBLAS, where it does not know the processor.\n"
    ".SH EXAMPLES\n"
    ".EX\n"
    "dmoc run problems/cart\\-pole/swing\\-up.yaml\n"
    "dmoc plot results/cart\\-pole\\-swing\\-up \\-o picture.svg\n"
    "dmoc sweep swing\\-up.yaml \\-\\-vary horizon.time=1:3:5\n"
    ".EE\n"
    ".SH SEE ALSO\n"
    "The tutorial, the guide and the format of problem files stand in docs/ of the sources.\n";

// text for man(7): hyphens are minus signs, and no line starts with a request
static void put_text(FILE *f, const char *text) {
  if (*text == '.' || *text == '\'') fprintf(f, "\\&");
  for (; *text; text++) {
    if (*text == '-')
      fprintf(f, "\\-");
    else if (*text == '\\')
      fprintf(f, "\\e");
    else
      fputc(*text, f);
    if (*text == '\n' && (text[1] == '.' || text[1] == '\'')) fprintf(f, "\\&");
  }
}

// an option, its value, and its description
static void put_option(FILE *f, const cli_option *o) {
  fprintf(f, ".TP\n.B ");
  put_text(f, o->name);
  if (o->value) fprintf(f, " \\fI%s\\fR", o->value);
  fprintf(f, "\n");
  put_text(f, o->what);
  fprintf(f, "\n");
}

// the options of a command, or those common to all commands
static void put_options(FILE *f, const cli_command *c, bool common) {
  cli_option o;
  for (int i = 0; cli_args_option(c, i, &o); i++)
    if (o.common == common) put_option(f, &o);
}

void cli_manual_write(FILE *f) {
  fprintf(f, ".TH DMOC 1 \"\" \"dmoc %s\" \"User Commands\"\n%s", DMOC_VERSION, opening);
  fprintf(f, ".SH COMMANDS\n");
  for (int i = 0; commands[i]; i++) {
    const cli_command *c = commands[i];
    fprintf(f, ".SS dmoc %s ", c->name);
    put_text(f, c->usage);
    fprintf(f, "\n");
    put_text(f, c->what);
    fprintf(f, "\n");
    put_options(f, c, false);
    if (c->more) {
      // the additional help of a command, verbatim
      char *text = NULL;
      size_t size;
      FILE *memory = open_memstream(&text, &size);
      if (memory) {
        c->more(memory);
        fclose(memory);
        fprintf(f, ".PP\n.EX\n");
        put_text(f, *text == '\n' ? text + 1 : text);
        fprintf(f, ".EE\n");
        free(text);
      }
    }
  }

  fprintf(f, ".SH OPTIONS\nAll commands take these.\n");
  put_options(f, commands[0], true);
  fprintf(f, ".PP\nIn place of a command:\n");
  put_option(f, &(cli_option){.name = "--version", .what = "the version"});
  put_option(f, &(cli_option){.name = "--keys", .what = "the keys of problem files, as a table"});
  put_option(f, &(cli_option){.name = "--results", .what = "the keys of result.json, as a table"});
  put_option(f,
             &(cli_option){.name = "--elements", .what = "the elements of robot files, as tables"});
  put_option(f, &(cli_option){.name = "--man", .what = "this page, for man(1)"});
  put_option(f, &(cli_option){.name = "--completion",
                              .value = "SHELL",
                              .what = "the completion script for bash, zsh or fish"});
  fprintf(f, "%s", closing);
}
