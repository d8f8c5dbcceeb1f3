#include "optim/transcription/row_words.h"

#include <math.h>
#include <stdio.h>

const char *oc_row_constraint(const oc_transcription *t, int c) {
  const dm_holonomic *hol = &t->task.system.hol;
  return hol->row_name ? hol->row_name(hol->self, c) : "?";
}

// rows of a limit on a step: one, or one from below and one from above where the step is free
static int count_sides(const oc_transcription *t) {
  return t->h < 0 ? 1 : 2;
}

// -- what row i of each kind is

// what an equation of motion at knot k says of coordinate i
static const char *find_motion(const oc_transcription *t, int k, int i) {
  const oc_task *task = &t->task;
  if (t->kinematic && t->kinematic[i]) return k < t->N ? "next value" : "end velocity";
  if (k == 0 && task->v_start && !isnan(task->v_start[i])) return "start velocity";
  return k == t->N && task->v_goal && !isnan(task->v_goal[i]) ? "goal velocity" : "motion";
}

static void describe_motion(const oc_transcription *t, int i, oc_row *r) {
  r->knot = i / t->n;
  r->entry = i % t->n;
  r->what = t->kinematic && t->kinematic[r->entry] ? 'q' : 'p';
  snprintf(r->text, sizeof r->text, "%s of %s", find_motion(t, r->knot, r->entry),
           t->task.coord_name[r->entry]);
}

static void describe_constraint(const oc_transcription *t, int i, oc_row *r) {
  r->knot = i / t->nc;
  snprintf(r->text, sizeof r->text, "constraint %s", oc_row_constraint(t, i % t->nc));
}

static void describe_constraint_rate(const oc_transcription *t, int i, oc_row *r) {
  r->knot = i < t->nc ? 0 : t->N;
  snprintf(r->text, sizeof r->text, "rate of constraint %s", oc_row_constraint(t, i % t->nc));
}

static void describe_speed_limit(const oc_transcription *t, int i, oc_row *r) {
  const int each = t->nlim * count_sides(t);
  r->knot = i / each;
  r->what = 'q';
  r->entry = t->limited[i % each / count_sides(t)];
  snprintf(r->text, sizeof r->text, "speed limit of %s", t->task.coord_name[r->entry]);
}

static void describe_rate_limit(const oc_transcription *t, int i, oc_row *r) {
  const int each = t->nrate * count_sides(t);
  r->knot = i / each;
  r->what = 'u';
  r->entry = t->rated[i % each / count_sides(t)];
  snprintf(r->text, sizeof r->text, "rate limit of %s", t->task.input_name[r->entry]);
}

// momenta, then Dh v
static void describe_velocity(const oc_transcription *t, int i, oc_row *r) {
  const int each = t->n + t->nc, l = i % each;
  r->knot = 1 + i / each;
  if (l >= t->n) {
    snprintf(r->text, sizeof r->text, "rate of constraint %s", oc_row_constraint(t, l - t->n));
    return;
  }
  r->what = t->kinematic && t->kinematic[l] ? 'v' : 'p';
  r->entry = l;
  snprintf(r->text, sizeof r->text, "velocity of %s", t->task.coord_name[l]);
}

static void describe_path(const oc_transcription *t, int i, oc_row *r) {
  const oc_path_constraint *path = &t->task.paths[i % t->task.npaths];
  r->knot = i / t->task.npaths;
  snprintf(r->text, sizeof r->text, "path constraint %s", path->c.name ? path->c.name : "?");
}

static void describe_output(const oc_transcription *t, int i, oc_row *r) {
  const oc_outputs *o = &t->task.outputs;
  const int row = oc_transcription_output_row(t) + i;
  int l = 0;
  while (l + 1 < o->nlimits && t->out_limit[l + 1].row <= row) l++;
  r->knot = t->out_limit[l].first + row - t->out_limit[l].row;
  r->what = 'y';
  r->entry = o->limits[l].output;
  snprintf(r->text, sizeof r->text, "output %s", oc_outputs_name(o, r->entry));
}

// of a periodic motion: q, v, impulses
static void describe_end(const oc_transcription *t, int i, oc_row *r) {
  const int n = t->n;
  r->knot = t->N;
  if (i >= 2 * n) {
    snprintf(r->text, sizeof r->text, "impulse at both ends of %s",
             oc_row_constraint(t, i - 2 * n));
    return;
  }
  r->what = i < n ? 'q' : 'v';
  r->entry = i % n;
  snprintf(r->text, sizeof r->text, i < n ? "travel of %s" : "velocity at both ends of %s",
           t->task.coord_name[r->entry]);
}

static void describe_curve(const oc_transcription *t, int i, oc_row *r) {
  const oc_outputs *o = &t->task.outputs;
  const int m = o->follow.curve->m;
  r->knot = i / m;
  r->what = 'y';
  r->entry = o->follow.output[i % m];
  snprintf(r->text, sizeof r->text, "path of %s", oc_outputs_name(o, r->entry));
}

static void describe_order(const oc_transcription *t, int i, oc_row *r) {
  (void)t;
  r->knot = i;
  snprintf(r->text, sizeof r->text, "order of places on the path");
}

// -- all kinds

oc_row oc_transcription_row(const oc_transcription *t, int row) {
  // the first row of each kind, in the order of optim/transcription/layout.h
  const struct {
    int first;
    void (*describe)(const oc_transcription *t, int i, oc_row *r);
  } kinds[] = {
      {0, describe_motion},
      {oc_transcription_constraint(t, 0), describe_constraint},
      {oc_transcription_constraint_rate(t, 0), describe_constraint_rate},
      {oc_transcription_limits(t), describe_speed_limit},
      {oc_transcription_rates(t), describe_rate_limit},
      {oc_transcription_velocity_row(t, 1), describe_velocity},
      {oc_transcription_path_row(t, 0), describe_path},
      {oc_transcription_output_row(t), describe_output},
      {oc_transcription_curve_row(t, 0), describe_curve},
      {oc_transcription_order_row(t), describe_order},
      {oc_transcription_periodic_row(t), describe_end},
  };
  oc_row r = {.knot = -1};
  int kind = sizeof kinds / sizeof kinds[0] - 1;
  while (row < kinds[kind].first) kind--;
  kinds[kind].describe(t, row - kinds[kind].first, &r);
  return r;
}

void oc_row_name(void *self, int row, char *text, size_t size, int *knot) {
  const oc_row r = oc_transcription_row(self, row);
  snprintf(text, size, "%s", r.text);
  *knot = r.knot;
}
