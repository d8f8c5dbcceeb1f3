// lib/base/text.h: plain text: UTF-8 with visible characters only, safe to show and to write.
//
// Names come from files, and go to terminals, scripts, tables and source text, where a line end, an
// escape character or a change of the writing direction would act as a command. Readers refuse
// other characters, writers replace them.
#ifndef DM_BASE_TEXT_H
#define DM_BASE_TEXT_H

// The bytes of the character at the start of text, 1 to 4; 0 if it is not plain: the end of the
// text, invalid UTF-8, or a character that is a control (U+0000 to U+001F, U+007F to U+009F), ends
// a line (U+2028, U+2029) or changes the writing direction (U+200E, U+200F, U+202A to U+202E,
// U+2066 to U+2069, U+FEFF).
int dm_text_plain(const char *text);

// The first position in text that is not plain; NULL: none. If `kept` is not NULL, its characters,
// all below U+0080, are allowed.
const char *dm_text_flaw(const char *text, const char *kept);

// Describe the character at such a position, "the control character U+000A" or "the byte 0xFF,
// which is not UTF-8", in `what`; returns `what`.
const char *dm_text_describe(const char *flaw, char what[64]);

// Replace each byte that is neither plain nor in `kept` by `instead`. Returns text.
char *dm_text_make_plain(char *text, const char *kept, char instead);
#endif
