#include "lib/multibody/model.h"

#include "lib/base/block.h"

#include <string.h>

void dm_model_free(dm_model *m) {
  dm_block_free(m);
}

// index of name in names [n], or -1
static int find_name(const char *const *names, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (!strcmp(names[i], name)) return i;
  return -1;
}

int dm_model_coord(const dm_model *m, const char *name) {
  return find_name(m->name, m->nq, name);
}
int dm_model_input(const dm_model *m, const char *name) {
  return find_name(m->input_name, m->nu, name);
}
int dm_model_body(const dm_model *m, const char *name) {
  return find_name(m->body_name, m->nbody, name);
}
