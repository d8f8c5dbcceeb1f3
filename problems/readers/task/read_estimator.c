#include "problems/readers/task/read_estimator.h"

#include <math.h>

typedef struct estimator_start {
  const double *q, *p;
} estimator_start;

static const pb_key estimator_start_keys[] = {
    PB_KEY(estimator_start, q, .type = PB_EACH_COORD, .unit = "m or rad", .range = ">= 0",
           .absent = "0.05", .rest = "0"),
    PB_KEY(estimator_start, p, .type = PB_EACH_COORD, .unit = "N s or N m s", .range = ">= 0",
           .absent = "0.1", .rest = "0"),
    {0}};

typedef struct estimator_section {
  const double *encoder, *process;
  double gate;
  estimator_start start;
} estimator_section;

const pb_key pb_estimator_keys[] = {
    PB_KEY(estimator_section, encoder, .type = PB_EACH_COORD, .unit = "m or rad", .range = "> 0",
           .absent = "1e-3", .rest = "none", .words = "none"),
    PB_KEY(estimator_section, process, .type = PB_EACH_COORD, .unit = "N s or N m s",
           .range = ">= 0", .absent = "1e-3", .rest = "0"),
    PB_KEY(estimator_section, gate, .type = PB_NUMBER, .unit = "standard deviations",
           .range = "> 0", .absent = "10", .words = "none"),
    PB_KEY(estimator_section, start, .type = PB_SECTION, .sub = estimator_start_keys),
    {0}};

dm_status pb_estimator_read(const pb_reader *r, const pb_node *node, fb_sensor_noise *sensors) {
  estimator_section s = {0};
  double *out[4];
  int measured = 0;
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "feedback.estimator", node, pb_estimator_keys, &s));

  // encoders with noise; none (infinite) reads nothing
  const double *in[] = {s.encoder, s.process, s.start.q, s.start.p};
  for (int i = 0; i < r->n; i++) measured += s.encoder[i] < INFINITY;
  if (!measured)
    return pb_refuse_node(r, node, "feedback.estimator.encoder: found none, expected one at least");

  // standard deviations, and the seed where nothing else says one
  for (int i = 0; i < 4; i++) DM_TRY(pb_copy_numbers(r->arena, r->n, in[i], &out[i]));
  *sensors = (fb_sensor_noise){out[0], out[1], out[2], out[3], 1, s.gate};
  return DM_OK;
}
