// The state of the older functions between their steps.
#pragma once

#include <cstring>
#include <vector>

#include "blocks.h"

struct csrsv2Info {
    musparse::blocks::Pivot pivot = musparse::blocks::no_pivot();
};
struct csrsm2Info : csrsv2Info {};

struct csric02Info : csrsv2Info {
    static constexpr bool lower_alone = true;
};
struct bsric02Info : csric02Info {};

struct csrilu02Info : csrsv2Info {
    static constexpr bool lower_alone = false;
    bool boosts = false;

    // The numbers of the host are copied now, those of the device read when the work runs.
    template <class T>
    void set(const double* tolerance, const T* number, bool is_on_device) {
        on_device_ = is_on_device;
        tolerance_ = tolerance, number_ = number;
        if (is_on_device) return;
        kept_tolerance_ = *tolerance;
        std::memcpy(kept_number_, number, sizeof(T));
    }
    double tolerance() const { return on_device_ ? *tolerance_ : kept_tolerance_; }
    template <class T>
    T number() const {
        T read;
        std::memcpy(&read, on_device_ ? number_ : kept_number_, sizeof(T));
        return read;
    }

private:
    bool on_device_ = false;
    const double* tolerance_ = nullptr;
    const void* number_ = nullptr;
    double kept_tolerance_ = 0;
    unsigned char kept_number_[16] = {};
};
struct bsrilu02Info : csrilu02Info {};

struct csrgemm2Info {
    bool has_product = true, has_sum = true;
};

// Where each entry was before its row was sorted.
struct csru2csrInfo {
    std::shared_ptr<std::vector<int>> order = std::make_shared<std::vector<int>>();
};

struct pruneInfo {};

struct musparseColorInfo {
    musparseColorAlg_t algorithm = MUSPARSE_COLOR_ALG0;
};

namespace musparse::csr {

template <class Size>
musparseStatus_t give_buffer(musparseHandle_t handle, bool valid, Size* size) {
    std::size_t given = 0;
    const musparseStatus_t status = give_some(handle, valid && size, &given);
    if (status == MUSPARSE_STATUS_SUCCESS) *size = static_cast<Size>(given);
    return status;
}

}  // namespace musparse::csr
