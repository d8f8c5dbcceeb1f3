// cli/exchange/archive.h: a ZIP archive of members that are stored as they are, without
// compression. No time stands in it: the same members make the same bytes.
//
// A library for archives would bring its own files, clocks and compressors; what is stored as it is
// needs three records of fixed size.
#ifndef CLI_EXCHANGE_ARCHIVE_H
#define CLI_EXCHANGE_ARCHIVE_H
#include "cli/exchange/byte_buffer.h"
#include "lib/base/status.h"

#include <stdio.h>

// Zeroed but for f: empty.
typedef struct cli_archive {
  FILE *f;
  uint64_t size; // written so far
  int members;
  cli_bytes directory;
} cli_archive;

// Add a member of that name. Returns DM_OK; DM_NO_MEMORY where its bytes are lost; DM_BAD_INPUT
// where the archive would be larger than the format's 4 GiB or 65535 members.
dm_status cli_archive_add(cli_archive *z, const char *name, const cli_bytes *data);

// Write the directory of all members, and free it; with nothing more to come. Returns as above.
dm_status cli_archive_end(cli_archive *z);
#endif
