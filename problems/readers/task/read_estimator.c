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
  const double *encoder, *process, *disturbance;
  double gate;
  estimator_start start;
} estimator_section;

const pb_key pb_estimator_keys[] = {
    PB_KEY(estimator_section, encoder, .type = PB_EACH_COORD, .unit = "m or rad", .range = "> 0",
           .absent = "1e-3", .rest = "none", .words = "none"),
    PB_KEY(estimator_section, process, .type = PB_EACH_COORD, .unit = "N s or N m s",
           .range = ">= 0", .absent = "1e-3", .rest = "0"),
    PB_KEY(estimator_section, disturbance, .type = PB_EACH_INPUT, .unit = "N or N m in a second",
           .range = ">= 0", .absent = "0", .rest = "0", .also = "observer bias"),
    PB_KEY(estimator_section, gate, .type = PB_NUMBER, .unit = "standard deviations",
           .range = "> 0", .absent = "10", .words = "none"),
    PB_KEY(estimator_section, start, .type = PB_SECTION, .sub = estimator_start_keys),
    {0}};

dm_status pb_estimator_read(const pb_reader *r, const pb_node *node, int delay,
                            fb_sensor_noise *sensors) {
  estimator_section s = {0};
  double *out[4], *walk;
  int measured = 0, disturbed = 0;
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "feedback.estimator", node, pb_estimator_keys, &s));

  // encoders with noise; none (infinite) reads nothing
  const double *in[] = {s.encoder, s.process, s.start.q, s.start.p};
  for (int i = 0; i < r->n; i++) measured += s.encoder[i] < INFINITY;
  if (!measured)
    return pb_refuse_node(r, node, "feedback.estimator.encoder: found none, expected one at least");

  // what acts beside forces: encoders at rest show no more of it than there are of them
  const pb_node *at = pb_node_get(node, "disturbance");
  for (int i = 0; i < r->nu; i++) {
    disturbed += s.disturbance[i] > 0;
    if (i >= r->nf && s.disturbance[i] > 0)
      return pb_refuse_node(r, at,
                            "feedback.estimator.disturbance: found '%.64s', whose motion is "
                            "prescribed, expected forces",
                            r->input[i]);
  }
  if (disturbed > measured)
    return pb_refuse_node(
        r, at,
        "feedback.estimator.disturbance: found %d inputs, expected at most %d: no "
        "more than positions that are measured",
        disturbed, measured);
  if (disturbed && delay)
    return pb_refuse_node(
        r, at, "feedback.estimator.disturbance: found one beside delay: 1, expected none");

  // standard deviations, and the seed where nothing else says one
  for (int i = 0; i < 4; i++) DM_TRY(pb_copy_numbers(r->arena, r->n, in[i], &out[i]));
  DM_TRY(pb_copy_numbers(r->arena, r->nu, s.disturbance, &walk));
  *sensors = (fb_sensor_noise){out[0], out[1], out[2], out[3], 1, s.gate, walk};
  return DM_OK;
}
