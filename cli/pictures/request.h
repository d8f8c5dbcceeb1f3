// cli/pictures/request.h: what a command line asks of a picture.
#ifndef CLI_PICTURES_REQUEST_H
#define CLI_PICTURES_REQUEST_H
#include "cli/console/command.h"

// Words separated by commas.
typedef struct cli_words {
  int n;
  char **word; // [n]
} cli_words;

typedef struct cli_request {
  const cli_args *args;
  const char *what;        // the word of a plot, or all
  const char *suffix;      // of the picture: svg, png, pdf
  const char *x;           // a column; NULL: the first that fits
  cli_words y;             // columns
  cli_words points, names; // on bodies; of folders in the legend
  const char *table;       // a file of the folder; NULL: the first that has the columns
  double *times;           // [ntimes] of frames, s; NULL: chosen
  int ntimes;
  int plane[2];        // axes of the world, 0 to 2; -1: chosen
  double range[2][2];  // of x and y; NAN: chosen
  bool log[2];         // x and y by their logarithm
  const char *against; // a folder or a number; NULL: none
} cli_request;

// Read the options of a picture. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT after saying what was
// found and what was expected; the request is to be freed in any case.
int cli_request_read(cli_request *r, const cli_args *args);
void cli_request_free(cli_request *r);
#endif
