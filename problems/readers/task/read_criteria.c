#include "problems/readers/task/read_criteria.h"

#include "lib/base/names.h"
#include "lib/multibody/ball_joint.h"
#include "problems/readers/model/clock.h"

#include <string.h>

typedef struct criterion_section {
  const char *name, *vary, *of;
  double from, to, gap;
  int levels, repeat, count;
  const pb_node *width;
} criterion_section;

#define VARIED_WORD(name, word, part) " " word
const pb_key pb_criteria_keys[] = {
    PB_KEY(criterion_section, name, .type = PB_TEXT, .note = "the value of `vary`",
           .about = "Name of the criterion; rows with the same name count together"),
    PB_KEY(criterion_section, vary, .type = PB_WORD, .words = FB_VARIED(VARIED_WORD),
           .absent = PB_REQUIRED, .about = "Quantity that is varied"),
    PB_KEY(criterion_section, of, .type = PB_TEXT, .note = "each in turn; for pushes all",
           .about = "A joint, for its coordinate or link; `all`: all together"),
    PB_KEY(criterion_section, from, .type = PB_NUMBER, .absent = "0",
           .about = "Value at the first level"),
    PB_KEY(criterion_section, to, .type = PB_NUMBER, .absent = PB_REQUIRED,
           .about = "Value at the last level"),
    PB_KEY(criterion_section, levels, .type = PB_INTEGER, .range = "[1, 1e6]", .absent = "21",
           .about = "Number of levels"),
    PB_KEY(criterion_section, repeat, .type = PB_INTEGER, .range = "[1, 1e6]",
           .note = "10 for noise, else 1",
           .about = "Runs per level; a level counts if more than half of them succeed"),
    PB_KEY(criterion_section, count, .type = PB_INTEGER, .range = "[1, 1000]", .absent = "3",
           .about = "Pushes per coordinate and run"),
    PB_KEY(criterion_section, gap, .type = PB_NUMBER, .unit = "s", .range = ">= 0", .absent = "1",
           .about = "Minimum time between pushes and before the first and after the last"),
    PB_KEY(criterion_section, width, .type = PB_NODE, .unit = "s", .words = "[low, high]",
           .note = "[0.05, 0.1]", .about = "Width of a push"),
    {0}};
#undef VARIED_WORD

// the names of parts of a kind, as in verify: links are named by the joint that carries them
static const char *name_part(const pb_reader *r, const pb_robot *robot, fb_part_kind kind, int i) {
  const dm_model *m = robot->mechanism.tree;
  if (kind == FB_PART_COORD) return i < r->n ? (pb_clock_is(r, i) ? "" : r->coord[i]) : NULL;
  if (kind == FB_PART_NONE || i >= m->nj) return NULL;
  return m->bare[i] ? "" : m->name[m->coord[i]];
}

// the part named by `of`; -1: all
static dm_status find_part(const pb_reader *r, const pb_node *row, const pb_robot *robot,
                           const char *of, fb_varied what, int *part) {
  const fb_part_kind kind = fb_varied_part(what);
  const pb_node *node = pb_node_get(row, "of");
  const char *name;
  *part = -1;
  if (kind == FB_PART_NONE)
    return pb_refuse_node(r, node,
                          "verify.criteria[].of: found it beside vary: %s, which has no "
                          "parts, expected none",
                          fb_varied_words[what]);
  if (!strcmp(of, "all")) return DM_OK;
  for (int i = 0; (name = name_part(r, robot, kind, i)); i++)
    if (!strcmp(name, of)) *part = i;
  if (*part >= 0) return DM_OK;
  return pb_refuse_node(r, node, "verify.criteria[].of: found '%.64s', expected 'all' or a joint",
                        of);
}

// refuse meaningless levels: factors must be above 0, sizes not below
static dm_status check_levels(const pb_reader *r, const pb_node *row, const criterion_section *s,
                              fb_varied what) {
  const double least = s->from < s->to ? s->from : s->to;
  const bool factor = fb_varied_part(what) == FB_PART_LINK;
  const bool size = !factor && what != FB_VARY_DAMPING && what != FB_VARY_FRICTION;
  if (factor && !(least > 0))
    return pb_refuse_node(r, row,
                          "verify.criteria[]: found the factor %g of %s, expected from and "
                          "to above 0",
                          least, s->vary);
  if (size && least < 0)
    return pb_refuse_node(r, row, "verify.criteria[]: found %g of %s, expected from and to >= 0",
                          least, s->vary);
  return DM_OK;
}

