/* muDNN: a small part of it, for functions of one and two operands, products of matrices, convolutions, and softmax.
 *
 * Moore Threads publishes no documentation of muDNN. The names are those that torch_musa uses; what they mean beyond
 * their names, and all numbers, are our assumptions (docs/unverified.md, mudnn-names). Everything runs in the order of
 * the handle's stream. What is not computed gives Status::NOT_SUPPORTED.
 */
#ifndef MUDNN_H
#define MUDNN_H

#include <mudnn_version.h>
#include <musa_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#define MUDNN_SIM_API __attribute__((visibility("default")))

namespace musa {
namespace dnn {

enum class Status {
    SUCCESS = 0,
    INVALID_PARAMETER = 1,
    NOT_INITIALIZED = 2,
    ALLOC_FAILED = 3,
    NOT_SUPPORTED = 4,
    INTERNAL_ERROR = 5,
    ARCH_MISMATCH = 6,
    EXECUTION_FAILED = 7
};

/* Memory that an operation works in, and what allocates it. No operation here needs any. */
using MemoryHandler = std::unique_ptr<void, std::function<void(void*)>>;
using MemoryMaintainer = std::function<MemoryHandler(size_t)>;

class MUDNN_SIM_API Handle {
public:
    explicit Handle(int device = 0) : device_(device) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    Status SetStream(musaStream_t stream);
    musaStream_t GetStream() const { return stream_; }
    int GetDeviceId() const { return device_; }

private:
    int device_;
    musaStream_t stream_ = nullptr;
};

class MUDNN_SIM_API Tensor {
public:
    enum class Type {
        UNKNOWN,
        HALF,
        FLOAT,
        DOUBLE,
        BFLOAT16,
        BOOL,
        UINT8,
        UINT16,
        UINT32,
        UINT64,
        INT8,
        INT16,
        INT32,
        INT64,
        QINT8,
        FP8_E4M3,
        FP8_E5M2
    };
    enum class Format { UNKNOWN, NCW, NWC, NCHW, NHWC, HWCN, NCDHW, NDHWC, DHWCN };

    Status SetType(Type type);
    Status SetFormat(Format format);
    Status SetAddr(const void* address);
    /* Without strides, the last dimension is the innermost. */
    Status SetNdInfo(std::initializer_list<int64_t> sizes);
    Status SetNdInfo(std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> strides);
    Status SetNdInfo(int64_t dimensions, const int64_t* sizes);
    Status SetNdInfo(int64_t dimensions, const int64_t* sizes, const int64_t* strides);

    Type GetType() const { return type_; }
    void* GetAddr() const { return address_; }
    const std::vector<int64_t>& sizes() const { return sizes_; }
    const std::vector<int64_t>& strides() const { return strides_; }

private:
    Type type_ = Type::UNKNOWN;
    Format format_ = Format::UNKNOWN;
    void* address_ = nullptr;
    std::vector<int64_t> sizes_, strides_;
};

/* out = f(in), with one or two parameters. */
class MUDNN_SIM_API Unary {
public:
    enum class Mode {
        IDENTITY,
        CAST,
        ABS,
        NEG,
        RECIPROCAL,
        SQRT,
        RSQRT,
        SQUARE,
        EXP,
        LOG,
        LOG2,
        LOG10,
        SIN,
        COS,
        TAN,
        TANH,
        ATAN,
        ERF,
        FLOOR,
        CEIL,
        ROUND,
        SIGN,
        RELU,
        SIGMOID,
        SILU,
        GELU,
        GELU_TANH,
        SOFTPLUS,
        LEAKY_RELU,
        ELU,
        CLIP,
        POW,
        ADD,
        SUB,
        MUL,
        TRUEDIV,
        FLOORDIV,
        TRUNCATEDIV,
        FLOORMOD,
        EQ,
        NE,
        LT,
        LE,
        GT,
        GE
    };

