#include "problems/readers/task/read_estimator.h"

#include "control/feedback/mechanics.h"

#include <math.h>
#include <string.h>

typedef struct estimator_start {
  const double *q, *p;
} estimator_start;

static const pb_key estimator_start_keys[] = {
    PB_KEY(estimator_start, q, .type = PB_EACH_COORD, .unit = "m or rad", .range = ">= 0",
           .absent = "0.05", .rest = "0", .about = "Position"),
    PB_KEY(estimator_start, p, .type = PB_EACH_COORD, .unit = "N s or N m s", .range = ">= 0",
           .absent = "0.1", .rest = "0", .about = "Momentum"),
    {0}};

typedef struct estimator_disturbance {
  const double *time, *bound;
} estimator_disturbance;

static const pb_key estimator_disturbance_keys[] = {
    PB_KEY(estimator_disturbance, time, .type = PB_EACH_INPUT, .unit = "s", .range = "[1e-9, 1e9]",
           .absent = "none", .rest = "none", .words = "none", .also = "time_constant",
           .about =
               "Time constant of the disturbance estimate; `none`: no disturbance at this input"),
    PB_KEY(estimator_disturbance, bound, .type = PB_EACH_INPUT, .unit = "N or N m", .range = "> 0",
           .absent = "none", .rest = "none", .words = "none", .also = "max limit",
           .about = "Largest disturbance estimate"),
    {0}};

typedef struct estimator_section {
  const double *encoder, *process;
  double gate;
  const char *predict;
  estimator_disturbance disturbance;
  estimator_start start;
} estimator_section;

const pb_key pb_estimator_keys[] = {
    PB_KEY(estimator_section, encoder, .type = PB_EACH_COORD, .unit = "m or rad", .range = "> 0",
           .absent = "1e-3", .rest = "none", .words = "none",
           .about = "Standard deviation of a measurement; `none`: not measured"),
    PB_KEY(estimator_section, process, .type = PB_EACH_COORD, .unit = "N s or N m s",
           .range = ">= 0", .absent = "1e-3", .rest = "0",
           .about = "Standard deviation of the impulse disturbance per step"),
    PB_KEY(estimator_section, disturbance, .type = PB_SECTION, .sub = estimator_disturbance_keys,
           .also = "observer bias",
           .about = "Estimates a slowly varying force on the inputs and subtracts it"),
    PB_KEY(estimator_section, predict, .type = PB_WORD, .absent = "linear", .words = "linear map",
           .about = "Prediction by the linear map along the plan, or by the model's step"),
    PB_KEY(estimator_section, gate, .type = PB_NUMBER, .unit = "standard deviations",
           .range = "> 0", .absent = "10", .words = "none",
           .about = "Measurements further than this from the prediction are rejected, up to five "
                    "in a row"),
    PB_KEY(estimator_section, start, .type = PB_SECTION, .sub = estimator_start_keys,
           .about = "Standard deviations of the initial state"),
    {0}};

