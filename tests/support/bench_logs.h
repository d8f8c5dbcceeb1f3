// tests/support/bench_logs.h: the double pendulum of a public test bench, and its logs.
#ifndef TESTS_SUPPORT_BENCH_LOGS_H
#define TESTS_SUPPORT_BENCH_LOGS_H
#include "tests/support/models.h"

// as published (problems/bench/double-pendulum.urdf), with a motor at each joint
static inline dm_model *bench_robot(void) {
  dm_coordinate c[] = {models_coord("shoulder", false, 0, 1, 0),
                       models_coord("elbow", false, 0, 1, 0)};
  c[0].armature = c[1].armature = 0.0023;
  dm_pose below = dm_identity;
  below.p = dm_v(0, 0, -0.2);
  const double upper = 0.010948790382272026, lower = 0.009970894693799519;
  dm_body b[] = {
      {"upper", -1, dm_identity, 0, 1, 0.5234602302310271, {0, 0, -0.2}, {upper, upper, 0}},
      {"lower",
       0,
       below,
       1,
       1,
       0.6255677234174437,
       {0, 0, -0.25569305436052964},
       {lower, lower, 0}}};
  dm_input u[] = {models_input("shoulder", 0), models_input("elbow", 1)};
  return models_make(&(dm_tree){.nbody = 2,
                                .ncoord = 2,
                                .ninput = 2,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.81}});
}

typedef struct bench_log {
  char name[256];
  int count;
  double *t, *column[7];
  oc_channel q[2], u[2];
  oc_recording recording;
} bench_log;

// read a log of ../shared/data/logs; false: it is not there
static inline bool read_bench_log(const char *name, bench_log *log) {
  const char *source = getenv("DMOC_SOURCE");
  snprintf(log->name, sizeof log->name, "%s/../shared/data/logs/%s.csv", source ? source : ".",
           name);
  FILE *f = fopen(log->name, "r");
  char line[400];
  log->count = 0;
  log->column[0] = NULL;
  if (!f) return false;
  enum { MOST = 6000 };
  log->column[0] = calloc((size_t)7 * MOST, sizeof(double));
  for (int c = 1; c < 7; c++) log->column[c] = log->column[0] + c * MOST;
  while (fgets(line, sizeof line, f)) {
    char *at = line, *end;
    double row[7];
    int c = 0;
    for (; c < 7; c++, at = end + 1) {
      row[c] = strtod(at, &end);
      if (end == at) break;
    }
    for (int i = 0; c == 7 && i < 7; i++) log->column[i][log->count] = row[i];
    log->count += c == 7;
  }
  fclose(f);
  static const char *const names[] = {"shoulder", "elbow"};
  for (int i = 0; i < 2; i++) {
    log->q[i] = (oc_channel){names[i], log->count, log->column[0], log->column[1 + i]};
    log->u[i] = (oc_channel){names[i], log->count, log->column[0], log->column[5 + i]};
  }
  log->recording = (oc_recording){.name = name, .n = 2, .nu = 2, .q = log->q, .u = log->u};
  return true;
}

#endif
