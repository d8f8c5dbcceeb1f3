// tests/fuzz/grammar.h: the languages that dmoc writes, read by rules of their own, not the writers'.
//
// What stands in a text beside its names are its bones: words and signs without what is in quotes and
// comments, each number as 0. Whatever names are, the bones are the same: no name is a command.
#ifndef TESTS_FUZZ_GRAMMAR_H
#define TESTS_FUZZ_GRAMMAR_H
#include <stddef.h>

// Read a text [ended by a zero]; its bones, ended by a zero, in bones [room]. Return NULL, or what is
// wrong with the text wherever it comes from.

// C: printable ASCII, no trigraph, comments and quotes that end, no comment that begins in another.
const char *grammar_c(const char *text, char *bones, size_t room);

// XML, as Expat reads it: elements and their attributes.
const char *grammar_xml(const char *text, char *bones, size_t room);

// JSON in UTF-8 without control characters.
const char *grammar_json(const char *text);
#endif
