// cli/report/base64.h: encode numbers as text for a page: little-endian 32-bit floats in base64
// (RFC 4648).
#ifndef CLI_REPORT_BASE64_H
#define CLI_REPORT_BASE64_H
#include "cli/console/json.h"

// Set obj.key to n numbers as text, each rounded to a float; numbers that are not finite become
// NaN. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_base64_numbers(cli_json *obj, const char *key, const double *x, size_t n);
#endif
