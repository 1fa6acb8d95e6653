// A host function of the user as a node of a graph.
#pragma once

#include <memory>

#include "streams/graph.h"
#include "streams/host_call.h"

namespace musa_sim {

class HostNode final : public NodeWork {
public:
    explicit HostNode(const musaHostNodeParams& parameters) : parameters_(parameters) {}
    std::unique_ptr<Work> make(const Target&) const override {
        return as_work([call = parameters_] { call_host([&] { call.fn(call.userData); }); });
    }
    const musaHostNodeParams& parameters() const { return parameters_; }

private:
    musaHostNodeParams parameters_;
};

}  // namespace musa_sim
