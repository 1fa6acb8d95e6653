#include "communicator.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "base/lifetime.h"
#include "settings.h"

namespace mccl {
namespace {

struct LiveCommunicators {
    std::mutex mutex;
    std::unordered_map<mcclComm_t, std::shared_ptr<Communicator>> all;
};

LiveCommunicators& live_communicators() {
    static auto& live = musa_sim::leaked<LiveCommunicators>();
    return live;
}

void check_musa(musaError_t error, const std::string& what) {
    if (error == musaSuccess) return;
    throw Failure{mcclUnhandledMusaError, what + ": " + musaGetErrorString(error)};
}

int current_device() {
    int device = 0;
    check_musa(musaGetDevice(&device), "musaGetDevice");
    return device;
}

std::string bus_id(int device) {
    std::array<char, 32> name{};
    check_musa(musaDeviceGetPCIBusId(name.data(), static_cast<int>(name.size()), device), "musaDeviceGetPCIBusId");
    return name.data();
}

// Select another device for the current thread until the end of the scope.
class OnDevice {
public:
    explicit OnDevice(int device) : before_(current_device()) { check_musa(musaSetDevice(device), "musaSetDevice"); }
    ~OnDevice() { musaSetDevice(before_); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    const int before_;
};

std::vector<musaStream_t> streams_of(const Operations& operations) {
    std::vector<musaStream_t> streams;
    for (const Operation& operation : operations) {
        if (std::find(streams.begin(), streams.end(), operation.stream) == streams.end())
            streams.push_back(operation.stream);
    }
    return streams;
}

// Name a call for profilers and messages. The text lives as long as the process.
const char* api_name(const Operations& operations) {
    if (operations.size() > 1) return "mcclGroup";
    switch (operations.front().kind) {
        case OperationKind::all_reduce: return "mcclAllReduce";
        case OperationKind::broadcast: return "mcclBroadcast";
        case OperationKind::reduce: return "mcclReduce";
        case OperationKind::all_gather: return "mcclAllGather";
        case OperationKind::reduce_scatter: return "mcclReduceScatter";
        case OperationKind::send: return "mcclSend";
        case OperationKind::receive: return "mcclRecv";
        default: return "mcclGroup";
    }
}

bool start_thread(std::function<void()> body) {
    auto owned = std::make_unique<std::function<void()>>(std::move(body));
    const auto run = [](void* data) {
        const std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(data));
        (*own)();
    };
    if (!__musa_sim_start_thread(run, owned.get())) return false;
    owned.release();
    return true;
}

std::string rank_of(int rank, int ranks) { return "rank " + std::to_string(rank) + " of " + std::to_string(ranks); }

}  // namespace

// Operations that were submitted together.
struct Communicator::Batch {
    Operations operations;
    Call call;
    const char* name;
    std::vector<musa_sim_external_work*> works;  // one in each stream
    int awaited = 0;  // streams that have not reached the batch
    bool abandoned = false;  // at least one stream did not accept it
    int error = musaSuccess;                     // the error of a kernel on the device
    bool done = false;

