// optim/starts/seeded_guess.h: guesses of several kinds for a search, each a function of (task, seed,
// number). A new kind is a row of the list below and its function.
#ifndef OC_STARTS_SEEDED_GUESS_H
#define OC_STARTS_SEEDED_GUESS_H
#include "optim/starts/guess.h"

DM_BEGIN_C

// The name in tables and results, and the function in seeded_guess.c.
//   line     straight from the start to the goal
//   bends    the line, and smooth bends of a size drawn between 0.4 and 1.4 rad or m
//   inputs   rollouts under smooth random inputs, of a size drawn within their limits
//   pumping  rollouts under inputs that bring the energy to that of the goal, after a push
//   branches the line through another posture of those that goals and via points in space allow
#define OC_GUESS_KINDS(X)                                                                          \
  X(line, draw_straight)                                                                           \
  X(bends, draw_bends)                                                                             \
  X(inputs, draw_inputs)                                                                           \
  X(pumping, draw_pumping)                                                                         \
  X(branches, draw_branches)

#define OC_COUNT_KIND(word, draw) +1
enum { OC_GUESS_COUNT = 0 OC_GUESS_KINDS(OC_COUNT_KIND) };
#undef OC_COUNT_KIND

typedef struct oc_guess_kind {
  const char *name;
  // Fill x, allocated with the task's N and sizes; x->h becomes T/N. Returns DM_OK or a negative status.
  dm_status (*draw)(const oc_task *task, uint64_t seed, int number, dm_trajectory *x);
} oc_guess_kind;

extern const oc_guess_kind oc_guess_kinds[OC_GUESS_COUNT];

DM_END_C
#endif
