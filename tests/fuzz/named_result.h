// tests/fuzz/named_result.h: one small result, whose names are an input: lines of it, in which \n, \\ and
// \xHH stand for bytes that no line can have. Its writers write to one text, whose bones
// (tests/fuzz/grammar.h) are those of the same text with plain names.
#ifndef TESTS_FUZZ_NAMED_RESULT_H
#define TESTS_FUZZ_NAMED_RESULT_H
#include "cli/pictures/request.h"
#include "cli/report/exhibit.h"

#include <stdint.h>

enum { FUZZ_NAMES = 16, FUZZ_FOLDERS = 2, FUZZ_BONES = 1 << 18 };

// The names of an input, plain ones in the place of those that it does not have; and whose each is: of two
// coordinates and inputs, three rows of outputs, two bodies and folders, the problem, other things.
enum { COORD = 0, INPUT = 2, OUTPUT = 4, BODY = 7, FOLDER = 9, PROBLEM = 11, OTHER = 12 };
extern const char *fuzz_name[FUZZ_NAMES];
void fuzz_take_names(const uint8_t *bytes, size_t size);

// The result twice, as two folders, with all tables that pictures need; opened once. Names are put where
// writers take them from.
extern cli_exhibits fuzz_result;
extern cli_request fuzz_request;
void fuzz_open_result(void);
void fuzz_name_result(void);

// What a writer writes.
extern char fuzz_text[];
FILE *fuzz_open_text(void);
void fuzz_close_text(FILE *f);

// Fail with the text: why, if not NULL, or where its bones are not the plain ones. bones [FUZZ_BONES].
extern char fuzz_bones[];
void fuzz_check_bones(const char *why, const char *plain);

// A number that is drawn from an input.
unsigned fuzz_draw(const uint8_t *bytes, size_t size);
#endif
