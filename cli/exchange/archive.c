#include "cli/exchange/archive.h"

#include <string.h>

enum {
  LOCAL = 0x04034b50,
  CENTRAL = 0x02014b50,
  END = 0x06054b50,
  VERSION = 20, // required to extract
  UTF_8 = 0x800,
  FIRST_DAY = 0x21, // 1 January 1980, the first day of the format
  MOST_MEMBERS = 65535
};

static const uint64_t MOST_BYTES = 0xffffffff;

// the common fields of both records of a member
static void put_member(cli_bytes *b, const char *name, const cli_bytes *data) {
  cli_bytes_integer(b, VERSION, 2);
  cli_bytes_integer(b, UTF_8, 2);
  cli_bytes_integer(b, 0, 2); // stored
  cli_bytes_integer(b, 0, 2); // midnight
  cli_bytes_integer(b, FIRST_DAY, 2);
  cli_bytes_integer(b, cli_bytes_crc(data, 0), 4);
  cli_bytes_integer(b, data->n, 4);
  cli_bytes_integer(b, data->n, 4);
  cli_bytes_integer(b, strlen(name), 2);
  cli_bytes_integer(b, 0, 2); // no extra field
}

// write bytes to the file, if any
static void write_bytes(cli_archive *z, const cli_bytes *b) {
  if (b->n > 0) fwrite(b->at, 1, b->n, z->f);
  z->size += b->n;
}

// write and free a buffer
static dm_status write_own(cli_archive *z, cli_bytes *b) {
  const bool lost = b->lost;
  if (!lost) write_bytes(z, b);
  cli_bytes_free(b);
  return lost ? DM_NO_MEMORY : DM_OK;
}

dm_status cli_archive_add(cli_archive *z, const char *name, const cli_bytes *data) {
  const uint64_t at = z->size, rest = z->directory.n + 3 * strlen(name) + 256;
  if (data->lost) return DM_NO_MEMORY;
  if (at + data->n + rest > MOST_BYTES || z->members == MOST_MEMBERS) return DM_BAD_INPUT;

  // its local record and its bytes
  cli_bytes local = {0};
  cli_bytes_integer(&local, LOCAL, 4);
  put_member(&local, name, data);
  cli_bytes_put(&local, name, strlen(name));
  DM_TRY(write_own(z, &local));
  write_bytes(z, data);

  // its entry in the directory
  cli_bytes *d = &z->directory;
  cli_bytes_integer(d, CENTRAL, 4);
  cli_bytes_integer(d, VERSION, 2);
  put_member(d, name, data);
  cli_bytes_integer(d, 0, 2); // no comment
  cli_bytes_integer(d, 0, 2); // on the first disk
  cli_bytes_integer(d, 0, 2); // binary
  cli_bytes_integer(d, 0, 4); // no attributes
  cli_bytes_integer(d, at, 4);
  cli_bytes_put(d, name, strlen(name));
  z->members++;
  return DM_OK;
}

dm_status cli_archive_end(cli_archive *z) {
  const uint64_t at = z->size, size = z->directory.n;
  dm_status s = write_own(z, &z->directory);
  cli_bytes end = {0};
  cli_bytes_integer(&end, END, 4);
  cli_bytes_integer(&end, 0, 4); // a single disk
  cli_bytes_integer(&end, (uint64_t)z->members, 2);
  cli_bytes_integer(&end, (uint64_t)z->members, 2);
  cli_bytes_integer(&end, size, 4);
  cli_bytes_integer(&end, at, 4);
  cli_bytes_integer(&end, 0, 2); // no comment
  const dm_status t = write_own(z, &end);
  return s == DM_OK ? t : s;
}
