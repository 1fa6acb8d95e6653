// Two processes share device memory: by musaIpcGetMemHandle, and by a pool. Each adds to what the other wrote.
#include <musa.h>
#include <musa_runtime.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <random>
#include <string>
#include <thread>
#include <vector>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        const auto error = (call);                                                                   \
        if (error != 0) {                                                                            \
            std::fprintf(stderr, "%d: %s: %d\n", int(getpid()), #call, int(error));                  \
            std::_Exit(1);                                                                           \
        }                                                                                            \
    } while (0)

namespace {

int ends[2];  // of a connection

void send(int end, const void* what, size_t bytes) { CHECK(write(ends[end], what, bytes) != ssize_t(bytes)); }
void receive(int end, void* what, size_t bytes) { CHECK(read(ends[end], what, bytes) != ssize_t(bytes)); }

// A file as the only message of its kind.
msghdr message(iovec& text, char (&control)[CMSG_SPACE(sizeof(int))]) {
    msghdr made{};
    made.msg_iov = &text;
    made.msg_iovlen = 1;
    made.msg_control = control;
    made.msg_controllen = sizeof control;
    return made;
}
void send_file(int end, int file) {
    char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
    iovec text{&byte, 1};
    msghdr made = message(text, control);
    cmsghdr* const header = CMSG_FIRSTHDR(&made);
    *header = {CMSG_LEN(sizeof file), SOL_SOCKET, SCM_RIGHTS};
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
    CHECK(sendmsg(ends[end], &made, 0) != 1);
}
int receive_file(int end) {
    char byte = 0, control[CMSG_SPACE(sizeof(int))];
    iovec text{&byte, 1};
    msghdr made = message(text, control);
    CHECK(recvmsg(ends[end], &made, 0) != 1);
    int file = -1;
    std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&made)), sizeof file);
    return file;
}

__global__ void add(unsigned char* data, size_t bytes, int seed) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += gridDim.x * blockDim.x)
        data[i] += static_cast<unsigned char>(i * 7 + seed);
}
void add_to(void* data, size_t bytes, int seed) {
    add<<<4, 64>>>(static_cast<unsigned char*>(data), bytes, seed);
    CHECK(musaDeviceSynchronize());
}
// Whether the memory has these bytes, plus what add() was called with.
bool holds(const void* data, size_t bytes, unsigned char begin, std::initializer_list<int> seeds) {
    std::vector<unsigned char> found(bytes);
    CHECK(musaMemcpy(found.data(), data, bytes, musaMemcpyDefault));
    for (size_t i = 0; i < bytes; ++i) {
        unsigned char wanted = begin;
        for (int seed : seeds) wanted += static_cast<unsigned char>(i * 7 + seed);
        if (found[i] != wanted) return false;
    }
    return true;
}

