#include "cli/results/criteria.h"

#include "cli/results/registry.h"

// links are named by the joint that carries them
static const char *name_criterion_part(const pb_problem *p, const fb_criterion *row) {
  const dm_model *tree = p->robot.mechanism.tree;
  if (row->part < 0) return "";
  if (fb_varied_part(row->vary) == FB_PART_LINK) return tree->name[tree->coord[row->part]];
  return p->model->name[row->part];
}

void cli_criteria_rows(FILE *f, const pb_problem *p, const fb_criterion *row,
                       const bool *survived) {
  for (int k = 0; k < row->levels; k++) {
    cli_put_name(f, "", row->name);
    fprintf(f, ",%s", fb_varied_words[row->vary]);
    cli_put_name(f, ",", name_criterion_part(p, row));
    cli_put_number(f, ",", fb_criterion_level(row, k));
    fprintf(f, ",%d\n", survived[k]);
  }
}

const cli_result_file cli_file_criteria = {
    .name = "criteria.csv",
    .stage = "verify",
    .part = CLI_PART_VERIFY,
    .columns = "Levels of the criteria. level: what is varied, in its unit, of pushes the largest "
               "height; survived: 1 where more than half of its runs did.",
    .first = "criterion,vary,part,level,survived",
};
