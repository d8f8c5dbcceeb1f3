#include "benchmarks/against.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 5, MOST = 1000 };

typedef struct figure {
  char name[96], unit[32];
  double value[2]; // here, there
  bool found[2];
} figure;

typedef struct table {
  figure row[MOST];
  int rows;
} table;

static figure *find_row(table *t, const char *name, const char *unit) {
  for (int i = 0; i < t->rows; i++)
    if (!strcmp(t->row[i].name, name)) return &t->row[i];
  if (t->rows == MOST) return NULL;
  figure *f = &t->row[t->rows++];
  *f = (figure){0};
  snprintf(f->name, sizeof f->name, "%s", name);
  snprintf(f->unit, sizeof f->unit, "%s", unit);
  return f;
}

// update the minimum of each figure from one run of a program
static bool read_turn(table *t, const char *program, const char *filter, int side) {
  char command[1200], line[256];
  const char *option = filter ? "--filter" : "";
  snprintf(command, sizeof command, "'%s' %s %s 2>/dev/null", program, option,
           filter ? filter : "");
  FILE *out = popen(command, "r");
  if (!out) return false;
  while (fgets(line, sizeof line, out)) {
    char name[96], unit[32];
    double value;
    if (sscanf(line, "%95s %lf %31[^\n]", name, &value, unit) != 3) continue;
    figure *f = find_row(t, name, unit);
    if (!f || (f->found[side] && f->value[side] <= value)) continue;
    f->value[side] = value;
    f->found[side] = true;
  }
  return pclose(out) == 0;
}

int bench_against(const char *program, const char *build, const char *filter) {
  static table t;
  char other[1024];
  snprintf(other, sizeof other, "%s/benchmarks/bench", build);
  const char *side[] = {program, other};

  // alternate, because the machine's speed drifts
  for (int turn = 0; turn < TURNS; turn++)
    for (int s = 0; s < 2; s++) {
      fprintf(stderr, "turn %d of %d: %s\n", turn + 1, TURNS, side[s]);
      if (read_turn(&t, side[s], filter, s)) continue;
      fprintf(stderr, "bench: %s failed; build it there with `ninja benchmarks/bench`\n", side[s]);
      return 2;
    }
  for (int i = 0; i < t.rows; i++) {
    const figure *f = &t.row[i];
    if (!f->found[0] || !f->found[1]) continue;
    printf("%-44s %10.4g %10.4g  %.3f  %s\n", f->name, f->value[0], f->value[1],
           f->value[1] != 0 ? f->value[0] / f->value[1] : 0, f->unit);
  }
  return 0;
}
