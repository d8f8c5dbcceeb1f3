#include "lib/base/loaded_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool dm_loaded_library_open(dm_loaded_library *l, bool shared) {
  if (!l->file) return true; // linked
  pthread_mutex_lock(&lock);
  bool found = l->loaded;
  if (!found) {
    void *library = dlopen(l->file, RTLD_NOW | (shared ? RTLD_GLOBAL : RTLD_LOCAL));
    found = library != NULL;
    for (int i = 0; found && l->names[i]; i++) {
      l->addresses[i] = dlsym(library, l->names[i]);
      found = l->addresses[i] != NULL;
    }
    if (!found) fprintf(stderr, "dmoc: error: %s\n", dlerror());
  }
  l->loaded = found;
  pthread_mutex_unlock(&lock);
  return found;
}

void dm_loaded_library_need(dm_loaded_library *l) {
  if (!dm_loaded_library_open(l, false)) exit(127);
}
