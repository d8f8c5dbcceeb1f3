#include "cli/stages/sample_reports.h"

#include "cli/results/sentences.h"
#include "problems/readers/task/units.h"

#include <math.h>

// the number of samples that left the controller's envelope, and the largest reach of successful
// ones
void cli_report_envelope(cli_call *call, cli_json *o, const fb_sample *rows, const bool *ran) {
  int left = 0;
  double reach = 0, cost = 0;
  if (!call->run.p->feedback.has_envelope) return;

  // over the samples that ran
  for (int i = 0; i < call->run.p->verify.samples; i++) {
    left += ran[i] && rows[i].left >= 0;
    if (!ran[i] || !rows[i].succeeded) continue;
    reach = fmax(reach, rows[i].reach);
    if (rows[i].left < 0) cost = fmax(cost, rows[i].cost);
  }

  // for bounds on positions, then for the bound on x'P x
  cli_json_int(o, "left_envelope", left);
  cli_json_number(o, "largest_reach", reach);
  if (left > 0 || reach > 0)
    cli_tell(call, "", "%d left the law's envelope; those that succeeded came to %.3g of it", left,
             reach);
  if (!(call->run.p->feedback.envelope.cost > 0)) return;
  cli_json_number(o, "largest_cost", cost);
  cli_tell(call, "", "x'P x came to %.4g in those that succeeded within it", cost);
}

// the sample with the largest error of rest, of those that are not lost; -1: none
static int find_worst_rest(const pb_problem *p, const fb_sample *rows, const bool *ran,
                           bool swings) {
  int worst = -1;
  double most = -1;
  for (int s = 0; s < p->verify.samples; s++) {
    const fb_sample *row = &rows[s];
    const double error = swings ? row->swing : row->standing;
    if (!ran[s] || row->lost >= 0 || row->stands < 0 || !(error > most)) continue;
    most = error;
    worst = s;
  }
  return worst;
}

// where dry friction leaves the robot: its standing error, and how far it swings
void cli_report_rest(cli_call *call, cli_json *o, const fb_sample *rows, const bool *ran) {
  const pb_problem *p = call->run.p;
  const int stands = find_worst_rest(p, rows, ran, false),
            swings = find_worst_rest(p, rows, ran, true);
  if (stands < 0) return;
  const fb_sample *a = &rows[stands], *b = &rows[swings];
  const double *scale = p->verify.scale;
  cli_json *rest = cli_json_object(o, "rest");
  cli_json_text(rest, "joint", p->names.coord[a->stands]);
  cli_json_text(rest, "unit", pb_problem_unit(p, 'q', a->stands));
  cli_json_number(rest, "standing", a->standing * (scale ? scale[a->stands] : 1));
  cli_json_int(rest, "sample", stands);
  cli_json_text(rest, "swinging_joint", p->names.coord[b->swings]);
  cli_json_text(rest, "swinging_unit", pb_problem_unit(p, 'q', b->swings));
  cli_json_number(rest, "amplitude", b->swing * (scale ? scale[b->swings] : 1));
  cli_json_int(rest, "swinging_sample", swings);
  cli_tell_group(call->summary.file, "verify.*.rest", rest);
}

// the wheel that slid farthest, and how many samples failed by that
void cli_report_slip(cli_call *call, cli_json *o, const fb_sample *rows, const bool *ran) {
  const pb_problem *p = call->run.p;
  int worst = -1, beyond = 0;
  for (int s = 0; s < p->verify.samples; s++) {
    if (!ran[s] || rows[s].wheel < 0) continue;
    beyond += rows[s].slip > p->verify.slip.limit;
    if (worst < 0 || rows[s].slip > rows[worst].slip) worst = s;
  }
  if (worst < 0) return;
  const dm_roller *list;
  dm_rolling_described(p->robot.mechanism.rolling, &list);
  cli_json *group = cli_json_object(o, "slip");
  cli_json_text(group, "wheel", list[rows[worst].wheel].name);
  cli_json_number(group, "length", rows[worst].slip);
  cli_json_int(group, "sample", worst);
  cli_json_int(group, "beyond", beyond);
  cli_tell_group(call->summary.file, "verify.*.slip", group);
}

// calls and sweeps of receding-horizon control
void cli_report_horizons(cli_call *call, cli_json *o, const fb_sample *rows, const bool *ran) {
  long calls = 0, sweeps = 0, swept = 0, fell_back = 0;
  int most = 0;
  for (int s = 0; s < call->run.p->verify.samples; s++) {
    const fb_horizon_record *of = &rows[s].horizons;
    if (!ran[s]) continue;
    calls += of->calls;
    sweeps += of->sweeps;
    swept += of->swept;
    fell_back += of->fell_back;
    most = of->most > most ? of->most : most;
  }
  if (!calls) return;
  cli_json *group = cli_json_object(o, "horizon");
  cli_json_int(group, "calls", calls);
  cli_json_number(group, "sweeps", (double)sweeps / (double)calls);
  cli_json_int(group, "most", most);
  cli_json_int(group, "swept", swept);
  cli_json_int(group, "fell_back", fell_back);
  cli_tell_group(call->summary.file, "verify.*.horizon", group);
}
