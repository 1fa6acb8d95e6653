// A rank: its memory shared with the others, and a thread that does its operations one after the other.
//
// An operation is in a stream as a point where the stream waits (musa_sim_work.h). The thread does it when it has done
// all earlier operations of the communicator and the stream has come to it. Messages alone are carried by a thread for each
// stream, so that one which waits holds up no others. No thread of a stream ever waits for other ranks.
#pragma once

#include <musa_sim_work.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives.h"

struct mcclComm {};

namespace mccl {

struct Options {
    bool blocking = true;
    // For torch's process group: operations may run on any device, the first of which is the rank's. The process group
    // receives all failures, so the library writes none to stderr.
    bool for_process_group = false;
    std::optional<Timeout> joining;
};
// Throw Failure if the caller's structure is invalid.
Options options_of(const mcclConfig_t* config);

class Communicator : public mcclComm, public std::enable_shared_from_this<Communicator> {
public:
    // Join on the current device. The communicator's thread waits for the other ranks.
    static std::shared_ptr<Communicator> join(const UniqueId& id, int ranks, int rank, const Options& options);
    // Return the object of a handle, null for an invalid handle.
    static std::shared_ptr<Communicator> find(mcclComm_t handle);
    // Return the object of a handle; throw Failure for an invalid one.
    static std::shared_ptr<Communicator> of(mcclComm_t handle);
    // Return the object of a handle that accepts operations: all ranks have joined, and nothing has failed. Throw
    // Failure otherwise.
    static std::shared_ptr<Communicator> usable(mcclComm_t handle);

    int ranks() const { return ranks_; }
    int rank() const { return rank_; }
    // None for a process group.
    std::optional<int> device() const { return device_; }
    void use_device(int device);
    const Options& options() const { return options_; }

    // Submit operations that belong together to their streams.
    struct Batch;
    std::shared_ptr<Batch> submit(Operations operations, const std::optional<Call>& call);
    // Begin to split. done() returns whether the split has finished, and the new communicator.
    struct Split {
        bool done = false;
        std::optional<Failure> failure;
        std::shared_ptr<Communicator> made;
    };
    std::shared_ptr<Split> split(int color, int key, const Options& options);

    // Wait until the communicator's threads are idle.
    void wait();
    void wait_for(const Batch& batch);
    // Return success, in progress, or the error.
    mcclResult_t state();
    void throw_failure();
    // Refuse further operations; finish those that were submitted.
    void finalize();

    // Release the handle. The thread runs until its queue is empty.
    void close();
    void abort();

    mcclRedOp_t add_factor(const Reduction& reduction, mcclDataType_t type);
    void remove_factor(mcclRedOp_t op);
    // Throw Failure for an invalid operation, or one that does not exist for the type.
    Reduction reduction(mcclRedOp_t op, mcclDataType_t type);

    // Return the message of the communicator's failure, empty without one.
    std::string failure_text();

    Communicator(const UniqueId& id, int ranks, int rank, std::optional<int> device, const Options& options);

private:
    struct Arrival;
    struct CustomFactor {
        Reduction reduction;
        mcclDataType_t type;
    };
    using Lock = std::unique_lock<std::mutex>;

    void start();
    void work();
    void add(std::function<void()> job);
    void carry_in(musaStream_t stream, const std::shared_ptr<Batch>& batch);
    void carry_messages(musaStream_t stream);
    bool is_idle() const { return jobs_.empty() && !busy_ && carried_.empty(); }
    static void arrived(void* data, int error);
    void do_batch(Batch& batch);
    void run_batch(Batch& batch);
    void guarded(const std::string& what, const std::function<void()>& body);
    void fail(const std::string& what, const Failure& failure);

    const int ranks_;
    const int rank_;
    const std::optional<int> device_;
    const pid_t process_;
    const Options options_;
    Segment segment_;
    Collectives collectives_;

    std::mutex submitting_;  // operations come to the streams and to the thread in the same order
    std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    std::map<musaStream_t, std::deque<std::shared_ptr<Batch>>> carried_;  // messages; a thread for each stream
    bool busy_ = false;
    bool joined_ = false;
    bool finalized_ = false;
    bool ending_ = false;
    bool ended_ = false;
    std::optional<Failure> failure_;
    std::unordered_map<int, CustomFactor> factors_;
    int next_factor_ = mcclNumOps;
};

}  // namespace mccl
