// cli/exchange/archive.h: write a ZIP archive with uncompressed members and without times, so that
// equal members give equal files.
//
// An archive library would bring its own files, clocks and compressors; uncompressed members need
// only three records of fixed size.
#ifndef CLI_EXCHANGE_ARCHIVE_H
#define CLI_EXCHANGE_ARCHIVE_H
#include "cli/exchange/byte_buffer.h"
#include "lib/base/status.h"

#include <stdio.h>

// Zeroed except f: empty.
typedef struct cli_archive {
  FILE *f;
  uint64_t size; // written so far
  int members;
  cli_bytes directory;
} cli_archive;

// Add a member. Returns DM_OK, DM_NO_MEMORY if its bytes are incomplete, or DM_BAD_INPUT if the
// archive would exceed the format's 4 GiB or 65535 members.
dm_status cli_archive_add(cli_archive *z, const char *name, const cli_bytes *data);

// Write the directory of all members, and free it; call last. Returns as above.
dm_status cli_archive_end(cli_archive *z);
#endif
