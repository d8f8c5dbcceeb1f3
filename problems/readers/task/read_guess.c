#include "problems/readers/task/read_guess.h"

#include "optim/smooth_guess.h"
#include "optim/starts/guess.h"
#include "problems/readers/format/csv.h"
#include "problems/readers/task/read_knots.h"
#include "problems/readers/task/read_reference.h"

#include <math.h>
#include <string.h>

typedef struct rollout_section {
  const double *u;
} rollout_section;

static const pb_key rollout_keys[] = {
    PB_KEY(rollout_section, u, .type = PB_EACH_INPUT, .unit = "N or N m", .absent = "0",
           .about = "Constant forces; kinematic coordinates follow the straight line"),
    {0}};

typedef struct guess_section {
  const pb_node *rollout, *csv;
} guess_section;

const pb_key pb_guess_keys[] = {
    PB_KEY(guess_section, rollout, .type = PB_NODE, .words = "section", .sub = rollout_keys,
           .about = "The simulated motion under constant inputs; `rollout` alone: zero inputs"),
    PB_KEY(guess_section, csv, .type = PB_NODE, .words = "file name",
           .about = "A motion with columns `q.NAME` and optionally `u.NAME`, scaled to the "
                    "horizon"),
    {0}};

static const double degree = 0.017453292519943295; // rad

// warn about angles beyond their limits and one revolution that would fit if read as degrees
static dm_status warn_degrees(pb_reader *r, const pb_csv *c, const double *q, const dm_model *m,
                              const oc_task *task) {
  for (int i = 0; i < r->n; i++) {
    double low = INFINITY, high = -INFINITY;
    const dm_range limit = oc_task_range(task, OC_Q, i);
    if (m->kind[i] != DM_TURN) continue;
    for (int k = 0; k <= task->N; k++) {
      low = fmin(low, q[(size_t)k * r->n + i]);
      high = fmax(high, q[(size_t)k * r->n + i]);
    }
    const double most = fmax(-low, high);
    const bool beyond = low < limit.low || high > limit.high;
    if (!beyond || most <= 360 * degree || low * degree < limit.low || high * degree > limit.high)
      continue;
    return pb_warn(
        r, c->file, 0,
        "column 'q.%.64s' reaches %g rad, beyond its limits [%g, %g]; are these degrees? "
        "the table has to be in rad",
        r->coord[i], high > -low ? high : low, limit.low, limit.high);
  }
  return DM_OK;
}

// q and u on the task's grid, stretched from the first to the last row; p and v follow from them,
// and inputs of kinematic coordinates from q
static dm_status read_guess_csv(pb_reader *r, const pb_node *node, bool timed, const dm_model *m,
                                oc_task *task, pb_guess *out) {
  pb_csv c;
  double *q, *u, first = 0, last = 1;
  DM_TRY(pb_csv_read(r, node, &c));
  c.steps = r->asked;

  // from the first to the last time; rows without times span the task
  if (c.t) {
    first = c.t[0];
    last = c.t[c.rows - 1];
  }

  // a free time is taken from the file, unless it was given or is out of bounds
  if (task->time.free && !timed && c.t && last - first >= task->time.min &&
      last - first <= task->time.max)
    task->time.T = last - first;

  // the grid, stretched over the file's time range
  double *at = pb_knots_times(r, task, last - first, c.t != NULL);
  if (!at) return DM_NO_MEMORY;
  for (int k = 0; k <= task->N; k++) at[k] += first;
  DM_TRY(pb_csv_sample(r, &c, "q", r->coord, r->n, NULL, at, task->N + 1, &q));

  // forces must be complete; inputs of kinematic coordinates follow from q
  double *absent;
  PB_NEW(r->arena, absent, r->nu);
  for (int i = 0; i < r->nf; i++) absent[i] = NAN;
  DM_TRY(pb_csv_sample(r, &c, "u", r->input, r->nu, absent, at, task->N, &u));
  if (!q) return pb_refuse(r, c.file, 1, 0, "found no column q.NAME, expected one");
  DM_TRY(warn_degrees(r, &c, q, m, task));

  // the motion, with the task's steps
  DM_TRY(dm_trajectory_of(&out->csv, task->N, &task->system));
  oc_task_set_steps(task, oc_task_step(task), out->csv);
  memcpy(out->csv->q, q, (size_t)(task->N + 1) * (size_t)r->n * sizeof *q);
  if (u) memcpy(out->csv->u, u, (size_t)task->N * (size_t)r->nu * sizeof *u);
  oc_guess_prescribe(task, out->csv);
  out->kind = PB_CSV;

  // p_k from its neighbors by the Legendre transforms
  dm_status s = dm_trajectory_momenta(out->csv, &task->system);
  if (s == DM_NO_MEMORY) return s;
  return s == DM_OK ? s : pb_refuse_node(r, node, "guess.csv: %s", dm_status_text(s));
}

dm_status pb_guess_read(pb_reader *r, const pb_sections *s, const dm_model *m, oc_task *task,
                        pb_guess *out) {
  static const char *const words[] = {"line", "rollout", "smooth"};
  guess_section g = {0};
  rollout_section roll = {0};
  int word = 0;
  out->kind = s->guess ? PB_LINE : PB_OWN;
  if (!s->guess) return DM_OK;

  // a section with one key, or one of two words
  if (s->guess->kind == PB_MAPPING) {
    DM_TRY(pb_schema_read(r, "guess", s->guess, pb_guess_keys, &g));
    if (!g.rollout == !g.csv)
      return pb_refuse_node(r, s->guess, "guess: found %d keys, expected one of rollout, csv",
                            s->guess->n);
  } else if (s->guess->kind == PB_SCALAR && strstr(s->guess->text, ".csv")) {
    return pb_refuse_node(r, s->guess, "guess: found '%.64s', expected {csv: %.64s} for a file",
                          s->guess->text, s->guess->text);
  } else {
    DM_TRY(pb_schema_name(r, "guess", s->guess, "word", words, 3, &word));
  }

  // a file's motion, a rollout of constant forces, or the line from start to goal
  if (g.csv) {
    const pb_node *time = pb_node_get(s->horizon, "time");
    return read_guess_csv(r, g.csv, pb_node_get(time, "guess") != NULL, m, task, out);
  }
  if (!g.rollout && !word) return DM_OK;
  if (word == 2) {
    out->kind = PB_SMOOTH;
    if (task->system.contacts)
      return pb_refuse_node(r, s->guess,
                            "guess: found 'smooth' beside contacts, expected 'line' or 'rollout'");
    if (oc_has_smooth_guess(task)) return DM_OK;
    return pb_refuse_node(
        r, s->guess,
        "guess: found 'smooth' without cost.input of a joint, start.q and goal.q, expected all of "
        "them, or 'line' or 'rollout'");
  }
  pb_reader forces = *r;
  forces.nu = r->nf;
  DM_TRY(pb_schema_read(&forces, "guess.rollout", g.rollout, rollout_keys, &roll));
  out->kind = PB_ROLLOUT;
  return pb_copy_numbers(r->arena, r->nf, roll.u, &out->u);
}
