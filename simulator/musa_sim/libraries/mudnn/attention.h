// Attention of the heads of a batch: scaled products of queries and keys, their softmax, and the weighted sums of values.
#pragma once

#include <atomic>
#include <cmath>
#include <limits>

#include "elements.h"
#include "functions.h"

namespace mudnn {

inline constexpr double masked = -std::numeric_limits<double>::infinity();

struct Rows {
    Rows(std::size_t rows, std::size_t columns) : count(rows), columns(columns), numbers(rows * columns) {}
    double& at(std::size_t row, std::size_t column) { return numbers[row * columns + column]; }
    double at(std::size_t row, std::size_t column) const { return numbers[row * columns + column]; }

    std::size_t count, columns;
    std::vector<double> numbers;
};

inline double product_of_rows(const Rows& x, std::size_t i, const Rows& y, std::size_t j) {
    double sum = 0;
    for (std::size_t c = 0; c < x.columns; ++c) sum += x.at(i, c) * y.at(j, c);
    return sum;
}

// Add row `j` of another matrix, multiplied by `weight`, to row `i` of the sum.
inline void add_row(Rows& sum, std::size_t i, double weight, const Rows& other, std::size_t j) {
    for (std::size_t c = 0; c < sum.columns; ++c) sum.at(i, c) += weight * other.at(j, c);
}

inline void add_rows(Rows& sum, const Rows& other) {
    for (std::size_t i = 0; i < sum.numbers.size(); ++i) sum.numbers[i] += other.numbers[i];
}

// A tensor [count, heads, rows, columns], or [all rows, heads, columns].
struct Heads {
    explicit Heads(const Tensor& of) : tensor(of) {
        const auto &sizes = of.sizes(), &strides = of.strides();
        const bool has_batch = sizes.size() == 4;
        next = has_batch ? strides[0] : 0;
        right = strides.back();
        down = strides[has_batch ? 2 : 0];
        heads = sizes[1];
        next_head = strides[1];
        rows = sizes[has_batch ? 2 : 0];
        columns = sizes.back();
    }
    std::int64_t offset(std::int64_t batch, std::int64_t head, std::int64_t row) const { return batch * next + head * next_head + row * down; }

    Tensor tensor;
    std::int64_t next, next_head, down, right, heads, rows, columns;
};

// The rows of one sequence in a batch.
struct Span {
    std::int64_t batch, first, count;
};

inline Rows rows_of(const Heads& of, std::int64_t head, const Span& span) {
    Rows rows(static_cast<std::size_t>(span.count), static_cast<std::size_t>(of.columns));
    std::size_t i = 0;
    for (std::int64_t row = 0; row < span.count; ++row) {
        std::int64_t at = of.offset(span.batch, head, span.first + row);
        for (std::int64_t c = 0; c < of.columns; ++c, at += of.right) {
            rows.numbers[i++] = read(of.tensor.GetType(), of.tensor.GetAddr(), at);
        }
    }
    return rows;
}

inline void store_rows(const Heads& of, std::int64_t head, const Span& span, const Rows& rows) {
    std::size_t i = 0;
    for (std::int64_t row = 0; row < span.count; ++row) {
        std::int64_t at = of.offset(span.batch, head, span.first + row);
        for (std::int64_t c = 0; c < of.columns; ++c, at += of.right) {
            write(of.tensor.GetType(), of.tensor.GetAddr(), at, rows.numbers[i++]);
        }
    }
}

// The numbers that are added to the products, with strides for [count, heads, queries, keys].
struct Mask {
    Tensor tensor;
    std::vector<std::int64_t> strides;
    bool causal;

