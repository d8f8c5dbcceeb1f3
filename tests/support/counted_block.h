// tests/support/counted_block.h: the counter that tests/support/counted_block.c provides to tests.
#ifndef TESTS_SUPPORT_COUNTED_BLOCK_H
#define TESTS_SUPPORT_COUNTED_BLOCK_H
extern int blocks_in_use; // allocated and not yet freed
#endif
