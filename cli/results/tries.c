#include "cli/results/tries.h"

#include "cli/results/tables.h"

#include <stdlib.h>

dm_status cli_tries_open(cli_tries *l, const pb_tunables *t) {
  l->t = t;
  l->rows = open_memstream(&l->text, &l->size);
  return l->rows ? DM_OK : DM_NO_MEMORY;
}

void cli_tries_close(cli_tries *l) {
  if (l->rows) fclose(l->rows);
  free(l->text);
}

static void put_try(const cli_tries *l, FILE *f, const char *what, cli_scored s) {
  const double score[] = {s.score, s.fresh};
  char text[32];
  fprintf(f, "%s,%d", what, s.number);
  cli_put_numbers(f, score, 2);
  for (int i = 0; i < l->t->n; i++) fprintf(f, ",%s", pb_tunables_value(l->t, i, s.x, text));
  fputc('\n', f);
}

void cli_tries_add(cli_tries *l, const char *what, cli_scored s) {
  put_try(l, l->rows, what, s);
}

dm_status cli_tries_write(const cli_tries *l, FILE *f, cli_scored file, cli_scored taken) {
  fputs("what,try,score,fresh", f);
  for (int i = 0; i < l->t->n; i++) cli_put_name(f, ",", l->t->number[i].path);
  fputc('\n', f);
  put_try(l, f, "file", file);

  // the rows in memory, if none was lost
  if (fflush(l->rows) != 0 || ferror(l->rows)) return DM_NO_MEMORY;
  if (l->size) fwrite(l->text, 1, l->size, f);
  put_try(l, f, "taken", taken);
  return DM_OK;
}
