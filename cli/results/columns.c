#include "cli/results/columns.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

// what a table is, whatever the result
static const struct {
  const char *table, *text;
} tables[] = {
    {"trajectory.csv",
     "A row a knot k at time t: configuration q, momentum p, velocity v by coordinate; the inputs "
     "u "
     "and the impulses lambda of constraints in the step from there to the next knot, which the "
     "last has not. Of a simulation also energy, moment about the world's origin and momentum."},
    {"second-order.csv", "The solution of the second-order transcription itself, in the columns of "
                         "trajectory.csv; u is "
                         "the mean of each step."},
    {"plant.csv",
     "What the plant that result.json names does under the plan's inputs, each step anew from the "
     "plan's knot: a row a piece of a step, u the input that led there; the first row is the "
     "start."},
    {"gains.csv", "A row a knot; K.INPUT.STATE is the gain of that input on that state."},
    {"measured.csv",
     "The law that runs, in what is measured: G.INPUT.Y is the gain of that input on that entry of "
     "y; before. is a step ago, now. is under way."},
    {"estimator.csv",
     "z <- z + L (y - z), y and z: coordinates measured and estimated, less those of x_d; "
     "u = u_d - K z; z <- A z + B (u - u_d) to the next row. std is the standard deviation of z's "
     "error before y."},
    {"linearization.csv",
     "x1 = A x + B u to first order, x = (q, p), for the step from each knot to the next; lambda: "
     "derivatives of the step's constraint impulses by x and u."},
    {"second.csv",
     "Second derivatives of x1 = f(x, u), x = (q, p): of a state by row and column, states or "
     "inputs. Those that are 0 are left out, and so is the other of two that are equal by "
     "symmetry."},
    {"reach.csv",
     "Dimensions that inputs reach and positions show: by A, B of each knot, and over the steps "
     "from window.knot on. kept, dropped: the least pivot counted and the largest not, relative; "
     "sigma: the singular value of that number of [B, AB, ..] itself."},
    {"verify.csv",
     "A row a sample and plant: errors at the start and at the end of the run, the state that was "
     "worst there, the worst error on the way, steps with an input at a limit, steps taken, and "
     "whether it held."},
    {"fan.csv", "q of the first closed-loop runs."},
    {"response.csv",
     "One start off the plan, without feedback (open) and with it (closed); error: the norm of "
     "x - x_d, x = (q, p)."},
    {"robustness.csv",
     "Each axis alone. level: times the size in the problem; low, high: of the rate, with 95 % "
     "confidence."},
    {"region.csv",
     "Sizes in spreads along random directions: the largest that held, the least that failed."},
    {"controller_trace.csv",
     "A closed loop on the discrete map: what is measured, and the law's answer, for "
     "controller_replay.c."},
    {"multipliers.csv",
     "The program's point, in the order of optim/transcription/transcribe.h: x, z_l, z_u of "
     "variable i, lambda of "
     "row i."},
    {"convergence.csv", "A row an iteration of the optimizer."},
    {"descent.csv", "A row an iteration of a descent."},
    {"monitors.csv", "What a simulation conserves, a row a knot kept."},
    {"contacts.csv",
     "A row a contact made, held or left in the step to knot k, with its impulse and that of "
     "friction in N s."},
};

void cli_columns_say(cli_json *result, const char *table, const char *format, ...) {
  char text[800];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  cli_json *said = cli_json_get_object(result, "columns");
  if (!said) said = cli_json_object(result, "columns");
  cli_json_text(said, table, text);
}

// whether the folder has a table, or will when it is closed
static bool is_there(const cli_folder *out, const char *dir, const char *table) {
  char path[CLI_PATH];
  if (cli_folder_begun(out, table)) return true;
  if (!dir || cli_folder_removed(out, table)) return false;
  cli_commit_join(path, dir, table);
  return path[0] && access(path, F_OK) == 0;
}

// lines of at most 96 letters, indented
static void put_paragraph(FILE *f, const char *text) {
  enum { WIDTH = 96 };
  while (*text) {
    size_t length = strlen(text), cut = length;
    if (length > WIDTH)
      for (cut = WIDTH; cut > 1 && text[cut] != ' ';) cut--;
    fprintf(f, "  %.*s\n", (int)cut, text);
    text += cut;
    text += *text == ' ';
  }
}

void cli_columns_write(FILE *f, cli_json *result, const cli_folder *out, const char *dir) {
  cli_json *own = cli_json_get_object(result, "columns");
  fputs("What is in the tables beside this file. Each begins with the names of its columns; a cell "
        "is empty\nwhere there is no number. SI units, angles in rad.\n",
        f);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const char *table = tables[i].table, *more = own ? cli_json_get_text(own, table) : NULL;
    if (!is_there(out, dir, table)) {
      if (more) json_object_object_del(own, table);
      continue;
    }
    fprintf(f, "\n%s\n", table);
    if (more) put_paragraph(f, more);
    put_paragraph(f, tables[i].text);
  }
}
