#include "problems/readers/task/read_options.h"

#include "optim/nlp/ipopt_options.h"
#include "optim/starts/circle_goals.h"
#include "problems/readers/format/replace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the options, and nodes that have functions of their own
typedef struct sections {
  oc_options options;
  const pb_node *ipopt, *turns, *schedule;
  const char *search;
} sections;

#define FIELDS(...)            __VA_ARGS__
#define AT_NUMBER(key, member) offsetof(sections, options.member)
#define AT_INTEGER             AT_NUMBER
#define AT_CHOICE              AT_NUMBER
#define AT_WORD                AT_NUMBER
#define AT_NODE(key, member)   offsetof(sections, key)
#define LIST_KEY(section, key_, member, TYPE, default_, fields, ...)                               \
  {.key = #key_, .type = PB_##TYPE, .at = AT_##TYPE(key_, member), FIELDS fields},

const pb_key pb_solver_keys[] = {OC_SOLVER_OPTIONS(LIST_KEY){0}};
const pb_key pb_starts_keys[] = {OC_STARTS_OPTIONS(LIST_KEY){0}};
const pb_key pb_schedule_keys[] = {
    PB_KEY(sections, search, .type = PB_WORD, .absent = "auto", .words = "auto",
           .about = "The schedule, when contacts are open, stick and slide, is searched for"),
    PB_KEY(sections, schedule, .type = PB_NODE, .note = "none", .words = "file",
           .about = "Instead: a table with columns `k`, `contact`, `state`, as in `schedule.csv`"),
    OC_CONTACT_OPTIONS(LIST_KEY){0}};

// -- solver

// "stage", as in the file
static const char *name_method(oc_solver_kind method) {
  static const char *const names[] = {[OC_SOLVER_AUTO] = "auto",
                                      [OC_SOLVER_IPOPT] = "ipopt",
                                      [OC_SOLVER_NEWTON] = "newton",
                                      [OC_SOLVER_STAGE] = "stage"};
  return names[method];
}

// whether the command line gives the value of a key
static bool is_replaced(const pb_reader *r, const char *path) {
  for (int i = 0; i < r->nreplace; i++)
    if (!strcmp(r->replace[i].path, path)) return true;
  return false;
}

// Refuse keys that no solver of this method reads, unless they have their default. If the command
// line chooses the method, keys of the file may be for other ones: warn.
static dm_status refuse_unread(pb_reader *r, const pb_node *node, oc_solver_kind method) {
  char readers[80];
  const unsigned used = oc_solvers_of(method) | OC_BY_DESCENT; // `descend` works with any method
  const bool chosen = is_replaced(r, "solver.method");
  for (const oc_option *o = oc_option_rows; o < oc_option_rows + OC_OPTION_COUNT; o++) {
    if (strncmp(o->path, "solver.", 7) || o->read_by & used) continue;
    const pb_node *given = pb_node_get(node, o->path + 7);
    if (!given || (o->absent && given->kind == PB_SCALAR && !strcmp(given->text, o->absent)))
      continue;
    if (chosen && !is_replaced(r, o->path))
      DM_TRY(pb_warn(r, r->file, given->key_line, "%s is not used: method %s does not read it",
                     o->path, name_method(method)));
    else
      return pb_refuse_key(
          r, given,
          "%s: found beside method: %s, which does not read it, expected a method "
          "that does (%s, or auto)",
          o->path, name_method(method),
          oc_solvers_list(o->read_by & ~(unsigned)OC_BY_STARTS, readers, sizeof readers));
  }
  return DM_OK;
}

// IPOPT's own options by name
static dm_status read_ipopt(const pb_reader *r, const pb_node *node, oc_options *out) {
  oc_ipopt_option *list;
  dm_message why;
  char found[64];
  if (node->kind != PB_MAPPING)
    return pb_refuse_node(r, node,
                          "solver.ipopt: found %s, expected options of IPOPT, as in {max_soc: 0}",
                          pb_node_describe(node, found));
  PB_NEW(r->arena, list, node->n + 1);
  out->ipopt = list;
  out->nipopt = 0;
  for (const pb_node *e = node->first; e; e = e->next) {
    if (e->kind != PB_SCALAR)
      return pb_refuse_node(r, e, "solver.ipopt.%s: found %s, expected a number or a word", e->key,
                            pb_node_describe(e, found));
    const oc_ipopt_option option = {.name = e->key, .value = e->text};
    if (oc_ipopt_option_check(&option, &why) != DM_OK)
      return pb_refuse_node(r, e, "solver.ipopt.%s: %s", e->key, why.text);
    list[out->nipopt++] = option;
  }
  if (oc_ipopt_options_check_hsl(out, &why) != DM_OK)
    return pb_refuse_node(r, node, "solver.ipopt.%s", why.text);
  return DM_OK;
}

dm_status pb_solver_read(pb_reader *r, const pb_node *node, oc_options *options) {
  sections s = {.options = *options};
  DM_TRY(pb_schema_read(r, "solver", node, pb_solver_keys, &s));
  if (node) DM_TRY(refuse_unread(r, node, s.options.method));
  if (s.ipopt) DM_TRY(read_ipopt(r, s.ipopt, &s.options));
  *options = s.options;
  return DM_OK;
}

// -- starts

// whole revolutions, without duplicates
static dm_status read_turns(const pb_reader *r, const pb_node *node, oc_options *out) {
  double value[OC_TURNS];
  char found[64];
  int *turns;

  // a list of numbers
  if (node->kind != PB_SEQUENCE || node->n < 1 || node->n > OC_TURNS)
    return pb_refuse_node(r, node,
                          "starts.turns: found %s, expected a list of 1 to %d whole numbers",
                          pb_node_describe(node, found), OC_TURNS);
  DM_TRY(pb_schema_list(r, "starts.turns", node, node->n, value));
  PB_NEW(r->arena, turns, node->n);

  // whole numbers, without duplicates
  for (int i = 0; i < node->n; i++) {
    if (value[i] != floor(value[i]) || fabs(value[i]) > 1000)
      return pb_refuse_node(r, node,
                            "starts.turns: found %g, expected whole numbers between -1000 and 1000",
                            value[i]);
    for (int j = 0; j < i; j++)
      if (turns[j] == (int)value[i])
        return pb_refuse_node(r, node, "starts.turns: found %g twice, expected each once",
                              value[i]);
    turns[i] = (int)value[i];
  }
  out->starts.turns = turns;
  out->starts.nturns = node->n;
  return DM_OK;
}

dm_status pb_starts_read(const pb_reader *r, const pb_node *node, oc_options *options) {
  static const char counts[] = "[1, 1e6]";
  sections s = {.options = *options};
  if (!node) return DM_OK;

  // auto, a number, or a section
  if (node->kind == PB_SEQUENCE)
    return pb_refuse_node(r, node,
                          "starts: found a list, expected auto, a whole number, or a section");
  DM_TRY(pb_schema_read(r, "starts", node->kind == PB_MAPPING ? node : NULL, pb_starts_keys, &s));
  if (node->kind == PB_SCALAR && strcmp(node->text, "auto")) {
    double count;
    DM_TRY(pb_schema_number(r, "starts", node, counts, &count));
    if (count != floor(count))
      return pb_refuse_node(
          r, node, "starts: found %s, expected auto, a whole number, or a section", node->text);
    s.options.starts.count = (int)count;
  }
  if (s.turns) DM_TRY(read_turns(r, s.turns, &s.options));
  *options = s.options;
  return DM_OK;
}

// -- contact

dm_status pb_contact_section_read(const pb_reader *r, const pb_node *node, oc_options *options,
                                  const pb_node **schedule) {
  sections s = {.options = *options};
  const pb_node *search = pb_node_get(node, "search"), *epsilon = pb_node_get(node, "epsilon");
  DM_TRY(pb_schema_read(r, "contact", node, pb_schedule_keys, &s));
  if (s.schedule && (search || epsilon))
    return pb_refuse_key(r, search ? search : epsilon,
                         "contact.%s: found beside schedule, expected one of them: a given "
                         "schedule is not searched for",
                         search ? "search" : "epsilon");
  *schedule = s.schedule;
  *options = s.options;
  return DM_OK;
}
