// problems/readers/format/key_row.h: a key as a row of the tables in the documents.
#ifndef PB_FORMAT_KEY_ROW_H
#define PB_FORMAT_KEY_ROW_H
#include "problems/readers/format/key.h"

enum { PB_ROW_TEXT = 900 }; // bytes of a row

// "| `path` | value | unit | default | meaning |", with – for empty cells; returns text.
const char *pb_key_row(const char *path, const pb_key *key, char text[PB_ROW_TEXT]);
#endif
