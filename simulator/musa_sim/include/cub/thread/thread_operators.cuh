/* The function objects of cub. */
#ifndef MUSA_CUB_THREAD_OPERATORS_CUH
#define MUSA_CUB_THREAD_OPERATORS_CUH

#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

struct Equality {
    template <class A, class B>
    __host__ __device__ bool operator()(const A &a, const B &b) const {
        return a == b;
    }
};

struct Inequality {
    template <class A, class B>
    __host__ __device__ bool operator()(const A &a, const B &b) const {
        return a != b;
    }
};

template <class Operation>
struct InequalityWrapper {
    Operation op;
    __host__ __device__ explicit InequalityWrapper(Operation operation) : op(operation) {}
    template <class T>
    __host__ __device__ bool operator()(const T &a, const T &b) {
        return !op(a, b);
    }
};

struct Sum {
    template <class T>
    __host__ __device__ T operator()(const T &a, const T &b) const {
        return a + b;
    }
};

struct Difference {
    template <class T>
    __host__ __device__ T operator()(const T &a, const T &b) const {
        return a - b;
    }
};

struct Max {
    template <class T>
    __host__ __device__ T operator()(const T &a, const T &b) const {
        return CUB_MAX(a, b);
    }
};

struct Min {
    template <class T>
    __host__ __device__ T operator()(const T &a, const T &b) const {
        return CUB_MIN(a, b);
    }
};

/* Of equal values, the one with the smaller key wins, so the result does not depend on the order. */
struct ArgMax {
    template <class Key, class T>
    __host__ __device__ KeyValuePair<Key, T> operator()(const KeyValuePair<Key, T> &a,
                                                        const KeyValuePair<Key, T> &b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

struct ArgMin {
    template <class Key, class T>
    __host__ __device__ KeyValuePair<Key, T> operator()(const KeyValuePair<Key, T> &a,
                                                        const KeyValuePair<Key, T> &b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

template <class B>
struct CastOp {
    template <class A>
    __host__ __device__ B operator()(const A &a) const {
        return static_cast<B>(a);
    }
};

template <class Operation>
class SwizzleScanOp {
public:
    __host__ __device__ explicit SwizzleScanOp(Operation operation) : operation_(operation) {}
    template <class T>
    __host__ __device__ T operator()(const T &a, const T &b) {
        return operation_(b, a);
    }

private:
    Operation operation_;
};

/* Sums of values within segments: `key` counts the segments that begin. */
template <class Operation>
struct ReduceBySegmentOp {
    Operation op;
    __host__ __device__ ReduceBySegmentOp() = default;
    __host__ __device__ explicit ReduceBySegmentOp(Operation operation) : op(operation) {}
    template <class Pair>
    __host__ __device__ Pair operator()(const Pair &first, const Pair &second) {
        Pair result;
        result.key = first.key + second.key;
        result.value = second.key ? second.value : op(first.value, second.value);
        return result;
    }
};

template <class Operation>
struct ReduceByKeyOp {
    Operation op;
    __host__ __device__ ReduceByKeyOp() = default;
    __host__ __device__ explicit ReduceByKeyOp(Operation operation) : op(operation) {}
    template <class Pair>
    __host__ __device__ Pair operator()(const Pair &first, const Pair &second) {
        Pair result = second;
        if (first.key == second.key) result.value = op(first.value, second.value);
        return result;
    }
};

CUB_NAMESPACE_END

#endif
