// problems/readers/format/sha256.h: the SHA-256 digest of FIPS 180-4, to detect changed inputs.
//
// Neither the C library nor the libraries that dmoc uses (IPOPT, SuiteSparse, OpenBLAS, Expat,
// libyaml, json-c) provide it, and one page of arithmetic, verified by the standard's test vectors,
// does not justify a cryptography library.
#ifndef PB_FORMAT_SHA256_H
#define PB_FORMAT_SHA256_H
#include <stddef.h>
#include <stdint.h>

// Implementation of the rounds. The processor is queried for its instructions only for long
// digests, because under a hypervisor the query takes as long as hashing some kilobytes in plain C.
typedef enum pb_sha256_way { PB_SHA256_SHORT, PB_SHA256_PLAIN, PB_SHA256_HARDWARE } pb_sha256_way;

typedef struct pb_sha256 {
  uint32_t state[8], k[64]; // running digest, round constants
  uint64_t length;          // bytes so far
  unsigned char block[64];
  pb_sha256_way way; // PB_SHA256_SHORT: plain C so far
} pb_sha256;

// Begin a digest.
void pb_sha256_init(pb_sha256 *s);
// Use the processor's instructions from here on, if available; long digests switch by themselves.
void pb_sha256_hasten(pb_sha256 *s);
// Add n bytes, in pieces of any size.
void pb_sha256_add(pb_sha256 *s, const void *bytes, size_t n);
// Write the digest of all bytes in hexadecimal. s cannot be used afterwards.
void pb_sha256_text(pb_sha256 *s, char text[65]);
#endif
