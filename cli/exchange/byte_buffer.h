// cli/exchange/byte_buffer.h: bytes that grow, as binary files are made of: numbers stand with their
// lowest byte first, whatever the machine's order.
#ifndef CLI_EXCHANGE_BYTE_BUFFER_H
#define CLI_EXCHANGE_BYTE_BUFFER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Zeroed: empty. Where memory ran out it is `lost`, and what is put into it then is dropped.
typedef struct cli_bytes {
  unsigned char *at; // [n]
  size_t n, room;
  bool lost;
} cli_bytes;

void cli_bytes_put(cli_bytes *b, const void *data, size_t size);
void cli_bytes_integer(cli_bytes *b, uint64_t value, int size); // size: 1 to 8 bytes
void cli_bytes_double(cli_bytes *b, double x);                  // as IEEE 754 has it

// Set an integer that was put at a place before.
void cli_bytes_set(cli_bytes *b, size_t at, uint64_t value, int size);

// The CRC-32 of the bytes from a place on.
uint32_t cli_bytes_crc(const cli_bytes *b, size_t from);

void cli_bytes_free(cli_bytes *b); // leaves it zeroed
#endif
