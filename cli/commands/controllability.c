#include "control/feedback/controllability.h"
#include "cli/commands/commands.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/columns.h"
#include "cli/results/reach.h"
#include "cli/stages/job.h"
#include "control/feedback/constraint_tangent.h"
#include "lib/discrete/linearize.h"
#include "problems/readers/format/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// of knots and of windows, what inputs reach and what outputs show
enum { PAIR_REACHED, PAIR_SHOWN, WINDOW_REACHED, WINDOW_SHOWN, KINDS };

// the least rank so far, and where; of equal ones the least clear
typedef struct least {
  fb_span span;
  int knot; // -1: none so far
} least;

typedef struct survey {
  cli_job *job;
  dm_linearize *w;
  fb_constraint_tangent *tangent;
  fb_controllability *reach;
  FILE *f;
  int window, last;  // steps of a window; the last knot wanted
  int ny, *output;   // [ny] coordinates that are measured
  int full[2];       // dimensions there are to reach, to show
  double *A, *B, *C; // [window] stages
  least of[KINDS];
} survey;

static void survey_free(survey *v) {
  dm_linearize_free(v->w);
  fb_constraint_tangent_free(v->tangent);
  fb_controllability_free(v->reach);
  free(v->output);
  free(v->A), free(v->B), free(v->C);
}

