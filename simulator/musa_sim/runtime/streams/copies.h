// Copies and fills of ranges, rectangles and boxes of bytes, in the order of streams: the common part
// of the functions of the API that copy and fill.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "streams/activity.h"
#include "streams/graph.h"

namespace musa_sim {

// A box of bytes: rows of `width` bytes, slices of `height` rows. A plain range has one row, a rectangle one slice.
struct Region {
    std::size_t pitch;
    std::size_t width;
    std::size_t height;
    std::size_t slice = 0;  // bytes from one slice to the next
    std::size_t depth = 1;

    std::size_t extent() const { return slice * (depth - 1) + pitch * (height - 1) + width; }
    std::size_t bytes() const { return width * height * depth; }
    bool empty() const { return bytes() == 0; }
    // Rows do not overlap, and neither do slices.
    bool is_valid() const {
        return (height == 1 || width <= pitch) && (depth == 1 || pitch * height <= slice);
    }
};

enum class Call { synchronous, asynchronous };

// Both regions have the same width, height and depth.
musaError_t copy(const Target& target, Call call, void* dst, const Region& to, const void* src,
                 const Region& from, musaMemcpyKind kind);
musaError_t copy(const Target& target, Call call, void* dst, const void* src, std::size_t count,
                 musaMemcpyKind kind);
// The pattern of a fill: an element of 1, 2 or 4 bytes, which the width and the pitch of regions are multiples of.
struct Pattern {
    unsigned value;
    std::size_t bytes = 1;
};
// Bytes, as memset() takes them.
inline Pattern bytes_of(int value) { return {static_cast<unsigned char>(value)}; }
musaError_t fill(const Target& target, Call call, void* dst, const Region& region, const Pattern& pattern);

// For profilers: the name of a copy or a fill and the memory that it touches.
struct MemoryWork {
    std::string name;
    musa_sim_copy_end from{};
    musa_sim_copy_end to{};
    unsigned value = 0;
};

class CopyNode final : public NodeWork {
public:
    CopyNode(void* dst, const Region& to, const void* src, const Region& from, musaMemcpyKind kind, MemoryWork work)
        : dst_(dst), to_(to), src_(src), from_(from), kind_(kind), work_(std::move(work)) {}

    std::unique_ptr<Work> make(const Target& target) const override;
    const std::string& name() const { return work_.name; }
    // The parameters that it was made with; for others, those of a copy of linear memory.
    musaMemcpy3DParms parameters() const;
    void set_parameters(const musaMemcpy3DParms& parameters) { given_ = parameters; }

private:
    void* dst_;
    Region to_;
    const void* src_;
    Region from_;
    musaMemcpyKind kind_;
    MemoryWork work_;
    std::optional<musaMemcpy3DParms> given_;
};

class FillNode final : public NodeWork {
public:
    FillNode(void* dst, const Region& region, const Pattern& pattern, MemoryWork work)
        : dst_(dst), region_(region), pattern_(pattern), work_(std::move(work)) {}

    std::unique_ptr<Work> make(const Target& target) const override;
    const std::string& name() const { return work_.name; }
    musaMemsetParams parameters() const;

private:
    void* dst_;
    Region region_;
    Pattern pattern_;
    MemoryWork work_;
};

// Nodes that do what these calls would do, if they would be right.
musaError_t make_copy_node(void* dst, const Region& to, const void* src, const Region& from, musaMemcpyKind kind,
                           std::shared_ptr<CopyNode>* made);
musaError_t make_fill_node(void* dst, const Region& region, const Pattern& pattern, std::shared_ptr<FillNode>* made);

// Whether a copy of this kind is one from, or to, memory of the host.
bool is_copy_kind(musaMemcpyKind kind);
bool is_from_host(musaMemcpyKind kind);
bool is_to_host(musaMemcpyKind kind);

}  // namespace musa_sim