// encoders at rest can identify at most as many disturbances as there are encoders
static dm_status check_disturbance(const pb_reader *r, const pb_node *node,
                                   const estimator_section *section, const dm_model *m,
                                   int measured, int delay) {
  const estimator_disturbance *s = &section->disturbance;
  int disturbed = 0;
  if (!node) return DM_OK;
  for (int i = 0; i < r->nu; i++) {
    const pb_node *bound = pb_node_get(node, "bound");
    const bool own = bound && bound->kind == PB_MAPPING; // a number means inputs with a time
    if (own && !(s->time[i] < INFINITY) && s->bound[i] < INFINITY)
      return pb_refuse_node(r, bound,
                            "feedback.estimator.disturbance.bound: found one beside '%.64s', of "
                            "which time says none: nothing is supposed there; expected a time, or "
                            "no bound",
                            r->input[i]);
    if (!(s->time[i] < INFINITY)) continue;
    disturbed++;
    if (i >= r->nf)
      return pb_refuse_node(r, node,
                            "feedback.estimator.disturbance.time: found '%.64s', whose motion is "
                            "prescribed, expected forces",
                            r->input[i]);

    // the bandwidth of the estimate follows from the impulses on the driven coordinate
    const int coord = m->input_coord[i];
    if (coord >= 0 && !(section->process[coord] > 0))
      return pb_refuse_node(r, node,
                            "feedback.estimator.disturbance.time: found one beside '%.64s' and "
                            "feedback.estimator.process 0 of '%.64s', which it drives; expected "
                            "impulses there, from whose size the filter's gain follows",
                            r->input[i], r->coord[coord]);
  }
  if (!disturbed)
    return pb_refuse_node(r, node,
                          "feedback.estimator.disturbance: found no time, expected one, in s; try "
                          "{time: 0.5}");
  if (disturbed > measured)
    return pb_refuse_node(r, node,
                          "feedback.estimator.disturbance: found %d inputs, expected at most %d: "
                          "no more than positions that are measured",
                          disturbed, measured);
  if (!delay) return DM_OK;
  return pb_refuse_node(r, node,
                        "feedback.estimator.disturbance: found one beside delay: 1, expected none");
}

// impulses change momenta, which kinematic coordinates do not have
static dm_status check_process(const pb_reader *r, const pb_node *node, const double *process,
                               const dm_model *m) {
  for (int i = 0; node && node->kind == PB_MAPPING && i < r->n; i++)
    if (m->kinematic[i] && process[i] > 0)
      return pb_refuse_node(r, pb_node_get(node, r->coord[i]),
                            "feedback.estimator.process: found %g for '%.64s', whose motion is "
                            "prescribed, expected joints that move by forces; leave it out",
                            process[i], r->coord[i]);
  return DM_OK;
}

// prediction by the model's step needs a step that the on-board code can compute
static dm_status check_prediction(const pb_reader *r, const pb_node *node, const dm_robot *robot,
                                  const dm_system *system) {
  dm_message why = {""};
  dm_status s = fb_mechanics_check(robot, system, FB_OF_STEPS, &why);
  if (s != DM_UNAVAILABLE) return s;
  return pb_refuse_node(r, node,
                        "feedback.estimator.predict: found map, and the robot's step cannot be "
                        "computed on board: %s; expected linear",
                        why.text);
}

dm_status pb_estimator_read(const pb_reader *r, const pb_node *node, const dm_robot *robot,
                            const dm_system *system, int delay, fb_sensor_noise *sensors,
                            bool *by_map) {
  const dm_model *m = robot->model;
  estimator_section s = {0};
  double *out[4], *time, *bound;
  int measured = 0;
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "feedback.estimator", node, pb_estimator_keys, &s));

  // encoders with noise; none (infinite) means no encoder
  const double *in[] = {s.encoder, s.process, s.start.q, s.start.p};
  for (int i = 0; i < r->n; i++) measured += s.encoder[i] < INFINITY;
  if (!measured)
    return pb_refuse_node(r, node, "feedback.estimator.encoder: found none, expected one at least");

  DM_TRY(check_process(r, pb_node_get(node, "process"), s.process, m));
  DM_TRY(check_disturbance(r, pb_node_get(node, "disturbance"), &s, m, measured, delay));

  *by_map = !strcmp(s.predict, "map");
  if (*by_map) DM_TRY(check_prediction(r, pb_node_get(node, "predict"), robot, system));

  // standard deviations, and the seed if it is not set elsewhere
  for (int i = 0; i < 4; i++) DM_TRY(pb_copy_numbers(r->arena, r->n, in[i], &out[i]));
  DM_TRY(pb_copy_numbers(r->arena, r->nu, s.disturbance.time, &time));
  DM_TRY(pb_copy_numbers(r->arena, r->nu, s.disturbance.bound, &bound));
  *sensors = (fb_sensor_noise){out[0], out[1], out[2], out[3], 1, s.gate, time, bound};
  return DM_OK;
}
