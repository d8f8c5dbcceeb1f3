// lib/base/blas.h: the functions of BLAS and LAPACK that dmoc calls. These libraries are large, so
// they are loaded at the first call. A process that cannot load them ends, as if they were linked.
#ifndef DM_BASE_BLAS_H
#define DM_BASE_BLAS_H
#include "lib/base/loaded_library.h"

#include <cblas.h>
#include <lapacke.h>

#undef I // of complex.h

// clang-format off
#define DM_BLAS_SYMBOLS(X) \
  X(cblas_dasum) \
  X(cblas_dgemm) \
  X(cblas_dnrm2) \
  X(cblas_dscal) \
  X(cblas_dsymm) \
  X(cblas_dsyrk) \
  X(cblas_dtrsm) \
  X(cblas_dtrsv) \
  X(cblas_idamax)
#define DM_LAPACK_SYMBOLS(X) \
  X(LAPACKE_dgeev) \
  X(LAPACKE_dgelqf_work) \
  X(LAPACKE_dgelsd) \
  X(LAPACKE_dgelsd_work) \
  X(LAPACKE_dgeqp3) \
  X(LAPACKE_dgeqp3_work) \
  X(LAPACKE_dgesdd_work) \
  X(LAPACKE_dgesvd_work) \
  X(LAPACKE_dgetrf_work) \
  X(LAPACKE_dorgqr_work) \
  X(LAPACKE_dpotrf) \
  X(LAPACKE_dpotrf_work) \
  X(LAPACKE_dpotri) \
  X(LAPACKE_dpotrs_work) \
  X(LAPACKE_dsyev) \
  X(LAPACKE_dsyev_work) \
  X(LAPACKE_dtrtrs_work)
// clang-format on

// pointers to them
typedef struct dm_blas_functions {
  DM_BLAS_SYMBOLS(DM_LOADED_POINTER)
  DM_LAPACK_SYMBOLS(DM_LOADED_POINTER)
} dm_blas_functions;

// The functions, loaded once. Thread-safe.
const dm_blas_functions *dm_blas(void);
#endif
