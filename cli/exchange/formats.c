#include "cli/exchange/formats.h"

#include "cli/console/log.h"

#define CLI_LIST_FORMAT(word) &cli_format_##word,
const cli_format *const cli_formats[] = {CLI_FORMATS(CLI_LIST_FORMAT) NULL};

void cli_note_missing(const cli_args *args, const pb_visuals *looks) {
  const int n = looks->missing->n;
  if (n == 1) cli_note(args, "warning: %s", looks->missing->text[0]);
  if (n > 1) cli_note(args, "warning: %d looks are not shown; %s", n, looks->missing->text[0]);
}
