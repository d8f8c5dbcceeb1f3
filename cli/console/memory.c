#include "cli/console/memory.h"

#include "cli/console/answer.h"
#include "cli/console/command.h"
#include "cli/console/interrupt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static pid_t watched; // process that watches; 0: none

void cli_memory_watch(void) {
  watched = getpid();
}

void cli_memory_end(void) {
  if (!watched) return;
  if (getpid() != watched) _exit(CLI_FAULT);
  cli_interrupt_leave("out of memory", cli_answer_without_memory(), CLI_FAULT);
  for (;;) pause(); // another thread ends the program
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif

#if defined __GLIBC__ && !defined SANITIZED
extern const char __executable_start[], etext[]; // code range of this program, from the linker

// whether the caller is our own code, which checks the result of allocations
static bool is_ours(const void *caller) {
  const char *at = caller;
  return at >= __executable_start && at < etext;
}

// refuse an allocation: our code gets NULL; for a library the program ends
static void *refuse_memory(const void *caller) {
  if (!is_ours(caller)) cli_memory_end();
  errno = ENOMEM;
  return NULL;
}

#define CALLER __builtin_return_address(0)

// the C library's functions, exported under these names
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t at, size_t size);

// glibc's argument names are reserved
void *malloc(size_t size) {
  void *memory = __libc_malloc(size);
  return memory ? memory : refuse_memory(CALLER);
}

void *calloc(size_t count, size_t size) {
  void *memory = __libc_calloc(count, size);
  return memory ? memory : refuse_memory(CALLER);
}

void *realloc(void *old, size_t size) {
  void *memory = __libc_realloc(old, size);
  const bool freed = old && size == 0;
  return memory || freed ? memory : refuse_memory(CALLER);
}

void *memalign(size_t at, size_t size);
void *memalign(size_t at, size_t size) {
  void *memory = __libc_memalign(at, size);
  return memory ? memory : refuse_memory(CALLER);
}

void *aligned_alloc(size_t at, size_t size) {
  void *memory = __libc_memalign(at, size);
  return memory ? memory : refuse_memory(CALLER);
}

int posix_memalign(void **out, size_t at, size_t size) {
  void *memory = __libc_memalign(at, size);
  if (!memory) memory = refuse_memory(CALLER);
  if (memory) *out = memory;
  return memory ? 0 : ENOMEM;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
#endif
