#include "group.h"

#include <musa_sim_mccl.h>

#include <algorithm>

#include "base/lifetime.h"
#include "settings.h"

namespace mccl {

Group& Group::current() { return musa_sim::PerThread<Group>::get(); }

void Group::add(const std::shared_ptr<Communicator>& communicator, Operation operation) {
    auto found = std::find_if(operations_.begin(), operations_.end(),
                              [&](const Submission& each) { return each.communicator == communicator; });
    if (found == operations_.end()) found = operations_.insert(operations_.end(), {communicator, {}, nullptr});
    found->operations.push_back(std::move(operation));
}

void Group::add_joining(std::shared_ptr<Communicator> communicator, mcclComm_t* handle) {
    joining_.push_back({std::move(communicator), handle});
}

void Group::add_split(const std::shared_ptr<Communicator>& communicator, std::shared_ptr<Communicator::Split> split,
                      mcclComm_t* handle) {
    splitting_.push_back({communicator, std::move(split), handle});
}

mcclResult_t Group::end() {
    if (depth_ == 0) {
        remember({mcclInvalidUsage, "mcclGroupEnd without mcclGroupStart"});
        return mcclInvalidUsage;
    }
    if (--depth_ > 0) return mcclSuccess;
    Group done;
    std::swap(done, *this);
    // A failed call discards its whole group, because other calls of the group may depend on it.
    if (done.result_ != mcclSuccess) {
        for (const Joining& each : done.joining_) {
            each.communicator->abort();
            *each.handle = nullptr;
        }
        done.joining_.clear();
        done.operations_.clear();
    }
    mcclResult_t result = done.result_;
    for (Submission& each : done.operations_) {
        const mcclResult_t submitted = api_call([&] {
            each.batch = each.communicator->submit(each.operations, done.call_);
            return mcclSuccess;
        });
        if (result == mcclSuccess) result = submitted;
    }
    const mcclResult_t finished = api_call([&] {
        done.finish();
        return mcclSuccess;
    });
    if (result == mcclSuccess) result = finished;
    if (result == mcclSuccess) result = finish_joining(done.joining_);
    return result;
}

// Everything is submitted, so waiting for one communicator blocks no other.
void Group::finish() {
    finish_splits(joining_);
    if (!__musa_sim_is_synchronous()) return;
    for (const Submission& each : operations_) {
        if (each.batch) each.communicator->wait_for(*each.batch);
        each.communicator->throw_failure();
    }
}

void Group::finish_splits(std::vector<Joining>& joining) {
    for (const Splitting& each : splitting_) {
        each.communicator->wait();
        if (each.split->failure) throw *each.split->failure;
        *each.handle = each.split->made.get();
        if (each.split->made) joining.push_back({each.split->made, each.handle});
    }
}

mcclResult_t Group::finish_joining(const std::vector<Joining>& joining) {
    mcclResult_t result = mcclSuccess;
    for (const Joining& each : joining) {
        if (!each.communicator->options().blocking) {
            if (result == mcclSuccess) result = each.communicator->state();
            continue;
        }
        each.communicator->wait();
        const mcclResult_t state = each.communicator->state();
        if (state == mcclSuccess) continue;
        if (result == mcclSuccess || result == mcclInProgress) result = state;
        each.communicator->close();
        *each.handle = nullptr;
    }
    return result;
}

}  // namespace mccl

MUSA_EXPORT mcclResult_t mcclGroupStart() {
    mccl::Group::current().start();
    return mcclSuccess;
}

MUSA_EXPORT mcclResult_t musa_sim_mccl_call(const char* name, long long milliseconds, int collective) {
    mccl::Group::current().set_call({mccl::timeout_of_caller(milliseconds), name, collective != 0});
    return mcclSuccess;
}

MUSA_EXPORT mcclResult_t mcclGroupEnd() { return mccl::Group::current().end(); }
