#include "cli/commands/elements.h"

#include "problems/readers/model/mjcf_words.h"
#include "problems/readers/model/urdf_words.h"

#include <string.h>

static const char *const fates[] = {[PB_TAKEN] = "read",
                                    [PB_SILENT] = "ignored",
                                    [PB_DROPPED] = "ignored, with a warning",
                                    [PB_REFUSED] = "refused"};

// write the words of a text, each in `` and separated by ", "
static void put_words(FILE *f, const char *words, const char *separators) {
  for (const char *at = words; *at;) {
    const int length = (int)strcspn(at, separators);
    fprintf(f, "%s`%.*s`", at == words ? "" : ", ", length, at);
    at += length;
    at += strspn(at, separators);
  }
}

static void put_row(FILE *f, const pb_word *row) {
  const char *slash = strchr(row->element, '/');
  if (slash)
    fprintf(f, "| `%s` in `%.*s` | ", slash + 1, (int)(slash - row->element), row->element);
  else
    fprintf(f, "| `%s` | ", row->element);
  if (!row->words) fprintf(f, "all");
  if (row->words && !row->words[0]) fprintf(f, "none");
  if (row->words) put_words(f, row->words, " ");
  fprintf(f, " | %s | ", fates[row->fate]);

  // the reason, and values that do not matter
  const char *expected = row->fate == PB_REFUSED ? "dmoc expects " : "";
  if (row->note) fprintf(f, "%s%s", expected, row->note);
  if (row->harmless) {
    fprintf(f, "%saccepted in silence: ", row->note ? "; " : "");
    put_words(f, row->harmless, "|");
  }

  fprintf(f, " |\n");
}

void cli_elements_write(FILE *f) {
  const pb_words *const formats[] = {&pb_mjcf_words, &pb_urdf_words};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    fprintf(f, "%s| element of %s | attributes | dmoc | note |\n| --- | --- | --- | --- |\n",
            i ? "\n" : "", formats[i]->format);
    for (const pb_word *row = formats[i]->row; row->element; row++) put_row(f, row);
  }
}
