// cli/results/sentences.h: lines of the summary, rendered from groups of result.json.
//
// A stage writes its figures once, into the group; the templates are the rows TELL of
// cli/results/kinds.inc:
//
//   {key}           a text, or an integer; a.b and a.0 reach into groups and arrays
//   {key:.3g}       a number in this format of printf; one that is not finite is `inf`
//   {key*100:.3g}   the same, multiplied
//   {~key}          only for the summary: removed from the group once its lines are written
//   [a {b}|c {d}]   the first alternative whose keys all exist and are not null; else nothing
//   \n              the next line; lines without content are left out
#ifndef CLI_RESULTS_SENTENCES_H
#define CLI_RESULTS_SENTENCES_H
#include "cli/console/json.h"

#include <stdio.h>

typedef struct cli_sentence {
  const char *key;   // of the group in cli_kinds, or of a value in the record itself
  const char *label; // of the first line
  const char *text;  // template
} cli_sentence;

#define CLI_NO_SENTENCE(...)
#define CLI_COUNT_SENTENCE(...) +1
#define KIND                    CLI_NO_SENTENCE
#define LIKE                    CLI_NO_SENTENCE
#define TELL                    CLI_COUNT_SENTENCE
enum {
  CLI_SENTENCES = 0
#include "cli/results/kinds.inc"
};
#undef KIND
#undef LIKE
#undef TELL

extern const cli_sentence cli_sentences[CLI_SENTENCES];

// Write the lines with this key about a group (for a value: the record), and remove its keys that begin with `~`.
void cli_tell_group(FILE *summary, const char *key, cli_json *group);

// The same for any template; for tests.
void cli_tell_sentence(FILE *summary, const cli_sentence *sentence, cli_json *group);
#endif