void tell(const char* name, int number) { std::printf("%s=%d\n", name, number); }
int child_status() {
    int status = -1;
    wait(&status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr size_t sizes[] = {1, 256, 4096, 70000, 100000, 300000, size_t(2) << 20, size_t(40) << 20};
constexpr int count = sizeof sizes / sizeof *sizes;

void ipc() {
    char token = 0;
    if (fork() == 0) {
        for (int k = 0; k < count; ++k) {
            musaIpcMemHandle_t handle;
            receive(1, &handle, sizeof handle);
            void* memory = nullptr;
            CHECK(musaIpcOpenMemHandle(&memory, handle, musaIpcMemLazyEnablePeerAccess));
            CHECK(!holds(memory, sizes[k], k, {1}));
            add_to(memory, sizes[k], 2);
            CHECK(musaIpcCloseMemHandle(memory));
        }
        send(1, &token, 1);
        std::_Exit(0);
    }
    // Freed memory of another size must not decide whether memory can be shared.
    void *memory[count], *freed = nullptr;
    CHECK(musaMalloc(&freed, 20 << 20));
    CHECK(musaFree(freed));
    for (int k = 0; k < count; ++k) {
        CHECK(musaMalloc(&memory[k], sizes[k]));
        CHECK(musaMemset(memory[k], k, sizes[k]));
    }
    for (int k = 0; k < count; ++k) {
        musaIpcMemHandle_t handle;
        add_to(memory[k], sizes[k], 1);
        CHECK(musaIpcGetMemHandle(&handle, memory[k]));
        send(0, &handle, sizeof handle);
    }
    receive(0, &token, 1);
    int right = 0;
    for (int k = 0; k < count; ++k) right += holds(memory[k], sizes[k], k, {1, 2});
    for (void* each : memory) CHECK(musaFree(each));
    tell("right", right);
    tell("child", child_status());
    size_t free_bytes = 0, total = 0;
    CHECK(musaMemGetInfo(&free_bytes, &total));
    tell("all_free", free_bytes == total);
}

musaMemPool_t new_pool(musaMemAllocationHandleType type) {
    musaMemPoolProps properties{};
    properties.allocType = musaMemAllocationTypePinned;
    properties.handleTypes = type;
    properties.location = {musaMemLocationTypeDevice, 0};
    musaMemPool_t pool = nullptr;
    CHECK(musaMemPoolCreate(&pool, &properties));
    return pool;
}

void pools() {
    constexpr auto type = musaMemHandleTypePosixFileDescriptor;
    char token = 0;
    if (fork() == 0) {
        const int file = receive_file(1), other_file = receive_file(1);
        musaMemPool_t pool = nullptr, other = nullptr;
        CHECK(musaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(intptr_t{file}), type, 0));
        CHECK(muMemPoolImportFromShareableHandle(&other, reinterpret_cast<void*>(intptr_t{other_file}),
                                                 MU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
        close(file);
        for (int k = 0; k < count; ++k) {
            musaMemPoolPtrExportData data;
            receive(1, &data, sizeof data);
            void* memory = nullptr;
            if (musaMemPoolImportPointer(&memory, other, &data) != musaErrorInvalidValue) std::_Exit(2);
            CHECK(musaMemPoolImportPointer(&memory, pool, &data));
            CHECK(!holds(memory, sizes[k], k, {1}));
            add_to(memory, sizes[k], 2);
            if (k % 2) {
                CHECK(musaFreeAsync(memory, 0));
            } else {
                CHECK(musaFree(memory));
            }
        }
        void* none = nullptr;
        const bool refused = musaMallocFromPoolAsync(&none, 64, pool, 0) == musaErrorInvalidValue &&
                             musaDeviceSetMemPool(0, pool) == musaErrorInvalidValue &&
                             musaMemPoolExportToShareableHandle(&token, pool, type, 0) == musaErrorInvalidValue;
        CHECK(musaDeviceSynchronize());
        CHECK(musaMemPoolDestroy(pool));
        size_t free_bytes = 0, total = 0;
        CHECK(musaMemGetInfo(&free_bytes, &total));
        send(1, &token, 1);
        std::_Exit(refused && free_bytes == total ? 0 : 3);
    }
    CHECK(musaSetDevice(0));
    const musaMemPool_t pool = new_pool(type), other = new_pool(type), plain = new_pool(musaMemHandleTypeNone);
    int file = -1, other_file = -1, none = -1;
    CHECK(musaMemPoolExportToShareableHandle(&file, pool, type, 0));
    CHECK(muMemPoolExportToShareableHandle(&other_file, other, MU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    tell("plain_pool", musaMemPoolExportToShareableHandle(&none, plain, type, 0) == musaErrorInvalidValue);
    tell("other_type", musaMemPoolExportToShareableHandle(&none, pool, musaMemHandleTypeWin32, 0) == musaErrorInvalidValue);
    musaMemPool_t wrong = nullptr;
    tell("no_pool", musaMemPoolImportFromShareableHandle(&wrong, reinterpret_cast<void*>(intptr_t{0}), type, 0) ==
                        musaErrorInvalidValue);
    send_file(0, file);
    send_file(0, other_file);
    void* memory[count];
    for (int k = 0; k < count; ++k) {
        CHECK(musaMallocFromPoolAsync(&memory[k], sizes[k], pool, 0));
        CHECK(musaMemsetAsync(memory[k], k, sizes[k], 0));
    }
    for (int k = 0; k < count; ++k) {
        add_to(memory[k], sizes[k], 1);
        musaMemPoolPtrExportData data;
        CHECK(musaMemPoolExportPointer(&data, memory[k]));
        send(0, &data, sizeof data);
    }
    receive(0, &token, 1);
    int right = 0;
    for (int k = 0; k < count; ++k) right += holds(memory[k], sizes[k], k, {1, 2});
    musaMemPoolPtrExportData data;
    void *of_plain = nullptr, *of_none = nullptr;
    CHECK(musaMallocFromPoolAsync(&of_plain, 64, plain, 0));
    CHECK(musaMalloc(&of_none, 64));
    tell("plain_pointers", musaMemPoolExportPointer(&data, of_plain) == musaErrorInvalidValue &&
                               musaMemPoolExportPointer(&data, of_none) == musaErrorInvalidValue);
    int types = 0;
    CHECK(musaDeviceGetAttribute(&types, musaDevAttrMemoryPoolSupportedHandleTypes, 0));
    tell("types", types);
    tell("right", right);
    tell("child", child_status());
}

__global__ void count_up(unsigned* counter) { atomicAdd(counter, 1u); }

// While memory is shared, kernels of another thread write to it. No write is lost.
void busy() {
    constexpr int blocks = 20;
    constexpr size_t bytes = 8 << 20;
    unsigned* memory[blocks];
    unsigned wanted[blocks] = {};
    for (unsigned*& each : memory) {
        CHECK(musaMalloc(&each, bytes));
        CHECK(musaMemset(each, 0, bytes));
    }
    CHECK(musaDeviceSynchronize());
    volatile int at = 0;
    std::thread other([&] {
        musaStream_t stream = nullptr;
        CHECK(musaStreamCreateWithFlags(&stream, musaStreamNonBlocking));
        for (int k = at; k < blocks; k = at) {
            count_up<<<1, 1, 0, stream>>>(memory[k]);
            if (++wanted[k] % 16 == 0) CHECK(musaStreamSynchronize(stream));
        }
        CHECK(musaStreamSynchronize(stream));
    });
    for (int k = 0; k < blocks; ++k) {
        usleep(300);
        musaIpcMemHandle_t handle;
        CHECK(musaIpcGetMemHandle(&handle, memory[k]));
        usleep(300);
        at = k + 1;
    }
    other.join();
    int right = 0;
    for (int k = 0; k < blocks; ++k) {
        unsigned found = 0;
        CHECK(musaMemcpy(&found, memory[k], sizeof found, musaMemcpyDefault));
        right += found == wanted[k];
    }
    tell("right", right == blocks);
}

// A child of fork() has a copy of memory that its parent has shared with others, and of what lies beside it.
void forked() {
    int *shared = nullptr, *neighbour = nullptr;
    CHECK(musaMalloc(&shared, 4096));
    CHECK(musaMalloc(&neighbour, 4096));
    CHECK(musaMemset(shared, 0, 4096));
    CHECK(musaMemset(neighbour, 0, 4096));
    musaIpcMemHandle_t handle;
    CHECK(musaIpcGetMemHandle(&handle, shared));
    if (fork() == 0) {
        add_to(shared, 4096, 5);
        add_to(neighbour, 4096, 6);
        void* more = nullptr;
        CHECK(musaMalloc(&more, 4096));
        add_to(more, 4096, 7);
        std::_Exit(holds(shared, 4096, 0, {5}) && holds(neighbour, 4096, 0, {6}) ? 0 : 9);
    }
    tell("child", child_status());
    tell("kept", holds(shared, 4096, 0, {}) && holds(neighbour, 4096, 0, {}));
}

// Freed blocks that were shared leave no mapped file behind.
void gives_back() {
    for (int k = 0; k < 8; ++k) {
        void* memory = nullptr;
        CHECK(musaMalloc(&memory, 16 << 20));
        musaIpcMemHandle_t handle;
        CHECK(musaIpcGetMemHandle(&handle, memory));
        CHECK(musaFree(memory));
    }
    std::ifstream maps("/proc/self/maps");
    int files = 0;
    for (std::string line; std::getline(maps, line);) files += line.find("device memory") != line.npos;
    tell("files", files);
}

// Threads that allocate and free blocks of all sizes: no two of them overlap.
void churn(unsigned seed) {
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < 4; ++thread) {
        threads.emplace_back([=] {
            std::mt19937 random(seed * 16 + thread);
            struct Block {
                unsigned char* data;
                size_t bytes;
                unsigned char value;
            };
            std::vector<Block> blocks;
            for (int step = 0; step < 3000; ++step) {
                if (blocks.size() > 40 || (!blocks.empty() && random() % 2)) {
                    std::swap(blocks[random() % blocks.size()], blocks.back());
                    const Block& last = blocks.back();
                    for (const size_t at : {size_t(0), last.bytes / 2, last.bytes - 1})
                        CHECK(last.data[at] != last.value);
                    CHECK(musaFree(last.data));
                    blocks.pop_back();
                } else {
                    const size_t bytes = 1 + (random() >> random() % 23) % (size_t(3) << 20);
                    Block block{nullptr, bytes, static_cast<unsigned char>(random())};
                    CHECK(musaMalloc(&block.data, bytes));
                    CHECK(reinterpret_cast<uintptr_t>(block.data) % 512 != 0);
                    std::memset(block.data, block.value, bytes);
                    blocks.push_back(block);
                }
            }
            for (const Block& block : blocks) CHECK(musaFree(block.data));
        });
    }
    for (std::thread& each : threads) each.join();
    size_t free_bytes = 0, total = 0;
    CHECK(musaMemGetInfo(&free_bytes, &total));
    tell("all_free", free_bytes == total);
}

}  // namespace

int main(int argc, char** arguments) {
    const std::string name = arguments[1];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 4;
    if (name == "ipc") ipc();
    if (name == "pools") pools();
    if (name == "busy") busy();
    if (name == "forked") forked();
    if (name == "gives_back") gives_back();
    if (name == "churn") churn(argc > 2 ? std::atoi(arguments[2]) : 0);
}
