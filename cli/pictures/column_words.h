// cli/pictures/column_words.h: what the columns of tables are called on an axis, and their units.
#ifndef CLI_PICTURES_COLUMN_WORDS_H
#define CLI_PICTURES_COLUMN_WORDS_H
#include "cli/pictures/exhibit.h"

typedef struct cli_column_words {
  const char *quantity, *unit; // "" where it has none
} cli_column_words;

// Of a column by its name; of one that is not known, its name itself. x: the folder or table.
cli_column_words cli_column_say(const cli_exhibit *x, const char *name);
#endif
