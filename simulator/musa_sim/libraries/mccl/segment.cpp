#include "segment.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>

#include "base/lifetime.h"

namespace mccl {

// The header of the shared memory. All zeros is its initial state.
struct Shared {
    Key key;
    std::atomic<std::int32_t> ranks;
    alignas(64) std::atomic<std::uint32_t> bell;
    std::atomic<std::uint32_t> sleepers;
    std::atomic<std::uint32_t> failed;  // 1: is being reported; 2: was reported
    std::int32_t result;
    char text[4096];
    RankState rank[most_ranks];
};

// The open file. A process has one descriptor for all its ranks, because closing any descriptor releases all its locks.
class MemoryFile {
public:
    explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    int descriptor() const { return descriptor_; }

    // Take the rank's lock until this process ends; return false if another process holds it.
    bool lock(int rank) const {
        struct flock lock = lock_of(rank);
        return fcntl(descriptor_, F_SETLK, &lock) == 0;
    }
    // Return whether another process holds the lock.
    bool is_locked(int rank) const {
        struct flock lock = lock_of(rank);
        return fcntl(descriptor_, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    }

private:
    static struct flock lock_of(int rank) {
        struct flock lock {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        lock.l_start = rank;
        lock.l_len = 1;
        return lock;
    }
    const int descriptor_;
};

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<Presence>::is_always_lock_free,
              "processes share them");

constexpr char id_magic[8] = {'m', 'c', 'c', 'l', 's', 'i', 'm', '1'};
constexpr std::size_t header_bytes = (sizeof(Shared) + 4095) / 4096 * 4096;

std::size_t memory_bytes(int ranks) {
    const auto n = static_cast<std::size_t>(ranks);
    return header_bytes + 2 * (n + 1) * slot_bytes + 2 * n * n * sizeof(Ring);
}

// The files that this process has created for others, or has joined.
struct OpenFiles {
    std::mutex mutex;
    std::map<Key, std::shared_ptr<MemoryFile>> files;
};

OpenFiles& open_files() {
    static auto& files = musa_sim::leaked<OpenFiles>();
    return files;
}

Failure system_failure(const std::string& what) {
    return {mcclSystemError, what + ": " + std::strerror(errno)};
}

// Identify the machine: two processes with the same number see each other under /proc.
std::uint64_t machine() {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    std::array<char, 64> processes{};
    if (readlink("/proc/self/ns/pid", processes.data(), processes.size() - 1) < 0) processes[0] = '\0';
    return std::hash<std::string>{}(boot + processes.data());
}

int descriptor_of_other(const UniqueId& id) {
    if (id.machine != machine()) {
        throw Failure{mcclInvalidUsage, std::string("the unique id was made on host ") + id.host +
                                            ", in another machine or container; the simulator's ranks share memory, "
                                            "so all of them must be in one"};
    }
    const std::string path = "/proc/" + std::to_string(id.process) + "/fd/" + std::to_string(id.file);
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor >= 0) return descriptor;
    const std::string maker = "process " + std::to_string(id.process) + ", which made the unique id,";
    if (errno == ENOENT) throw Failure{mcclRemoteError, maker + " has ended or has left the communicator"};
    throw system_failure("cannot open the memory of " + maker);
}

bool has_key(int descriptor, const Key& key) {
    Key found{};
    return pread(descriptor, found.data(), found.size(), offsetof(Shared, key)) ==
               static_cast<ssize_t>(found.size()) &&
           found == key;
}

std::shared_ptr<MemoryFile> file_of(const UniqueId& id) {
    OpenFiles& open = open_files();
    const std::lock_guard<std::mutex> lock(open.mutex);
    const auto known = open.files.find(id.key);
    if (known != open.files.end()) return known->second;
    const int descriptor = descriptor_of_other(id);
    if (!has_key(descriptor, id.key)) {
        // Leave the file open: if it is the memory of another communicator, closing it would release this process's
        // locks.
        throw Failure{mcclRemoteError, "process " + std::to_string(id.process) +
                                           " does not have the memory of this unique id (any more)"};
    }
    auto file = std::make_shared<MemoryFile>(descriptor);
    open.files.emplace(id.key, file);
    return file;
}

// Close the file unless another rank of this process uses it.
void release(const Key& key, std::shared_ptr<MemoryFile> file) {
    OpenFiles& open = open_files();
    const std::lock_guard<std::mutex> lock(open.mutex);
    file.reset();
    const auto known = open.files.find(key);
    if (known != open.files.end() && known->second.use_count() == 1) open.files.erase(known);
}

}  // namespace

UniqueId make_unique_id() {
    UniqueId id{};
    std::memcpy(id.magic, id_magic, sizeof id_magic);
    if (getrandom(id.key.data(), id.key.size(), 0) != static_cast<ssize_t>(id.key.size()))
        throw system_failure("getrandom");
    const int descriptor = memfd_create("mccl", MFD_CLOEXEC);
    if (descriptor < 0) throw system_failure("memfd_create");
    auto file = std::make_shared<MemoryFile>(descriptor);
    if (ftruncate(descriptor, header_bytes) != 0 ||
        pwrite(descriptor, id.key.data(), id.key.size(), offsetof(Shared, key)) !=
            static_cast<ssize_t>(id.key.size())) {
        throw system_failure("cannot write shared memory");
    }
    id.process = getpid();
    id.file = descriptor;
    id.machine = machine();
    gethostname(id.host, sizeof id.host - 1);
    OpenFiles& open = open_files();
    const std::lock_guard<std::mutex> lock(open.mutex);
    open.files.emplace(id.key, std::move(file));
    return id;
}

