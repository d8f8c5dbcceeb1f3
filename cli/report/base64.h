// cli/report/base64.h: numbers as text that a page holds: 32-bit floats, the lowest byte first, in
// base64 (RFC 4648).
#ifndef CLI_REPORT_BASE64_H
#define CLI_REPORT_BASE64_H
#include "cli/console/json.h"

// Set obj.key to the text of n numbers, each rounded to a float; one that is not finite is a NaN.
// Returns DM_OK or DM_NO_MEMORY.
dm_status cli_base64_numbers(cli_json *obj, const char *key, const double *x, size_t n);
#endif
