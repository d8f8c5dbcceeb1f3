// lib/base/text.h: text that can be shown and written safely: UTF-8 whose characters are all
// visible ones.
//
// Names come from files, and go to terminals, scripts, tables and source text, where a line end, an
// escape or a character that turns the reading direction is a command. Readers refuse what is not
// plain, writers replace it.
#ifndef DM_BASE_TEXT_H
#define DM_BASE_TEXT_H

// The bytes of the character that text begins with, 1 to 4; 0 where it is none that is plain: at
// the end, where the bytes are not UTF-8, and at a character that controls (U+0000 to U+001F,
// U+007F to U+009F), ends a line (U+2028, U+2029) or directs the writing (U+200E, U+200F, U+202A to
// U+202E, U+2066 to U+2069, U+FEFF).
int dm_text_plain(const char *text);

// The first place in text that is not plain; NULL: all of it is. With `kept` not NULL, its
// characters, all below U+0080, count as plain.
const char *dm_text_flaw(const char *text, const char *kept);

// What stands at such a place, "the control character U+000A" or "the byte 0xFF, which is not
// UTF-8", in what; returns what.
const char *dm_text_describe(const char *flaw, char what[64]);

// Put `instead` in the place of each byte that is not plain, nor one of kept. Returns text.
char *dm_text_make_plain(char *text, const char *kept, char instead);
#endif
