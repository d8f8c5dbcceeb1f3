#include "problems/readers/format/definitions.h"
#include "problems/readers/model/outputs.h"
#include "problems/readers/model/read_robot.h"
#include "problems/readers/task/opened.h"
#include "problems/readers/task/problem.h"
#include "problems/readers/task/read_identify.h"

#include <stdlib.h>
#include <string.h>

static dm_status read_model(pb_reader *r, bool floating, pb_robot *out) {
  char *text;
  size_t size;
  pb_sections s = {0};
  const pb_node *root;
  DM_TRY(pb_opened_text(r, &text, &size));
  pb_base base = floating ? PB_FLOATING : PB_FIXED;

  // a robot file alone: inputs by effort limits, gravity along -z
  if (pb_opened_robot(r->file, text)) return pb_robot_text(r, text, size, base, out);
  DM_TRY(pb_opened_root(r, text, size, &root, &s));
  DM_TRY(pb_definitions_read(r, s.let));
  DM_TRY(pb_robot_read(r, s.model, s.inputs, s.outputs, base, out));
  const pb_extra_formulas none = {0};
  return pb_outputs_read(r, s.outputs, &none, s.keep_out, false, false, out);
}

dm_status pb_model_draft(pb_robot *out, const char *path, bool floating,
                         struct pb_warnings *warnings, dm_message *why, dm_message *msg) {
  pb_arena arena = {0};
  pb_reader r = {.arena = &arena, .warnings = warnings, .msg = msg, .file = path, .draft = why};
  if (why) why->text[0] = 0;
  *out = (pb_robot){0};

  // the robot keeps the reader's memory, which has the formulas of outputs and parts
  dm_status s = pb_opened_report(&r, read_model(&r, floating, out));
  out->memory = arena.last;
  out->urdf = NULL;
  out->urdf_size = 0;
  out->file = NULL;
  // zeroed on failure
  if (s != DM_OK) {
    pb_robot_free(out);
    *out = (pb_robot){0};
  }
  return s;
}

dm_status pb_model_read(pb_robot *out, const char *path, bool floating,
                        struct pb_warnings *warnings, dm_message *msg) {
  return pb_model_draft(out, path, floating, warnings, NULL, msg);
}

// -- identification

static dm_status read_identification(pb_reader *r, pb_identification *x) {
  char *text;
  size_t size;
  pb_sections s = {0};
  const pb_node *root = NULL;
  x->path = pb_copy(r->arena, r->file, strlen(r->file));
  if (!x->path) return DM_NO_MEMORY;
  DM_TRY(pb_opened_text(r, &text, &size));
  x->robot_alone = pb_opened_robot(r->file, text);
  if (x->robot_alone)
    DM_TRY(pb_robot_text(r, text, size, PB_FIXED, &x->robot));
  else
    DM_TRY(pb_opened_root(r, text, size, &root, &s));
  DM_TRY(pb_opened_name(r, root, s.name, &x->name));
  if (root) DM_TRY(pb_definitions_read(r, s.let));
  if (root) DM_TRY(pb_robot_read(r, s.model, s.inputs, s.outputs, PB_FIXED, &x->robot));
  DM_TRY(pb_identify_read(r, s.identify, x->robot.mechanism.model, &x->set));
  x->tree = root;
  x->given = s.identify != NULL;
  pb_sha256_text(&r->digest, x->sha256);
  return DM_OK;
}

dm_status pb_identification_read(pb_identification **out, const char *path,
                                 const pb_replace *replace, int n, dm_message *msg) {
  pb_arena arena = {0};
  pb_identification *x = calloc(1, sizeof *x);
  *out = NULL;
  if (!x) return dm_fail(msg, DM_NO_MEMORY, "%.300s: out of memory", path);
  pb_reader r = {.arena = &arena,
                 .warnings = &x->warnings,
                 .msg = msg,
                 .file = path,
                 .replace = replace,
                 .nreplace = n};
  const dm_status s = pb_opened_report(&r, read_identification(&r, x));
  x->memory = arena.last;
  x->sources = r.sources;
  if (s == DM_OK)
    *out = x;
  else
    pb_identification_free(x);
  return s;
}

void pb_identification_free(pb_identification *x) {
  if (!x) return;
  pb_arena arena = {x->memory};
  pb_robot_free(&x->robot);
  pb_warnings_free(&x->warnings);
  pb_arena_free(&arena);
  free(x);
}
