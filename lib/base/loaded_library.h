// lib/base/loaded_library.h: a shared library that is loaded when it is first used, so that programs
// that do not need it start faster.
//
//   #define ZIP_SYMBOLS(X) X(deflate) X(inflate)
//   DM_LOADED_LIBRARY(zip, "libz.so.1", ZIP_SYMBOLS)
//
// declares `zip`, with a pointer zip.deflate to each function (or variable), and zip_load(), which
// must be called first. If the library's file is unknown when dmoc is built, its macro is NULL and
// the pointers are those of a linked library. The headers of the library must be included before.
#ifndef DM_BASE_LOADED_LIBRARY_H
#define DM_BASE_LOADED_LIBRARY_H
#include <stdbool.h>
#include <stddef.h>

typedef struct dm_loaded_library {
  const char *file;         // for dlopen; NULL: linked
  const char *const *names; // of its symbols, NULL at the end
  void **addresses;         // out
  bool loaded;
} dm_loaded_library;

// Load the library and find its symbols, once; thread-safe. `shared`: its symbols are visible to
// libraries that are loaded later. Returns false if that failed, with a sentence on stderr, as the
// system's loader prints it.
bool dm_loaded_library_open(dm_loaded_library *l, bool shared);

// The same for a library without which nothing works: a process that lacks it ends with status 127.
void dm_loaded_library_need(dm_loaded_library *l);

#define DM_LOADED_POINTER(name) __typeof__(name) *name;
#define DM_LOADED_NAME(name)    #name,
#define DM_LOADED_ONE(name)     +1
#ifdef DM_LINKS_LIBRARIES
#define DM_LOADED_LINK(name) .name = &name,
#else
#define DM_LOADED_LINK(name) .name = NULL,
#endif

#define DM_LOADED_LIBRARY(library, path, symbols)                                                  \
  static union {                                                                                   \
    struct {                                                                                       \
      symbols(DM_LOADED_POINTER)                                                                   \
    };                                                                                             \
    void *address[0 symbols(DM_LOADED_ONE)];                                                       \
  } library = {{symbols(DM_LOADED_LINK)}};                                                         \
  static bool library##_load(void) {                                                               \
    static const char *const names[] = {symbols(DM_LOADED_NAME) NULL};                             \
    static dm_loaded_library l = {path, names, library.address, false};                            \
    return dm_loaded_library_open(&l, false);                                                      \
  }
#endif
