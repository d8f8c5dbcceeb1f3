#include "problems/readers/task/read_two_point.h"

#include "lib/studies/two_point_start.h"
#include "problems/readers/model/constraints.h"

#include <math.h>
#include <string.h>

const pb_key pb_two_point_keys[] = {
    PB_KEY(pb_two_point_section, points, .type = PB_WORD, .absent = "one", .words = "one two",
           .about = "`two` imposes constraints between knots, at `alpha` of the midpoint rule, 0 "
                    "< alpha < 1"),
    PB_KEY(pb_two_point_section, first, .type = PB_NODE, .unit = "as lambda", .note = "0",
           .words = "number, or by row",
           .about =
               "Multipliers of the first step, with `points: two` and `start.next`; without both "
               "dmoc finds the start"),
    {0}};

static const char WARNS[] = "simulate.constraints.points: %s";

// refuse sections that a study of constraints does not support
static dm_status refuse_beside(const pb_reader *r, const pb_node *node, const char *what,
                               const pb_context *c) {
  const char *beside = NULL;
  if (c->robot->mechanism.contacts) beside = "model.contacts";
  if (c->second) beside = "'transcription: second-order'";
  if (!beside) return DM_OK;
  return pb_refuse_node(r, node, "simulate.%s: found one beside %s, expected none", what, beside);
}

// whether dmoc can find the start
static dm_status check_sought(const pb_reader *r, const pb_node *simulate,
                              const pb_two_point_section *own, const pb_context *c) {
  const pb_node *node = pb_node_get(simulate, "constraints"),
                *start = pb_node_get(simulate, "start");
  const char *found = NULL;
  if (own->first)
    return pb_refuse_node(r, own->first,
                          "simulate.constraints.first: found one without simulate.start.next, "
                          "expected both, or none: then dmoc finds them from q and v");
  if (c->task->system.rule.at[0] != 0.5) found = "an alpha that is not 0.5";
  if (c->robot->mechanism.embed) found = "ball joints";
  if (c->task->system.nk) found = "kinematic coordinates";
  if (pb_node_get(start, "held")) found = "held";
  if (!found) return DM_OK;
  return pb_refuse_node(r, start ? start : node,
                        "simulate.start: found %s and no 'next' beside 'points: two', expected q "
                        "and next: dmoc cannot find this start",
                        found);
}

dm_status pb_two_point_read(pb_reader *r, const pb_node *simulate, const pb_two_point_section *own,
                            const pb_context *c, pb_two_point *out) {
  const pb_node *node = pb_node_get(simulate, "constraints");
  if (!node) return DM_OK;
  if (!r->nc)
    return pb_refuse_node(
        r, node, "simulate.constraints: found one, expected none without model.constraints");

  // constraints at the knots (one), or between them (two)
  DM_TRY(refuse_beside(r, node, "constraints", c));
  out->measured = true;
  out->two = !strcmp(own->points, "two");
  if (!out->two && own->first)
    return pb_refuse_node(r, own->first,
                          "simulate.constraints.first: found one, expected none but beside "
                          "'points: two'");
  if (!out->two) return DM_OK;
  if (c->task->system.rule.inner)
    return pb_refuse_node(
        r, pb_node_get(node, "points"),
        "simulate.constraints.points: found 'two' beside a rule with nodes within "
        "the step, where constraints hold as well, expected one");

  // the library checks whether the rule has a point between knots
  dm_message why = {""};
  if (dm_two_point_check(&c->task->system, &why) != DM_OK)
    return pb_refuse_node(r, pb_node_get(node, "points"), "simulate.constraints.points: %s",
                          why.text);

  // multipliers of the first interval, by default 0
  PB_NEW(r->arena, out->first, r->nc);
  if (own->first)
    DM_TRY(pb_schema_each(r, "simulate.constraints.first", own->first, NULL, "row", r->row, r->nc,
                          out->first));

  // it starts from two given configurations, or dmoc finds both and the multipliers
  const pb_node *points = pb_node_get(node, "points");
  static const char *const idle[] = {"near", "assemble"};
  const pb_node *start = pb_node_get(simulate, "start");
  out->sought = !pb_node_get(start, "next");
  if (out->sought) DM_TRY(check_sought(r, simulate, own, c));
  if (out->sought) return pb_warn(r, r->file, points->line, WARNS, dm_two_point_warning);

  // they are not projected, because they need not satisfy the constraints
  for (int i = 0; i < 2; i++)
    if (pb_node_get(start, idle[i]))
      return pb_refuse_node(r, pb_node_get(start, idle[i]),
                            "simulate.start.%s: found one beside 'points: two', expected none: q "
                            "and next are taken as they are",
                            idle[i]);
  return pb_warn(r, r->file, points->line, WARNS, dm_two_point_warning);
}

dm_status pb_two_point_find(pb_reader *r, const pb_node *simulate, const pb_context *c,
                            pb_simulation *x) {
  if (!x->points.sought) return DM_OK;
  const pb_node *start = pb_node_get(simulate, "start");
  double *q;
  PB_NEW(r->arena, q, r->n);
  PB_NEW(r->arena, x->points.next, r->n);
  const dm_status s = dm_two_point_start(&c->task->system, x->q, x->v, x->u, x->h, q,
                                         x->points.next, x->points.first);
  if (s == DM_NO_MEMORY) return s;
  if (s == DM_UNAVAILABLE)
    return pb_refuse_node(r, start ? start : simulate,
                          "simulate.start: found a motion without constraint forces, expected a "
                          "velocity or a load: give q and next");
  if (s != DM_OK)
    return pb_refuse_node(r, start ? start : simulate,
                          "simulate.start: found no start from which nothing alternates (%s): take "
                          "a shorter step, or give q, next and constraints.first",
                          dm_status_text(s));
  x->q = q;
  for (int i = 0; i < r->n; i++) x->v[i] = (x->points.next[i] - q[i]) / x->h;
  return DM_OK;
}

dm_status pb_two_point_next(pb_reader *r, const pb_node *simulate, const double *next,
                            const pb_context *c, pb_simulation *x) {
  static const char *const idle[] = {"v", "held"};
  const pb_node *start = pb_node_get(simulate, "start");
  const pb_node *node = pb_node_get(start, "next");
  double *q1;
  if (!node) return DM_OK;

  // the second configuration determines the velocity
  for (int i = 0; i < 2; i++)
    if (pb_node_get(start, idle[i]))
      return pb_refuse_node(r, pb_node_get(start, idle[i]),
                            "simulate.start.%s: found one beside next, expected none", idle[i]);
  DM_TRY(refuse_beside(r, node, "start.next", c));

  // not for quaternions, whose difference is not a rate, nor for kinematic coordinates
  if (c->robot->mechanism.embed)
    return pb_refuse_node(r, node,
                          "simulate.start.next: found one, expected none beside ball joints");
  if (c->task->system.nk)
    return pb_refuse_node(r, node,
                          "simulate.start.next: found one, expected none beside kinematic "
                          "coordinates, which go where the input says");

  // v0 = (q1 - q0) / h
  PB_NEW(r->arena, q1, r->n);
  for (int i = 0; i < r->n; i++) {
    q1[i] = isnan(next[i]) ? x->q[i] : next[i];
    x->v[i] = (q1[i] - x->q[i]) / x->h;
  }
  x->points.next = q1;

  // q1 must satisfy constraints at the knots, like q0
  if (x->points.two) return DM_OK;
  return pb_constraints_check(r, node, "simulate.start.next", &c->task->system, q1);
}
