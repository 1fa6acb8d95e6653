#include "api/graph_nodes.h"

#include <algorithm>

namespace musa_sim {

musaError_t add_node(musaGraphNode_t* node, musaGraph_t handle, const musaGraphNode_t* after, size_t count,
                     musaGraphNodeType type, MadeWork made) {
    const auto graph = find_graph(handle);
    if (!graph || (!after && count > 0)) return musaErrorInvalidValue;
    const std::vector<musaGraphNode_t> before(after, after + count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool twice = std::find(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(i), before[i]) !=
                           before.begin() + static_cast<std::ptrdiff_t>(i);
        if (twice || !graph->contains(before[i])) return musaErrorInvalidValue;
    }
    graph->nodes.push_back(std::make_shared<MUgraphNode_st>(
        MUgraphNode_st{type, std::move(made.name), made.device, least_stream_priority, before, std::move(made.work),
                       std::move(made.child), {}, std::move(made.conditional)}));
    *node = graph->nodes.back().get();
    return musaSuccess;
}

}  // namespace musa_sim