Segment::Segment(const UniqueId& id, int ranks, int rank) : ranks_(ranks), rank_(rank) {
    if (std::memcmp(id.magic, id_magic, sizeof id_magic) != 0)
        throw Failure{mcclInvalidArgument, "the unique id is not from mcclGetUniqueId of this library"};
    file_ = file_of(id);
    size_ = memory_bytes(ranks);
    struct stat facts {};
    const int descriptor = file_->descriptor();
    if (fstat(descriptor, &facts) != 0) throw system_failure("fstat");
    // If ranks pass different numbers of ranks, the first rank's is right; join() reports the others.
    if (static_cast<std::size_t>(facts.st_size) < size_ && ftruncate(descriptor, static_cast<off_t>(size_)) != 0)
        throw system_failure("cannot enlarge shared memory");
    void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) throw system_failure("cannot map shared memory");
    memory_ = static_cast<char*>(memory);
    shared_ = reinterpret_cast<Shared*>(memory_);
    try {
        join();
    } catch (...) {
        munmap(memory_, size_);
        release(id.key, std::move(file_));
        throw;
    }
}

void Segment::join() {
    std::int32_t said = 0;
    if (!shared_->ranks.compare_exchange_strong(said, ranks_) && said != ranks_) {
        throw Failure{mcclInvalidArgument, "rank " + std::to_string(rank_) + " was told of " +
                                               std::to_string(ranks_) + " ranks, another one of " +
                                               std::to_string(said)};
    }
    // The lock distinguishes processes, the exchange the threads of one process. A process that sees the rank also sees
    // the rank's process.
    Presence before = Presence::absent;
    const bool own = file_->lock(rank_);
    if (own) mine().process = getpid();
    if (!own || !mine().presence.compare_exchange_strong(before, Presence::present)) {
        throw Failure{mcclInvalidUsage, "rank " + std::to_string(rank_) +
                                            " has joined with this unique id already"};
    }
    mine().phase.fetch_add(1);  // the first barrier: everybody has joined
    ring_bell();
}

Segment::~Segment() {
    const Key key = shared_->key;
    munmap(memory_, size_);
    release(key, std::move(file_));
}

RankState& Segment::state(int rank) const { return shared_->rank[rank]; }

void Segment::use_device(const std::string& device) const {
    if (mine().has_device) return;
    std::strncpy(mine().device, device.c_str(), sizeof mine().device - 1);
    mine().has_device = true;
}

bool Segment::share_device(int rank, int other) const {
    const RankState& a = state(rank);
    const RankState& b = state(other);
    return rank != other && a.has_device && b.has_device && std::strcmp(a.device, b.device) == 0;
}

char* Segment::slot(int rank, std::uint64_t step) const {
    return memory_ + header_bytes + (2 * static_cast<std::size_t>(rank) + step % 2) * slot_bytes;
}

char* Segment::result(std::uint64_t step) const { return slot(ranks_, step); }

Ring& Segment::ring(int from, int to, bool collective) const {
    auto* rings = reinterpret_cast<Ring*>(slot(ranks_ + 1, 0));
    return rings[2 * (from * ranks_ + to) + (collective ? 1 : 0)];
}

void Segment::ring_bell() const {
    shared_->bell.fetch_add(1);
    if (shared_->sleepers.load() == 0) return;
    syscall(SYS_futex, &shared_->bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

std::uint32_t Segment::bell() const { return shared_->bell.load(); }

void Segment::sleep(std::uint32_t seen, std::chrono::milliseconds longest) const {
    const timespec time{static_cast<time_t>(longest.count() / 1000),
                        static_cast<long>(longest.count() % 1000 * 1000000)};
    shared_->sleepers.fetch_add(1);
    syscall(SYS_futex, &shared_->bell, FUTEX_WAIT, seen, &time, nullptr, 0);
    shared_->sleepers.fetch_sub(1);
}

bool Segment::is_there(int rank, std::string* why) const {
    const RankState& other = state(rank);
    const std::string name = "rank " + std::to_string(rank) + " (process " + std::to_string(other.process.load()) + ")";
    switch (other.presence.load()) {
        case Presence::absent: return true;  // it may still join
        case Presence::left: *why = name + " has destroyed its communicator"; return false;
        case Presence::aborted: *why = name + " has aborted its communicator"; return false;
        case Presence::present: break;
    }
    if (other.process.load() == getpid() || file_->is_locked(rank)) return true;
    *why = name + " has ended";
    return false;
}

void Segment::leave(Presence how) const {
    mine().presence = how;
    ring_bell();
}

void Segment::tell_failure(const Failure& failure) const {
    std::uint32_t nothing = 0;
    if (!shared_->failed.compare_exchange_strong(nothing, 1)) return;
    shared_->result = failure.result;
    std::strncpy(shared_->text, failure.text.c_str(), sizeof shared_->text - 1);
    shared_->failed = 2;
    ring_bell();
}

bool Segment::has_failed() const { return shared_->failed.load() == 2; }

Failure Segment::failure() const { return {static_cast<mcclResult_t>(shared_->result), shared_->text}; }

}  // namespace mccl
