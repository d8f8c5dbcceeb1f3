#include "cli/exchange/formats.h"

#define CLI_LIST_FORMAT(word) &cli_format_##word,
const cli_format *const cli_formats[] = {CLI_FORMATS(CLI_LIST_FORMAT) NULL};
