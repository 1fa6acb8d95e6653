// Calls between mcclGroupStart and mcclGroupEnd, which take effect together at the end. A call outside a group is a
// group of its own.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "communicator.h"

namespace mccl {

class Group {
public:
    // Return the group of the calling thread.
    static Group& current();

    void start() { ++depth_; }
    mcclResult_t end();

    // Run body() as a call of the library that may add to the group.
    template <class Body>
    static mcclResult_t call(Body&& body) {
        Group& group = current();
        group.start();
        const mcclResult_t result = api_call([&] {
            body(group);
            return mcclSuccess;
        });
        if (result != mcclSuccess) group.result_ = result;
        const mcclResult_t ended = group.end();
        return result != mcclSuccess ? result : ended;
    }

    void add(const std::shared_ptr<Communicator>& communicator, Operation operation);
    // Set the options of the group's operations.
    void set_call(Call call) { call_ = std::move(call); }
    // Add a communicator that has begun to join. A blocking one makes the group wait until all ranks have joined;
    // *handle becomes NULL if they do not.
    void add_joining(std::shared_ptr<Communicator> communicator, mcclComm_t* handle);
    void add_split(const std::shared_ptr<Communicator>& communicator, std::shared_ptr<Communicator::Split> split,
                   mcclComm_t* handle);

private:
    struct Submission {
        std::shared_ptr<Communicator> communicator;
        Operations operations;
        std::shared_ptr<Communicator::Batch> batch;
    };
    struct Joining {
        std::shared_ptr<Communicator> communicator;
        mcclComm_t* handle;
    };
    struct Splitting {
        std::shared_ptr<Communicator> communicator;
        std::shared_ptr<Communicator::Split> split;
        mcclComm_t* handle;
    };

    void finish();
    void finish_splits(std::vector<Joining>& joining);
    static mcclResult_t finish_joining(const std::vector<Joining>& joining);

    int depth_ = 0;
    mcclResult_t result_ = mcclSuccess;
    std::optional<Call> call_;
    std::vector<Submission> operations_;
    std::vector<Joining> joining_;
    std::vector<Splitting> splitting_;
};

}  // namespace mccl