    bool only_messages() const {
        return !call.collective && std::all_of(operations.begin(), operations.end(), is_message);
    }
    // The name that the caller gave, or the function's.
    std::string title() const { return call.name.empty() ? name : call.name.substr(0, call.name.find(' ')); }
};

// The messages of a stream that reaches a batch.
struct Communicator::Arrival {
    std::shared_ptr<Communicator> communicator;
    std::shared_ptr<Batch> batch;
};

Options options_of(const mcclConfig_t* config) {
    Options options;
    if (!config) return options;
    if (config->size != sizeof(mcclConfig_t) || config->magic != MCCL_CONFIG_MAGIC)
        throw Failure{mcclInvalidArgument, "the configuration was not set to MCCL_CONFIG_INITIALIZER first"};
    if (config->blocking != MCCL_CONFIG_UNDEF_INT && config->blocking != 0 && config->blocking != 1)
        throw Failure{mcclInvalidArgument,
                      "blocking is " + std::to_string(config->blocking) + " in the configuration, not 0 or 1"};
    options.blocking = config->blocking != 0;
    return options;
}

// Joining and leaving

Communicator::Communicator(const UniqueId& id, int ranks, int rank, std::optional<int> device, const Options& options)
    : ranks_(ranks),
      rank_(rank),
      device_(device),
      process_(getpid()),
      options_(options),
      segment_(id, ranks, rank),
      collectives_(segment_, options.joining.value_or(usual_timeout())) {}

std::shared_ptr<Communicator> Communicator::join(const UniqueId& id, int ranks, int rank, const Options& options) {
    if (ranks < 1 || ranks > most_ranks) {
        throw Failure{mcclInvalidArgument, std::to_string(ranks) + " ranks: must be 1 to " +
                                               std::to_string(most_ranks)};
    }
    if (rank < 0 || rank >= ranks) {
        throw Failure{mcclInvalidArgument, "rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                                               ": must be 0 to " + std::to_string(ranks - 1)};
    }
    // a wrong setting is an error before anything is shared
    usual_timeout();
    may_share_devices();
    const auto device = options.for_process_group ? std::nullopt : std::make_optional(current_device());
    auto made = std::make_shared<Communicator>(id, ranks, rank, device, options);
    if (device) made->use_device(*device);
    made->start();
    LiveCommunicators& live = live_communicators();
    const std::lock_guard<std::mutex> lock(live.mutex);
    live.all.emplace(made.get(), made);
    return made;
}

void Communicator::start() {
    jobs_.emplace_back([this] {
        guarded("joining", [this] {
            collectives_.wait_for_all();
            for (int other = 0; other < ranks_; ++other) collectives_.check_device(other);
        });
        const Lock lock(mutex_);
        joined_ = true;
    });
    if (!start_thread([self = shared_from_this()] { self->work(); })) {
        segment_.leave(Presence::left);
        throw Failure{mcclSystemError, "the system has no more threads"};
    }
}

void Communicator::use_device(int device) {
    const Lock lock(mutex_);
    if (!segment_.mine().has_device) segment_.use_device(bus_id(device));
}

std::shared_ptr<Communicator> Communicator::find(mcclComm_t handle) {
    LiveCommunicators& live = live_communicators();
    const std::lock_guard<std::mutex> lock(live.mutex);
    const auto found = live.all.find(handle);
    return found == live.all.end() ? nullptr : found->second;
}

std::shared_ptr<Communicator> Communicator::of(mcclComm_t handle) {
    std::shared_ptr<Communicator> found = find(handle);
    if (!found) throw Failure{mcclInvalidArgument, "this is no communicator (any more)"};
    if (found->process_ != getpid())
        throw Failure{mcclInvalidUsage, "a communicator cannot be used in a child of fork()"};
    return found;
}

std::shared_ptr<Communicator> Communicator::usable(mcclComm_t handle) {
    std::shared_ptr<Communicator> found = of(handle);
    const mcclResult_t state = found->state();
    if (state == mcclInProgress) {
        throw Failure{mcclInvalidArgument,
                      "the communicator is not ready: mcclCommGetAsyncError still returns mcclInProgress"};
    }
    found->throw_failure();
    const Lock lock(found->mutex_);
    if (found->finalized_) throw Failure{mcclInvalidUsage, "the communicator was finalized"};
    return found;
}

void Communicator::close() {
    {
        LiveCommunicators& live = live_communicators();
        const std::lock_guard<std::mutex> lock(live.mutex);
        live.all.erase(this);
    }
    const Lock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
}

void Communicator::abort() {
    segment_.leave(Presence::aborted);
    collectives_.abort();
    close();
}

void Communicator::finalize() {
    {
        const Lock lock(mutex_);
        finalized_ = true;
    }
    wait();
}

// The work of the communicator's thread

void Communicator::work() {
    Lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return !jobs_.empty() || (ending_ && carried_.empty()); });
        if (jobs_.empty()) break;
        const std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        busy_ = true;
        lock.unlock();
        job();
        lock.lock();
        busy_ = false;
        changed_.notify_all();
    }
    if (segment_.mine().presence.load() == Presence::present) segment_.leave(Presence::left);
    ended_ = true;
    changed_.notify_all();
}

void Communicator::add(std::function<void()> job) {
    const Lock lock(mutex_);
    jobs_.push_back(std::move(job));
    changed_.notify_all();
}

// The batches of a stream follow each other anyway.
void Communicator::carry_in(musaStream_t stream, const std::shared_ptr<Batch>& batch) {
    {
        const Lock lock(mutex_);
        std::deque<std::shared_ptr<Batch>>& waiting = carried_[stream];
        waiting.push_back(batch);
        if (waiting.size() > 1) return;
    }
    if (start_thread([self = shared_from_this(), stream] { self->carry_messages(stream); })) return;
    add([self = this, stream] { self->carry_messages(stream); });  // better late than never
}

