#include "cli/exchange/byte_buffer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void cli_bytes_put(cli_bytes *b, const void *data, size_t size) {
  if (b->lost || !size) return;
  if (b->n + size > b->room) {
    // double the capacity
    const size_t room = 2 * b->room + size + 256;
    unsigned char *more = realloc(b->at, room);
    b->lost = !more;
    if (!more) return;
    b->at = more;
    b->room = room;
  }
  memcpy(b->at + b->n, data, size);
  b->n += size;
}

void cli_bytes_integer(cli_bytes *b, uint64_t value, int size) {
  unsigned char text[8];
  for (int i = 0; i < size; i++) text[i] = (unsigned char)(value >> 8 * i);
  cli_bytes_put(b, text, (size_t)size);
}

void cli_bytes_double(cli_bytes *b, double x) {
  uint64_t word;
  memcpy(&word, &x, sizeof word);
  cli_bytes_integer(b, word, 8);
}

void cli_bytes_set(cli_bytes *b, size_t at, uint64_t value, int size) {
  if (b->lost) return;
  for (int i = 0; i < size; i++) b->at[at + (size_t)i] = (unsigned char)(value >> 8 * i);
}

uint32_t cli_bytes_crc(const cli_bytes *b, size_t from) {
  if (b->lost) return 0;
  return (uint32_t)crc32_z(crc32_z(0, NULL, 0), b->at + from, b->n - from);
}

void cli_bytes_free(cli_bytes *b) {
  free(b->at);
  *b = (cli_bytes){0};
}
