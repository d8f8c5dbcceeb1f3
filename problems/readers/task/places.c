// places.c: where a problem file has a key, or a phase (problems/readers/task/problem.h).
#include "problems/readers/format/yaml.h"
#include "problems/readers/task/problem.h"

#include <stdio.h>
#include <string.h>

bool pb_problem_place(const pb_problem *p, const char *key, int at[2]) {
  const pb_node *node = p->file.tree;
  char part[64];
  for (const char *from = key; node && *from;) {
    // only mappings have further keys
    const size_t length = strcspn(from, ".");
    snprintf(part, sizeof part, "%.*s", (int)length, from);
    node = node->kind == PB_MAPPING ? pb_node_get(node, part) : NULL;
    from += length + (from[length] == '.');
  }
  if (!node || node == p->file.tree) return false;
  at[0] = node->key_line;
  at[1] = node->key_column;
  return true;
}

const char *pb_problem_at(const pb_problem *p, const char *key, char text[PB_PLACE]) {
  int at[2];
  if (key && pb_problem_place(p, key, at))
    snprintf(text, PB_PLACE, "%.250s:%d:%d", p->file.path, at[0], at[1]);
  else
    snprintf(text, PB_PLACE, "%.290s", p->file.path);
  return text;
}

const char *pb_phases_at(const pb_problem *p, const char *sentence, char text[PB_PLACE]) {
  char start[80];
  for (int i = 0; i < p->phases.n; i++) {
    const int length = snprintf(start, sizeof start, "phase %.64s: ", p->phases.name[i]);
    if (strncmp(sentence, start, (size_t)length) != 0) continue;
    snprintf(text, PB_PLACE, "%.250s:%d:%d", p->file.path, p->phases.place[i][0],
             p->phases.place[i][1]);
    return text;
  }
  return pb_problem_at(p, NULL, text);
}