    double at(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t key) const {
        if (causal && key > query) return masked;
        if (strides.empty()) return 0;
        const std::int64_t offset = batch * strides[0] + head * strides[1] + query * strides[2] + key * strides[3];
        const double value = read(tensor.GetType(), tensor.GetAddr(), offset);
        return tensor.GetType() != Type::BOOL ? value : value != 0 ? 0 : masked;
    }
};

struct Scoring {
    double scale;
    Mask mask;
};

inline Rows scores(const Rows& query, const Rows& key, const Scoring& scoring, std::int64_t sequence, std::int64_t head) {
    Rows result(query.count, key.count);
    for (std::size_t i = 0; i < query.count; ++i) {
        for (std::size_t j = 0; j < key.count; ++j) {
            const double more = scoring.mask.at(sequence, head, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
            result.at(i, j) = more == masked ? masked : scoring.scale * product_of_rows(query, i, key, j) + more;
        }
    }
    return result;
}

// Replace each row by its softmax, or by zeros if all of it is masked; return the logarithms of the sums.
inline std::vector<double> weigh(Rows& rows) {
    std::vector<double> log_sums(rows.count);
    for (std::size_t i = 0; i < rows.count; ++i) {
        double most = masked, sum = 0;
        for (std::size_t j = 0; j < rows.columns; ++j) most = std::fmax(most, rows.at(i, j));
        for (std::size_t j = 0; j < rows.columns; ++j) sum += most == masked ? 0 : std::exp(rows.at(i, j) - most);
        log_sums[i] = most == masked ? masked : most + std::log(sum);
        for (std::size_t j = 0; j < rows.columns; ++j) {
            rows.at(i, j) = most == masked ? 0 : std::exp(rows.at(i, j) - log_sums[i]);
        }
    }
    return log_sums;
}

// Compute the softmax of scores again, from the logarithms of the sums.
inline void weigh_again(Rows& rows, const Rows& log_sums) {
    for (std::size_t i = 0; i < rows.count; ++i) {
        const double sum = log_sums.at(i, 0);
        for (std::size_t j = 0; j < rows.columns; ++j) rows.at(i, j) = sum == masked ? 0 : std::exp(rows.at(i, j) - sum);
    }
}

inline Rows weighed(const Rows& weights, const Rows& value) {
    Rows result(weights.count, value.columns);
    for (std::size_t i = 0; i < weights.count; ++i) {
        for (std::size_t j = 0; j < weights.columns; ++j) add_row(result, i, weights.at(i, j), value, j);
    }
    return result;
}

// Which weights are dropped; the others are divided by the probability that they are not.
struct Dropping {
    Tensor mask;  // [count, heads, queries, keys], true where a weight is kept
    double p = 0;
    std::uint64_t seed = 0;

    double factor() const { return p < 1 ? 1 / (1 - p) : 0; }
    // Draw the weights of a head that are kept, as their factors, and note them in the mask.
    Rows drawn(std::int64_t batch, std::int64_t head, std::int64_t heads, std::size_t queries, std::size_t keys) const {
        Rows factors(queries, keys);
        const auto first = static_cast<std::int64_t>((batch * heads + head) * static_cast<std::int64_t>(queries * keys));
        for (std::size_t i = 0; i < factors.numbers.size(); ++i) {
            const bool kept = uniform(seed, 0, first + static_cast<std::int64_t>(i)) >= p;
            factors.numbers[i] = kept ? factor() : 0;
            if (is_given(mask)) write(mask.GetType(), mask.GetAddr(), position(batch, head, i, keys), kept);
        }
        return factors;
    }
    Rows noted(std::int64_t batch, std::int64_t head, std::size_t queries, std::size_t keys) const {
        Rows factors(queries, keys);
        for (std::size_t i = 0; i < factors.numbers.size(); ++i) {
            const bool kept = read(mask.GetType(), mask.GetAddr(), position(batch, head, i, keys)) != 0;
            factors.numbers[i] = kept ? factor() : 0;
        }
        return factors;
    }

private:
    std::int64_t position(std::int64_t batch, std::int64_t head, std::size_t i, std::size_t keys) const {
        const auto &by = mask.strides();
        return batch * by[0] + head * by[1] + static_cast<std::int64_t>(i / keys) * by[2] + static_cast<std::int64_t>(i % keys) * by[3];
    }
};

// Each operation drops other weights, the same ones in each run of a program.
inline std::uint64_t next_seed() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

inline Rows multiplied(const Rows& x, const Rows& y) {
    Rows result(x.count, x.columns);
    for (std::size_t i = 0; i < x.numbers.size(); ++i) result.numbers[i] = x.numbers[i] * y.numbers[i];
    return result;
}

struct HeadGradients {
    Rows query, key, value, scores;
};

// `factors` are those of the weights that are not dropped, and nullptr if none are.
inline HeadGradients gradients_of_head(const Rows& query, const Rows& key, const Rows& value, const Rows& weights,
                                const Rows* factors, const Rows& grad_out, double scale) {
    HeadGradients of{Rows(query.count, query.columns), Rows(key.count, key.columns), Rows(value.count, value.columns),
                     Rows(weights.count, weights.columns)};
    for (std::size_t i = 0; i < weights.count; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < weights.columns; ++j) {
            of.scores.at(i, j) = (factors ? factors->at(i, j) : 1) * product_of_rows(grad_out, i, value, j);
            sum += of.scores.at(i, j) * weights.at(i, j);
        }
        for (std::size_t j = 0; j < weights.columns; ++j) {
            double& gradient = of.scores.at(i, j);
            gradient = weights.at(i, j) * (gradient - sum);
            add_row(of.value, j, (factors ? factors->at(i, j) : 1) * weights.at(i, j), grad_out, i);
            add_row(of.query, i, scale * gradient, key, j);
            add_row(of.key, j, scale * gradient, query, i);
        }
    }
    return of;
}

// Sequence `n` of a packed batch: its rows of the queries and of the keys.
struct Sequence {
    Span query, key;
};

inline std::vector<Sequence> batches(std::int64_t number, std::int64_t queries, std::int64_t keys) {
    std::vector<Sequence> all;
    for (std::int64_t n = 0; n < number; ++n) all.push_back({{n, 0, queries}, {n, 0, keys}});
    return all;
}

inline std::vector<Sequence> sequences(const Tensor& query_begins, const Tensor& key_begins) {
    const std::vector<std::int64_t> q = indices_of(query_begins), k = indices_of(key_begins);
    std::vector<Sequence> all;
    for (std::size_t n = 0; n + 1 < q.size(); ++n) all.push_back({{0, q[n], q[n + 1] - q[n]}, {0, k[n], k[n + 1] - k[n]}});
    return all;
}

struct Operation {
    Heads query, key, value;
    Scoring scoring;
    Dropping dropping;