void Communicator::carry_messages(musaStream_t stream) {
    Lock lock(mutex_);
    std::deque<std::shared_ptr<Batch>>& waiting = carried_[stream];
    while (!waiting.empty()) {
        const std::shared_ptr<Batch> batch = waiting.front();
        lock.unlock();
        do_batch(*batch);
        lock.lock();
        waiting.pop_front();
    }
    carried_.erase(stream);
    changed_.notify_all();
}

void Communicator::wait() {
    Lock lock(mutex_);
    changed_.wait(lock, [this] { return is_idle(); });
}

void Communicator::wait_for(const Batch& batch) {
    Lock lock(mutex_);
    changed_.wait(lock, [&] { return batch.done; });
}

void Communicator::guarded(const std::string& what, const std::function<void()>& body) {
    try {
        body();
    } catch (const Failure& failure) {
        fail(what, failure);
    } catch (const std::exception& error) {
        fail(what, {mcclSystemError, error.what()});
    }
}

// Keep the first failure and report it to the other ranks.
void Communicator::fail(const std::string& what, const Failure& failure) {
    segment_.tell_failure({mcclRemoteError, rank_of(rank_, ranks_) + " failed: " + failure.text});
    const Failure described{failure.result, what + " failed in " + rank_of(rank_, ranks_) + ": " + failure.text};
    {
        const Lock lock(mutex_);
        if (failure_) return;
        failure_ = described;
    }
    // The program itself aborted: its next calls do not fail for that.
    if (segment_.mine().presence.load() == Presence::aborted) return;
    options_.for_process_group ? remember(described) : report(described);
}

mcclResult_t Communicator::state() {
    {
        const Lock lock(mutex_);
        if (failure_) return failure_->result;
        if (!joined_) return mcclInProgress;
    }
    if (!segment_.has_failed()) return mcclSuccess;
    const Failure failure = segment_.failure();
    fail("the communicator", failure);
    return failure.result;
}

void Communicator::throw_failure() {
    const Lock lock(mutex_);
    if (failure_) throw *failure_;
}

std::string Communicator::failure_text() {
    const Lock lock(mutex_);
    return failure_ ? failure_->text : "";
}

// Operations

std::shared_ptr<Communicator::Batch> Communicator::submit(Operations operations, const std::optional<Call>& call) {
    const std::lock_guard<std::mutex> in_order(submitting_);
    const OnDevice on_device(device_ ? *device_ : current_device());
    const std::vector<musaStream_t> streams = streams_of(operations);
    auto batch = std::make_shared<Batch>();
    batch->name = api_name(operations);
    batch->operations = std::move(operations);
    batch->call = call ? *call : Call{usual_timeout()};
    for (Operation& operation : batch->operations) operation.of_collective = batch->call.collective;
    collectives_.line_up(batch->operations);
    int error = musaSuccess;
    for (musaStream_t stream : streams) {
        auto arrival = std::make_unique<Arrival>(Arrival{shared_from_this(), batch});
        {
            const Lock lock(mutex_);
            ++batch->awaited;
        }
        musa_sim_external_work* work = nullptr;
        error = __musa_sim_submit_external_work(stream, arrived, arrival.get(), batch->name, &work);
        const Lock lock(mutex_);
        if (error == musaSuccess) {
            arrival.release();
            batch->works.push_back(work);
        } else {
            --batch->awaited;
            batch->abandoned = true;
            break;
        }
    }
    if (!batch->works.empty() && batch->only_messages()) {
        carry_in(streams.front(), batch);
    } else {
        add([this, batch] { do_batch(*batch); });
    }
    if (error == musaErrorStreamCaptureUnsupported) {
        throw Failure{mcclInvalidUsage, std::string(batch->name) +
                                            " in a stream that is being captured: the simulator does not put "
                                            "collectives into graphs"};
    }
    check_musa(static_cast<musaError_t>(error), batch->name);
    return batch;
}

// Runs on a thread of the stream, so it must not wait.
void Communicator::arrived(void* data, int error) {
    const std::unique_ptr<Arrival> arrival(static_cast<Arrival*>(data));
    Communicator& communicator = *arrival->communicator;
    const Lock lock(communicator.mutex_);
    if (error != musaSuccess) arrival->batch->error = error;
    --arrival->batch->awaited;
    communicator.changed_.notify_all();
}

void Communicator::do_batch(Batch& batch) {
    {
        Lock lock(mutex_);
        changed_.wait(lock, [&] { return batch.awaited == 0; });
    }
    if (!batch.abandoned) guarded(batch.title(), [&] { run_batch(batch); });
    for (const Operation& operation : batch.operations) collectives_.take_out(operation);
    for (musa_sim_external_work* work : batch.works) __musa_sim_end_external_work(work);
    const Lock lock(mutex_);
    batch.done = true;
    changed_.notify_all();
}

