#include "cli/commands/elements.h"

#include "problems/readers/model/mjcf_words.h"
#include "problems/readers/model/urdf_words.h"

#include <string.h>

static const char *const fates[] = {[PB_TAKEN] = "read",
                                    [PB_SILENT] = "left out",
                                    [PB_DROPPED] = "warned of",
                                    [PB_REFUSED] = "refused"};

// `a`, `b` of the words of a text
static void put_words(FILE *f, const char *words) {
  for (const char *at = words; *at; at += strspn(at, " ")) {
    const int length = (int)strcspn(at, " ");
    fprintf(f, "%s`%.*s`", at == words ? "" : ", ", length, at);
    at += length;
  }
}

// what it is beside its fate: the harmless value, the reason or what is expected
static void put_note(FILE *f, const pb_word *row) {
  if (row->fate == PB_REFUSED) fprintf(f, "expected: ");
  fprintf(f, "%s", row->note ? row->note : "");
  if (row->harmless) fprintf(f, "; nothing is said of `%s`", row->harmless);
}

static void put_row(FILE *f, const pb_word *row) {
  const char *slash = strchr(row->element, '/');
  if (slash)
    fprintf(f, "| `%s` in `%.*s` | ", slash + 1, (int)(slash - row->element), row->element);
  else
    fprintf(f, "| `%s` | ", row->element);
  if (row->words)
    put_words(f, row->words);
  else
    fprintf(f, "all of it");
  fprintf(f, " | %s | ", fates[row->fate]);
  put_note(f, row);
  fprintf(f, " |\n");
}

void cli_elements_write(FILE *f) {
  const pb_words *const formats[] = {&pb_mjcf_words, &pb_urdf_words};
  for (int i = 0; i < 2; i++) {
    fprintf(
        f, "%s### Elements of %s\n\n| element | attributes | dmoc | |\n| --- | --- | --- | --- |\n",
        i ? "\n" : "", formats[i]->format);
    for (const pb_word *row = formats[i]->row; row->element; row++) put_row(f, row);
  }
}