    // Several heads of the queries share one head of the keys.
    std::int64_t key_head(std::int64_t head) const { return head / (query.heads / key.heads); }
};

// A second result: the weights, [count, heads, queries, keys], or the logarithms of the sums, [count, heads, queries].
struct Beside {
    Tensor tensor;
    bool are_weights;

    Heads of() const {
        if (are_weights) return Heads(tensor);
        Tensor columns = tensor;
        std::vector<std::int64_t> sizes = tensor.sizes(), strides = tensor.strides();
        sizes.push_back(1);
        strides.push_back(1);
        columns.SetNdInfo(4, sizes.data(), strides.data());
        return Heads(columns);
    }
};

inline void attend(const Operation& op, const std::vector<Sequence>& all, const Heads& out, const Beside& beside) {
    for (std::size_t n = 0; n < all.size(); ++n) {
        const auto number = static_cast<std::int64_t>(n);
        const Sequence& of = all[n];
        for (std::int64_t head = 0; head < op.query.heads; ++head) {
            const std::int64_t shared = op.key_head(head);
            Rows rows = scores(rows_of(op.query, head, of.query), rows_of(op.key, shared, of.key), op.scoring, number, head);
            const std::vector<double> log_sums = weigh(rows);
            const Rows value = rows_of(op.value, shared, of.key);
            if (op.dropping.p > 0) {
                const Rows factors = op.dropping.drawn(number, head, op.query.heads, rows.count, rows.columns);
                store_rows(out, head, of.query, weighed(multiplied(rows, factors), value));
            } else {
                store_rows(out, head, of.query, weighed(rows, value));
            }
            if (!is_given(beside.tensor)) continue;
            Rows sums(rows.count, 1);
            sums.numbers = log_sums;
            store_rows(beside.of(), head, {number, 0, of.query.count}, beside.are_weights ? rows : sums);
        }
    }
}

// `grad_scores` may be a tensor without an address.
struct Gradients {
    Heads query, key, value, out;
    Tensor grad_scores;
};

inline void attend_backward(const Operation& op, const std::vector<Sequence>& all, const Gradients& gradients,
                     const Beside& beside) {
    for (std::size_t n = 0; n < all.size(); ++n) {
        const auto number = static_cast<std::int64_t>(n);
        const Sequence& of = all[n];
        const Span own{number, 0, of.query.count};
        const auto keys = static_cast<std::size_t>(of.key.count);
        const std::int64_t sharing = op.query.heads / op.key.heads;
        for (std::int64_t shared = 0; shared < op.key.heads; ++shared) {
            const Rows key = rows_of(op.key, shared, of.key), value = rows_of(op.value, shared, of.key);
            Rows to_key(keys, key.columns), to_value(keys, value.columns);
            for (std::int64_t head = shared * sharing; head < (shared + 1) * sharing; ++head) {
                const Rows query = rows_of(op.query, head, of.query);
                Rows weights = beside.are_weights ? rows_of(beside.of(), head, own)
                                                  : scores(query, key, op.scoring, number, head);
                if (!beside.are_weights) weigh_again(weights, rows_of(beside.of(), head, own));
                const bool drops = is_given(op.dropping.mask);
                const Rows factors = drops ? op.dropping.noted(number, head, weights.count, weights.columns) : Rows(0, 0);
                const HeadGradients result =
                    gradients_of_head(query, key, value, weights, drops ? &factors : nullptr,
                                      rows_of(gradients.out, head, of.query), op.scoring.scale);
                store_rows(gradients.query, head, of.query, result.query);
                add_rows(to_key, result.key);
                add_rows(to_value, result.value);
                if (is_given(gradients.grad_scores)) store_rows(Heads(gradients.grad_scores), head, own, result.scores);
            }
            store_rows(gradients.key, shared, of.key, to_key);
            store_rows(gradients.value, shared, of.key, to_value);
        }
    }
}

}  // namespace mudnn