    Status SetMode(Mode mode);
    Status SetAlpha(double alpha);
    Status SetAlpha(int64_t alpha);
    Status SetBeta(double beta);
    Status SetBeta(int64_t beta);
    Status Run(Handle& handle, Tensor& out, const Tensor& in) const;

private:
    Mode mode_ = Mode::IDENTITY;
    double alpha_ = 0, beta_ = 0;
};

/* out = f(left, right); sizes of 1 are repeated. */
class MUDNN_SIM_API Binary {
public:
    enum class Mode {
        ADD,
        SUB,
        MUL,
        TRUEDIV,
        FLOORDIV,
        TRUNCATEDIV,
        FLOORMOD,
        POW,
        MAX,
        MIN,
        EQ,
        NE,
        LT,
        LE,
        GT,
        GE,
        LOGICAL_AND,
        LOGICAL_OR,
        LOGICAL_XOR
    };

    Status SetMode(Mode mode);
    Status Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right) const;

private:
    Mode mode_ = Mode::ADD;
};

/* out = alpha * op(left) op(right) + beta * out. */
class MUDNN_SIM_API MatrixProduct {
public:
    enum class ComputeMode { SCALAR, TENSOR, ALL };

    Status SetComputeMode(ComputeMode mode);
    Status SetTranspose(bool left, bool right);
    Status SetAlpha(double alpha);
    Status SetBeta(double beta);

protected:
    bool transpose_left_ = false, transpose_right_ = false;
    double alpha_ = 1, beta_ = 0;
};

/* Of matrices. */
class MUDNN_SIM_API MatMul : public MatrixProduct {
public:
    Status Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
               const MemoryMaintainer& maintainer = nullptr) const;
};

/* Of batches [count, rows, columns]. */
class MUDNN_SIM_API BatchMatMul : public MatrixProduct {
public:
    Status Run(Handle& handle, Tensor& out, const Tensor& left, const Tensor& right,
               const MemoryMaintainer& maintainer = nullptr) const;
};

/* Of images [count, channels, pixels...] with filters [out channels, in channels / groups, pixels...]. All algorithms
 * are the same here. */
class MUDNN_SIM_API Convolution {
public:
    enum class ComputeMode { SCALAR, TENSOR, ALL };
    enum class Algorithm { DIRECT, IMPLICIT_GEMM };
    enum class AlgorithmBwdData { IMPLICIT_GEMM };
    enum class AlgorithmBwdFilter { IMPLICIT_GEMM };

    Status SetComputeMode(ComputeMode mode);
    Status SetGroups(int groups);
    Status SetNdInfo(std::initializer_list<int> padding, std::initializer_list<int> stride,
                     std::initializer_list<int> dilation);
    Status SetNdInfo(int dimensions, const int* padding, const int* stride, const int* dilation);

    Status GetRecommendForwardAlgorithm(Handle& handle, Algorithm& algorithm, const Tensor& out, const Tensor& in,
                                        const Tensor& filter) const;
    Status GetRecommendBackwardDataAlgorithm(Handle& handle, AlgorithmBwdData& algorithm, const Tensor& grad_in,
                                             const Tensor& grad_out, const Tensor& filter) const;
    Status GetRecommendBackwardFilterAlgorithm(Handle& handle, AlgorithmBwdFilter& algorithm,
                                               const Tensor& grad_filter, const Tensor& in,
                                               const Tensor& grad_out) const;
    Status Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& filter, Algorithm algorithm,
               const MemoryMaintainer& maintainer) const;
    Status RunBwdData(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& filter,
                      AlgorithmBwdData algorithm, const MemoryMaintainer& maintainer) const;
    Status RunBwdFilter(Handle& handle, Tensor& grad_filter, const Tensor& in, const Tensor& grad_out,
                        AlgorithmBwdFilter algorithm, const MemoryMaintainer& maintainer) const;

private:
    int groups_ = 1;
    std::vector<int> padding_, stride_, dilation_;
};

/* Along one dimension. */
class MUDNN_SIM_API Softmax {
public:
    enum class Mode { SOFTMAX, LOGSOFTMAX, LOGSUMEXP };
    enum class Algorithm { DIRECT, FAST, ACCURATE };

    Status SetMode(Mode mode);
    Status SetDim(int dimension);
    Status SetAlgorithm(Algorithm algorithm);
    Status Run(Handle& handle, Tensor& out, const Tensor& in) const;
    /* `out` is what Run gave. */
    Status RunBwd(Handle& handle, Tensor& grad_in, const Tensor& out, const Tensor& grad_out) const;

private:
    Mode mode_ = Mode::SOFTMAX;
    int dimension_ = 0;
};

}  // namespace dnn
}  // namespace musa

#endif