// read a row of the file as the first row of the table
static dm_status read_row(const pb_reader *r, const pb_node *row, const pb_robot *robot,
                          fb_criterion *c, bool *each) {
  criterion_section s = {0};
  DM_TRY(pb_schema_read(r, "verify.criteria[]", row, pb_criteria_keys, &s));
  *c = (fb_criterion){.name = s.name ? s.name : s.vary,
                      .part = -1,
                      .from = s.from,
                      .to = s.to,
                      .levels = s.levels,
                      .repeats = s.repeat,
                      .count = s.count,
                      .gap = s.gap,
                      .width = {0.05, 0.1}};
  c->vary = (fb_varied)dm_names_find(fb_varied_words, FB_VARIED_COUNT, s.vary);
  DM_TRY(check_levels(r, row, &s, c->vary));

  // one encoder step applies to all joints with one axis
  if (c->vary == FB_VARY_ENCODERS && robot->mechanism.tree->nball)
    return pb_refuse_node(r, pb_node_get(row, "vary"),
                          "verify.criteria[].vary: found encoders of a robot with ball joints, "
                          "expected joints that slide or turn about an axis");

  // keys that only pushes have
  static const char *const pushed[] = {"count", "gap", "width"};
  for (int i = 0; i < 3 && c->vary != FB_VARY_PUSHES; i++)
    if (pb_node_get(row, pushed[i]))
      return pb_refuse_node(r, pb_node_get(row, pushed[i]),
                            "verify.criteria[].%s: found it beside vary: %s, expected none: it is "
                            "of pushes",
                            pushed[i], s.vary);

  // noise is random, so repeat runs by default
  bool noise = c->vary == FB_VARY_Q || c->vary == FB_VARY_V || c->vary == FB_VARY_TORQUE;
  if (!pb_node_get(row, "repeat")) c->repeats = noise ? 10 : 1;
  if (s.width) DM_TRY(pb_schema_list(r, "verify.criteria[].width", s.width, 2, c->width));
  if (!(c->width[0] > 0 && c->width[1] >= c->width[0]))
    return pb_refuse_node(r, s.width,
                          "verify.criteria[].width: found [%g, %g], expected 0 < low "
                          "<= high",
                          c->width[0], c->width[1]);

  // select the part, of coordinates other than a clock
  const bool all = s.of ? !strcmp(s.of, "all") : c->vary == FB_VARY_PUSHES;
  if (r->clock && all && fb_varied_part(c->vary) == FB_PART_COORD)
    return pb_refuse_node(r, row,
                          "verify.criteria[]: found %s of all joints beside model.forces of the "
                          "time 't', expected 'of' with the name of a joint",
                          s.vary);
  *each = !s.of && fb_varied_part(c->vary) != FB_PART_NONE && c->vary != FB_VARY_PUSHES;
  return s.of ? find_part(r, row, robot, s.of, c->vary, &c->part) : DM_OK;
}

dm_status pb_criteria_read(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                           pb_verification *out) {
  int room = 0;
  const int parts = r->n > robot->mechanism.tree->nj ? r->n : robot->mechanism.tree->nj;
  if (!node) return DM_OK;

  // upper bound of the number of rows
  for (const pb_node *e = node->first; e; e = e->next) room += parts;
  PB_NEW(r->arena, out->criteria, room + 1);
  for (const pb_node *e = node->first; e; e = e->next) {
    fb_criterion c;
    bool each = false;
    const char *name;
    DM_TRY(read_row(r, e, robot, &c, &each));

    // without `of`: one row per part
    if (!each) out->criteria[out->ncriteria++] = c;
    const fb_part_kind kind = fb_varied_part(c.vary);
    for (int i = 0; each && (name = name_part(r, robot, kind, i)); i++) {
      if (!name[0]) continue;
      c.part = i;
      out->criteria[out->ncriteria++] = c;
    }
  }
  return DM_OK;
}
