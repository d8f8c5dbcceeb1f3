#include "lib/base/blas.h"

#include "config.h"

#include <stdatomic.h>

static union {
  dm_blas_functions functions;
  void *address[sizeof(dm_blas_functions) / sizeof(void *)];
} table = {{DM_BLAS_SYMBOLS(DM_LOADED_LINK) DM_LAPACK_SYMBOLS(DM_LOADED_LINK)}};

const dm_blas_functions *dm_blas(void) {
  static const char *const blas[] = {DM_BLAS_SYMBOLS(DM_LOADED_NAME) NULL};
  static const char *const lapack[] = {DM_LAPACK_SYMBOLS(DM_LOADED_NAME) NULL};
  static dm_loaded_library libraries[] = {
      {BLAS_FILE, blas, table.address, false},
      {LAPACK_FILE, lapack, table.address + sizeof blas / sizeof *blas - 1, false}};
  static atomic_bool loaded;
  if (atomic_load_explicit(&loaded, memory_order_acquire)) return &table.functions;
  for (int i = 0; i < 2; i++) dm_loaded_library_need(&libraries[i]);
  atomic_store_explicit(&loaded, true, memory_order_release);
  return &table.functions;
}
