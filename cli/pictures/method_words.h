// cli/pictures/method_words.h: what the method of a motion is called: its rule, its order.
#ifndef CLI_PICTURES_METHOD_WORDS_H
#define CLI_PICTURES_METHOD_WORDS_H
#include "cli/pictures/exhibit.h"

// "midpoint", "midpoint, order 4", "energy-momentum", "taylor", ..; of a table "". Returns text.
const char *cli_method_say(const cli_exhibit *x, char *text, size_t size);
#endif