void Communicator::run_batch(Batch& batch) {
    throw_failure();
    if (batch.error != musaSuccess) {
        throw Failure{mcclUnhandledMusaError, std::string("a kernel had failed on its device: ") +
                                                  musaGetErrorString(static_cast<musaError_t>(batch.error))};
    }
    struct Run {
        Collectives& collectives;
        const Batch& batch;
        std::exception_ptr thrown;
    } to_do{collectives_, batch, nullptr};
    const auto run = [](void* data) {
        Run& to_do = *static_cast<Run*>(data);
        try {
            to_do.collectives.run(to_do.batch.operations, to_do.batch.call);
        } catch (...) {
            to_do.thrown = std::current_exception();
        }
    };
    __musa_sim_run_external_work(batch.works.front(), run, &to_do);
    if (to_do.thrown) std::rethrow_exception(to_do.thrown);
}

// Splitting: the first rank of a color makes the memory that all ranks of the color use.

std::shared_ptr<Communicator::Split> Communicator::split(int color, int key, const Options& options) {
    struct Choice {
        int color;
        int key;
    };
    auto split = std::make_shared<Split>();
    add([this, split, color, key, options] {
        guarded("CommSplit", [&] {
            throw_failure();
            const Choice mine{color, key};
            const auto bytes = [](const auto& value) {
                return std::string(reinterpret_cast<const char*>(&value), sizeof value);
            };
            const std::vector<std::string> choices = collectives_.gather(bytes(mine), OperationKind::split);
            std::vector<std::pair<int, int>> members;  // key, rank
            for (int rank = 0; rank < ranks_; ++rank) {
                Choice choice{};
                std::memcpy(&choice, choices[static_cast<std::size_t>(rank)].data(), sizeof choice);
                if (choice.color == color) members.emplace_back(choice.key, rank);
            }
            std::sort(members.begin(), members.end());
            const bool takes_part = color != MCCL_SPLIT_NOCOLOR;
            const bool leads = takes_part && members.front().second == rank_;
            const UniqueId made = leads ? make_unique_id() : UniqueId{};
            const std::vector<std::string> ids = collectives_.gather(bytes(made), OperationKind::split);
            if (!takes_part) return;
            UniqueId id{};
            std::memcpy(&id, ids[static_cast<std::size_t>(members.front().second)].data(), sizeof id);
            const auto own = std::find(members.begin(), members.end(), std::make_pair(key, rank_));
            const OnDevice on_device(device_ ? *device_ : current_device());
            split->made = join(id, static_cast<int>(members.size()), static_cast<int>(own - members.begin()), options);
        });
        const Lock lock(mutex_);
        split->failure = failure_;
        split->done = true;
    });
    return split;
}

// Reductions

mcclRedOp_t Communicator::add_factor(const Reduction& reduction, mcclDataType_t type) {
    const Lock lock(mutex_);
    const int op = next_factor_++;
    factors_.emplace(op, CustomFactor{reduction, type});
    return static_cast<mcclRedOp_t>(op);
}

void Communicator::remove_factor(mcclRedOp_t op) {
    const Lock lock(mutex_);
    if (factors_.erase(op) == 0)
        throw Failure{mcclInvalidArgument, "operation " + std::to_string(op) + " was not made for this communicator"};
}

Reduction Communicator::reduction(mcclRedOp_t op, mcclDataType_t type) {
    Reduction result;
    switch (op) {
        case mcclSum: return result;
        case mcclProd: result.combine = Combine::product; return result;
        case mcclMax: result.combine = Combine::maximum; return result;
        case mcclMin: result.combine = Combine::minimum; return result;
        case mcclAvg:
            if (is_integer(type)) {
                result.divisor = ranks_;
            } else {
                result.scaled = true;
                result.factor = reciprocal(type, ranks_);
            }
            return result;
        default: break;
    }
    const Lock lock(mutex_);
    const auto found = factors_.find(op);
    if (found == factors_.end())
        throw Failure{mcclInvalidArgument, "there is no operation " + std::to_string(op) + " for this communicator"};
    if (found->second.type != type) {
        throw Failure{mcclInvalidArgument, std::string("the operation was made for ") + name_of(found->second.type) +
                                               ", not for " + name_of(type)};
    }
    return found->second.reduction;
}

}  // namespace mccl
