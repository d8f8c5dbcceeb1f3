#include "problems/readers/model/keyframe.h"

#include <math.h>
#include <string.h>

dm_status pb_keyframes_know(pb_reader *r, const pb_tree *t, const dm_model *model) {
  pb_keyframe *list;
  PB_NEW(r->arena, list, t->nkey + 1);
  for (int k = 0; k < t->nkey; k++) {
    const pb_file_key *x = &t->key[k];
    double *state;
    PB_NEW(r->arena, state, 2 * model->nq + 1);
    for (int i = 0; i < 2 * model->nq; i++) state[i] = NAN;
    list[k] = (pb_keyframe){x->name, state, state + model->nq};

    // mimic and locked joints are not in the model
    for (int i = 0; i < x->n; i++) {
      const int c = dm_model_coord(model, x->coord[i]);
      if (c < 0) continue;
      state[c] = x->q[i];
      state[model->nq + c] = x->v[i];
    }
  }
  r->keyframe = list;
  r->nkeyframe = t->nkey;
  return DM_OK;
}

// own values, with missing ones from the keyframe
static dm_status fill_in(const pb_reader *r, const double *frame, const double **own) {
  double *x;
  PB_NEW(r->arena, x, r->n);
  for (int i = 0; i < r->n; i++) x[i] = *own && !isnan((*own)[i]) ? (*own)[i] : frame[i];
  *own = x;
  return DM_OK;
}

dm_status pb_keyframe_read(const pb_reader *r, const char *path, const pb_node *section,
                           pb_end *end) {
  const pb_node *node = pb_node_get(section, "keyframe");
  const char **name;
  int k;
  if (!node) return DM_OK;
  PB_NEW(r->arena, name, r->nkeyframe + 1);
  for (int i = 0; i < r->nkeyframe; i++) name[i] = r->keyframe[i].name;
  DM_TRY(pb_schema_name(r, path, node, "keyframe", name, r->nkeyframe, &k));
  DM_TRY(fill_in(r, r->keyframe[k].q, &end->q));
  return fill_in(r, r->keyframe[k].v, &end->v);
}
