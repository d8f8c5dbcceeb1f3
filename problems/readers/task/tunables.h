// problems/readers/task/tunables.h: the numbers of a problem file that a search may vary, and
// writing the file with new numbers.
//
// A factor multiplies a number in the file, or all numbers of a list, such as a two-sided bound.
// `feedback.hold` compensates for `horizon.time`, so that their sum is constant. Integers stay
// integers, and input limits do not exceed the limits of the motor or, if larger, the file's value.
#ifndef PB_TASK_TUNABLES_H
#define PB_TASK_TUNABLES_H
#include "problems/readers/format/reader.h"
#include "problems/readers/format/replace.h"
#include "problems/readers/format/yaml.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

DM_BEGIN_C

// A number of the file.
typedef struct pb_tunable {
  const char *path;        // "feedback.Q.q.shoulder", "bounds.u.elbow.0"
  int line, column;        // from 1
  const char *written;     // text in the file
  double value, low, high; // value in the file, and its limits
  int factor;              // index of its factor; -1: remaining time of `hold`
  bool whole;              // integer
} pb_tunable;

typedef struct pb_tunables {
  int n, factors, tries; // numbers; factors to search; from the file's `tune`:
  uint64_t seed;
  double time, step;  // s; initial standard deviation of logarithms
  pb_tunable *number; // [n]
  const char **name;  // [factors] the path of each
  double total;       // of the motion and `hold`  [s]
  int motion;         // factor of horizon.time; -1: not varied
  const char *text;   // the file's text
  struct pb_chunk *memory;
} pb_tunables;

// Read the numbers named in `feedback.tune.vary`, or by default those of Q, R, Qf, the state cost,
// the horizon's time and the input bounds. Returns DM_OK; or DM_IO, DM_BAD_INPUT, DM_NO_MEMORY with
// a sentence in msg and *out NULL.
dm_status pb_tunables_read(pb_tunables **out, const char *path, dm_message *msg);
// Refuse names in `feedback.tune.vary` of the file with this root that are not keys with numbers,
// contain the settings of the search, or share a number. Returns DM_OK, DM_BAD_INPUT or
// DM_NO_MEMORY.
dm_status pb_tunables_check(pb_reader *r, const pb_node *root);

void pb_tunables_free(pb_tunables *t); // NULL is accepted

// Restrict the limits of inputs, `bounds.u` and `feedback.limits`, to the limits u_min and u_max
// [nu] of the motors of inputs name [nu]. A limit that already exceeds them in the file is not
// increased.
void pb_tunables_limit(pb_tunables *t, const char *const *name, int nu, const double *u_min,
                       const double *u_max);

// Whether number i exceeds its limits.
bool pb_tunables_limited(const pb_tunables *t, int i, const double *x);

// The text of number i with factors exp(x) [factors]: six digits, or the file's text if x = 0;
// returns text.
const char *pb_tunables_value(const pb_tunables *t, int i, const double *x, char text[32]);

// Write the file with the new numbers.
void pb_tunables_write(const pb_tunables *t, const double *x, FILE *f);

DM_END_C
#endif
