#include "torch_musa/csrc/aten/musa/MUSABlas.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace at::musa::blas {

namespace {

mublasOperation_t operation(char letter) {
  switch (letter) {
    case 'n':
    case 'N':
      return MUBLAS_OP_N;
    case 't':
    case 'T':
      return MUBLAS_OP_T;
    case 'c':
    case 'C':
      return MUBLAS_OP_C;
  }
  TORCH_CHECK(false, "a matrix is taken as it is ('n'), transposed ('t') or conjugate transposed ('c'), not '", letter, "'");
}

int as_int(int64_t size) {
  TORCH_CHECK(size <= std::numeric_limits<int>::max(), "muBLAS takes sizes up to 2^31 - 1, not ", size);
  return static_cast<int>(size);
}

/// Return a leading dimension that muBLAS accepts: at least `rows`. Without a second column, PyTorch's is arbitrary.
int leading(int64_t ld, int64_t rows, int64_t columns) {
  return as_int(columns > 1 ? ld : std::max<int64_t>(rows, 1));
}

template <typename Dtype>
constexpr musaDataType_t kType = MUSA_R_32F;
template <>
constexpr musaDataType_t kType<double> = MUSA_R_64F;
template <>
constexpr musaDataType_t kType<at::Half> = MUSA_R_16F;
template <>
constexpr musaDataType_t kType<at::BFloat16> = MUSA_R_16BF;

/// The arguments of one call in muBLAS's types.
struct Call {
  mublasHandle_t handle;
  mublasOperation_t transa, transb;
  int m, n, k, lda, ldb, ldc;
  int64_t stridea, strideb, stridec;
  int batches;
};

template <typename Dtype, typename Scalar>
void run(const Call& call, Scalar alpha, const Dtype* a, const Dtype* b, Scalar beta, Dtype* c) {
  constexpr musaDataType_t type = kType<Dtype>;
  constexpr mublasComputeType_t compute = std::is_same_v<Dtype, double> ? MUBLAS_COMPUTE_64F : MUBLAS_COMPUTE_32F;
  TORCH_MUSABLAS_CHECK(mublasGemmStridedBatchedEx(
      call.handle, call.transa, call.transb, call.m, call.n, call.k, &alpha, a, type, call.lda, call.stridea, b, type,
      call.ldb, call.strideb, &beta, c, type, call.ldc, call.stridec, call.batches, compute, MUBLAS_GEMM_DEFAULT));
}

/// muBLAS has its own types for complex numbers, of the same layout, and does not take them in GemmEx.
template <typename Their, typename Function, typename Dtype>
void run_complex(
    Function gemm, const Call& call, Dtype alpha, const Dtype* a, const Dtype* b, Dtype beta, Dtype* c) {
  static_assert(sizeof(Their) == sizeof(Dtype));
  TORCH_MUSABLAS_CHECK(gemm(
      call.handle, call.transa, call.transb, call.m, call.n, call.k, reinterpret_cast<const Their*>(&alpha),
      reinterpret_cast<const Their*>(a), call.lda, call.stridea, reinterpret_cast<const Their*>(b), call.ldb,
      call.strideb, reinterpret_cast<const Their*>(&beta), reinterpret_cast<Their*>(c), call.ldc, call.stridec,
      call.batches));
}

template <typename Dtype>
void run(
    const Call& call, c10::complex<Dtype> alpha, const c10::complex<Dtype>* a, const c10::complex<Dtype>* b,
    c10::complex<Dtype> beta, c10::complex<Dtype>* c) {
  if constexpr (std::is_same_v<Dtype, double>) {
    run_complex<muDoubleComplex>(mublasZgemmStridedBatched, call, alpha, a, b, beta, c);
  } else {
    run_complex<muComplex>(mublasCgemmStridedBatched, call, alpha, a, b, beta, c);
  }
}

} // namespace

template <typename Dtype>
void bgemm(
    char transa, char transb, int64_t m, int64_t n, int64_t k,
    at::opmath_type<Dtype> alpha, const Dtype* a, int64_t lda, int64_t stridea,
    const Dtype* b, int64_t ldb, int64_t strideb,
    at::opmath_type<Dtype> beta, Dtype* c, int64_t ldc, int64_t stridec, int64_t num_batches) {
  const mublasOperation_t op_a = operation(transa);
  const mublasOperation_t op_b = operation(transb);
  const Call call{
      getCurrentMUSABlasHandle(), op_a, op_b, as_int(m), as_int(n), as_int(k),
      op_a == MUBLAS_OP_N ? leading(lda, m, k) : leading(lda, k, m),
      op_b == MUBLAS_OP_N ? leading(ldb, k, n) : leading(ldb, n, k),
      leading(ldc, m, n), stridea, strideb, stridec, as_int(num_batches)};
  run(call, alpha, a, b, beta, c);
}

template <typename Dtype>
void gemm(
    char transa, char transb, int64_t m, int64_t n, int64_t k,
    at::opmath_type<Dtype> alpha, const Dtype* a, int64_t lda, const Dtype* b, int64_t ldb,
    at::opmath_type<Dtype> beta, Dtype* c, int64_t ldc) {
  bgemm<Dtype>(transa, transb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);
}

#define INSTANTIATE(Dtype)                                                                                     \
  template void gemm<Dtype>(                                                                                   \
      char, char, int64_t, int64_t, int64_t, at::opmath_type<Dtype>, const Dtype*, int64_t, const Dtype*,      \
      int64_t, at::opmath_type<Dtype>, Dtype*, int64_t);                                                       \
  template void bgemm<Dtype>(                                                                                  \
      char, char, int64_t, int64_t, int64_t, at::opmath_type<Dtype>, const Dtype*, int64_t, int64_t,           \
      const Dtype*, int64_t, int64_t, at::opmath_type<Dtype>, Dtype*, int64_t, int64_t, int64_t);

INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(c10::complex<float>)
INSTANTIATE(c10::complex<double>)
INSTANTIATE(at::Half)
INSTANTIATE(at::BFloat16)

#undef INSTANTIATE

} // namespace at::musa::blas
