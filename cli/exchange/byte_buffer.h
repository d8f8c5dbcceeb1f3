// cli/exchange/byte_buffer.h: a growing byte buffer for binary files, with little-endian numbers on
// any machine.
#ifndef CLI_EXCHANGE_BYTE_BUFFER_H
#define CLI_EXCHANGE_BYTE_BUFFER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Zeroed: empty. After an allocation failure `lost` is set, and further data is dropped.
typedef struct cli_bytes {
  unsigned char *at; // [n]
  size_t n, room;
  bool lost;
} cli_bytes;

void cli_bytes_put(cli_bytes *b, const void *data, size_t size);
void cli_bytes_integer(cli_bytes *b, uint64_t value, int size); // size: 1 to 8 bytes
void cli_bytes_double(cli_bytes *b, double x);                  // IEEE 754

// Overwrite an integer written before at this offset.
void cli_bytes_set(cli_bytes *b, size_t at, uint64_t value, int size);

// The CRC-32 of the bytes from an offset on.
uint32_t cli_bytes_crc(const cli_bytes *b, size_t from);

void cli_bytes_free(cli_bytes *b); // leaves it zeroed
#endif
