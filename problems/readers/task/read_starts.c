#include "problems/readers/task/read_starts.h"

#include "optim/multistart.h"
#include "optim/starts/circle_goals.h"

#include <math.h>
#include <string.h>

typedef struct starts_section {
  int count, returns, steps, seed;
  const pb_node *turns;
} starts_section;

static const char COUNTS[] = "[1, 1e6]";

const pb_key pb_starts_keys[] = {
    PB_KEY(starts_section, count, .type = PB_INTEGER, .also = "K N number searches",
           .range = COUNTS, .absent = "1024",
           .about = "Largest number of searches on a coarse grid"),
    PB_KEY(starts_section, returns, .type = PB_INTEGER, .range = ">= 1", .absent = "3",
           .about = "The search stops when this many runs reached the best optimum and the next "
                    "optimum is as likely known as new"),
    PB_KEY(starts_section, steps, .type = PB_INTEGER, .range = ">= 1",
           .note = "a quarter of the horizon's, between 50 and 150",
           .about = "Steps of the coarse grid; more if a joint at its speed limit would rotate too "
                    "far in a step"),
    PB_KEY(starts_section, seed, .type = PB_INTEGER, .range = ">= 0", .absent = "0",
           .about = "Seed of the random guesses"),
    PB_KEY(starts_section, turns, .type = PB_NODE, .note = "[-1, 0, 1]",
           .words = "list of whole numbers",
           .about = "Whole revolutions added to the goal of joints that allow it"),
    {0}};

// whole revolutions, without duplicates
static dm_status read_turns(const pb_reader *r, const pb_node *node, pb_starts *out) {
  double value[OC_TURNS];
  char found[64];

  // a list of numbers
  if (node->kind != PB_SEQUENCE || node->n < 1 || node->n > OC_TURNS)
    return pb_refuse_node(r, node,
                          "starts.turns: found %s, expected a list of 1 to %d whole numbers",
                          pb_node_describe(node, found), OC_TURNS);
  DM_TRY(pb_schema_list(r, "starts.turns", node, node->n, value));
  PB_NEW(r->arena, out->turns, node->n);

  // whole numbers, without duplicates
  for (int i = 0; i < node->n; i++) {
    if (value[i] != floor(value[i]) || fabs(value[i]) > 1000)
      return pb_refuse_node(r, node,
                            "starts.turns: found %g, expected whole numbers between -1000 and 1000",
                            value[i]);
    for (int j = 0; j < i; j++)
      if (out->turns[j] == (int)value[i])
        return pb_refuse_node(r, node, "starts.turns: found %g twice, expected each once",
                              value[i]);
    out->turns[i] = (int)value[i];
  }
  out->nturns = node->n;
  return DM_OK;
}

dm_status pb_starts_read(const pb_reader *r, const pb_node *node, pb_starts *out) {
  starts_section s = {0};
  *out = (pb_starts){.searches = 0};
  if (!node) return DM_OK;

  // auto, a number, or a section
  if (node->kind == PB_SCALAR && strcmp(node->text, "auto")) {
    double count;
    DM_TRY(pb_schema_number(r, "starts", node, COUNTS, &count));
    if (count != floor(count))
      return pb_refuse_node(
          r, node, "starts: found %s, expected auto, a whole number, or a section", node->text);
    DM_TRY(pb_schema_read(r, "starts", NULL, pb_starts_keys, &s));
    s.count = (int)count;
  } else if (node->kind == PB_SEQUENCE) {
    return pb_refuse_node(r, node,
                          "starts: found a list, expected auto, a whole number, or a "
                          "section");
  } else {
    DM_TRY(pb_schema_read(r, "starts", node->kind == PB_MAPPING ? node : NULL, pb_starts_keys, &s));
  }
  *out = (pb_starts){
      .searches = s.count, .returns = s.returns, .steps = s.steps, .seed = s.seed, .nturns = 0};
  return s.turns ? read_turns(r, s.turns, out) : DM_OK;
}
