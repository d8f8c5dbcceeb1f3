// tests/support/failing_block.h: what tests/failing_block.c lets a test say and ask.
#ifndef TESTS_SUPPORT_FAILING_BLOCK_H
#define TESTS_SUPPORT_FAILING_BLOCK_H
extern int failing_block; // the next allocation that fails, counted from 1; 0: none
extern int blocks_in_use; // allocated and not yet freed
#endif
