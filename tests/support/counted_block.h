// tests/support/counted_block.h: what tests/support/counted_block.c lets a test ask.
#ifndef TESTS_SUPPORT_COUNTED_BLOCK_H
#define TESTS_SUPPORT_COUNTED_BLOCK_H
extern int blocks_in_use; // allocated and not yet freed
#endif