// --outputs: names of coordinates; all where left out
static int choose_outputs(survey *v) {
  const cli_job *job = v->job;
  const cli_names *names = &job->names;
  const char *list = job->args->outputs;
  if (!list) {
    for (int i = 0; i < names->n; i++) v->output[v->ny++] = i;
    return CLI_DONE;
  }
  for (size_t word; *list; list += word + (list[word] == ',')) {
    char name[128];
    word = strcspn(list, ",");
    snprintf(name, sizeof name, "%.*s", (int)word, list);
    int i = pb_names_find(names->coord, names->n, name);
    const char *near = i < 0 ? pb_names_nearest(names->coord, names->n, name) : NULL;
    if (i < 0 || v->ny == names->n)
      return cli_fail(job->args, CLI_INPUT, "--outputs takes names of coordinates, got '%s'%s%s%s",
                      name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    v->output[v->ny++] = i;
  }
  return CLI_DONE;
}

// --window: steps, as many as states where left out
static int choose_window(survey *v) {
  const cli_job *job = v->job;
  const char *text = job->args->window;
  char *end;
  long steps = text ? strtol(text, &end, 10) : 2 * job->names.n;
  if (text && (*end || end == text || steps < 1))
    return cli_fail(job->args, CLI_INPUT, "--window takes a number of steps >= 1, got '%s'", text);
  if (text && steps > job->x->N)
    cli_note(job->args, "--window %ld is longer than the motion: it is cut to %d steps", steps,
             job->x->N);
  v->window = steps < job->x->N ? (int)steps : job->x->N;
  return CLI_DONE;
}

static int prepare(survey *v) {
  const cli_job *job = v->job;
  const dm_system *s = &job->task->system;
  size_t n = (size_t)job->names.n, nx = 2 * n, nu = (size_t)job->names.nu;
  int most = job->names.n > job->names.nu ? job->names.n : job->names.nu;
  v->output = calloc(n, sizeof *v->output);
  if (!v->output) return cli_fail(job->args, CLI_FAULT, "out of memory");
  int status = choose_outputs(v);
  if (status == CLI_DONE) status = choose_window(v);
  if (status != CLI_DONE) return status;
  size_t W = (size_t)v->window;
  v->A = calloc(W * nx * nx, sizeof *v->A);
  v->B = calloc(W * nx * nu + 1, sizeof *v->B);
  v->C = calloc(W * (size_t)v->ny * nx, sizeof *v->C);
  dm_status made = v->A && v->B && v->C ? DM_OK : DM_NO_MEMORY;
  if (made == DM_OK) made = dm_linearize_new(&v->w, s);
  if (made == DM_OK)
    made = fb_constraint_tangent_new(&v->tangent, s->L.nq, s->hol.nc, s->kinematic);
  if (made == DM_OK) made = fb_controllability_new(&v->reach, (int)nx, most);
  if (made != DM_OK) return cli_fail(job->args, CLI_FAULT, "%s", dm_status_text(made));
  // deviations that keep the constraints; velocities of what is prescribed show in no position
  v->full[0] = 2 * (s->L.nq - s->hol.nc);
  v->full[1] = v->full[0] - s->nk;
  for (int i = 0; i < KINDS; i++) v->of[i].knot = -1;
  return CLI_DONE;
}

// A, B, C of knot k, for deviations that keep the constraints, as stage j
static dm_status stage(survey *v, int k, int j) {
  const dm_trajectory *x = v->job->x;
  size_t n = (size_t)x->n, nx = 2 * n, nu = (size_t)x->nu, nc = (size_t)x->nc, at = (size_t)k;
  double *A = v->A + (size_t)j * nx * nx, *C = v->C + (size_t)j * (size_t)v->ny * nx;
  double *B = v->B + (size_t)j * nx * nu;
  const double *q = x->q + at * n;
  DM_TRY(dm_linearize_step(v->w, q, q + n, x->u + at * nu, x->lambda + at * nc, x->h, A, B));
  DM_TRY(fb_constraint_tangent_set(v->tangent, v->w->k->Dh1));
  fb_constraint_tangent_quotient(v->tangent, (int)nx, A);
  fb_constraint_tangent_quotient(v->tangent, (int)nu, B);
  DM_TRY(fb_constraint_tangent_set(v->tangent, v->w->k->Dh0));
  fb_constraint_tangent_restrict(v->tangent, (int)nx, A);
  memset(C, 0, (size_t)v->ny * nx * sizeof *C);
  for (int i = 0; i < v->ny; i++) C[(size_t)i * nx + (size_t)v->output[i]] = 1;
  fb_constraint_tangent_restrict(v->tangent, v->ny, C);
  return DM_OK;
}

// one kind of question at stages j..j+N-1, which begin at knot k
static dm_status ask(survey *v, int kind, int j, int N, int k, fb_span *span) {
  size_t nx = 2 * (size_t)v->job->names.n;
  bool shown = kind % 2, pair = kind < WINDOW_REACHED;
  fb_stages s = {.N = N, .m = shown ? v->ny : v->job->names.nu, .outputs = shown};
  s.A = v->A + (size_t)j * nx * nx;
  s.B = (shown ? v->C : v->B) + (size_t)j * (size_t)s.m * nx;
  *span = (fb_span){.kept = 1};
  if (s.m) DM_TRY((pair ? fb_controllability_pair : fb_controllability_window)(v->reach, &s, span));
  least *of = &v->of[kind];
  bool less =
      span->rank < of->span.rank || (span->rank == of->span.rank && span->kept < of->span.kept);
  if (of->knot < 0 || less) *of = (least){*span, k};
  return DM_OK;
}

static void write_header(const survey *v) {
  cli_columns_say(
      v->job->result, "reach.csv",
      "Inputs can reach at most %d directions, positions can show at most %d; windows are of %d "
      "steps; pivots count above %g.",
      v->full[0], v->full[1], v->window, FB_REACH_TOL);
  cli_reach_header(v->f);
}

// the window for knot k, which is the last there is where it would end too late; and the pairs of
// knots from k to its end
static dm_status look(survey *v, int k) {
  fb_span span[KINDS];
  int W = v->window, N = v->job->x->N, start = k + W <= N ? k : N - W;
  for (int j = 0; j < W; j++) DM_TRY(stage(v, start + j, j));
  for (int kind = WINDOW_REACHED; kind < KINDS; kind++)
    DM_TRY(ask(v, kind, 0, W, start, &span[kind]));
  for (int at = k; at < start + W && at <= v->last; at++) {
    DM_TRY(ask(v, PAIR_REACHED, at - start, 1, at, &span[PAIR_REACHED]));
    DM_TRY(ask(v, PAIR_SHOWN, at - start, 1, at, &span[PAIR_SHOWN]));
    const fb_span *window = at == k ? &span[WINDOW_REACHED] : NULL;
    cli_reach_row(v->f, at, at * v->job->x->h, &span[PAIR_REACHED], start, window);
  }
  return DM_OK;
}

static void report(const survey *v, cli_json *o) {
  static const char *const key[] = {"reached", "shown"};
  static const char *const verb[] = {"inputs reach", "positions show"};
  for (int shown = 0; shown < 2; shown++) {
    cli_json *each = cli_json_object(o, key[shown]);
    cli_json_int(each, "of", v->full[shown]);
    for (int window = 0; window < 2; window++) {
      const least *of = &v->of[2 * window + shown];
      cli_json *found = cli_json_object(each, window ? "window" : "pair");
      if (window) cli_json_int(found, "steps", v->window);
      cli_json_int(found, "rank", of->span.rank);
      cli_json_int(found, "knot", of->knot);
      cli_json_number(found, "kept", of->span.kept);
      cli_json_number(found, "dropped", of->span.dropped);
      cli_json_number(found, "sigma", of->span.sigma);
    }
    const least *pair = &v->of[shown], *window = &v->of[2 + shown];
    cli_tell(
        v->job, key[shown],
        "%s %d of %d directions%s by A, B of a knot (least at knot %d), %d over %d steps (from "
        "knot %d)",
        verb[shown], pair->span.rank, v->full[shown],
        v->job->names.nc ? " that the constraints leave" : "", pair->knot, window->span.rank,
        v->window, window->knot);
  }
}

int cli_reach(cli_job *job, int first, int last) {
  survey v = {.job = job, .last = last, .f = cli_job_file(job, "reach.csv")};
  cli_progress progress = cli_progress_of(job->args);
  if (!v.f) return CLI_INPUT;
  int status = prepare(&v);
  if (status == CLI_DONE) write_header(&v);
  for (int k = first; status == CLI_DONE && k <= last; k += v.window) {
    cli_progress_say(&progress, "reach: knot %d of %d", k, last);
    dm_status s = cli_interrupted() ? DM_INTERRUPTED : look(&v, k);
    if (s != DM_OK) status = cli_fail(job->args, cli_exit_of(s), "reach: %s", dm_status_text(s));
  }
  cli_progress_end(&progress);
  cli_json *o = NULL;
  json_object_object_get_ex(job->result, "linearization", &o);
  if (status == CLI_DONE) report(&v, o);
  survey_free(&v);
  return status;
}
