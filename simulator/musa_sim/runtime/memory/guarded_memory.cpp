#include "memory/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

#include "base/active_checks.h"
#include "base/findings.h"
#include "base/host_memory.h"
#include "base/lifetime.h"

namespace musa_sim {
namespace {

constexpr std::size_t most_freed_blocks = 8192;
constexpr std::size_t most_freed_bytes = std::size_t{64} << 30;  // of addresses, not of memory
constexpr std::size_t near = 1 << 20;


// Words with the pattern that a kernel wrote, or wrote a part of. They are few: one float16 of 65536
// where the one beside it is unwritten, and words that are the pattern by chance.
class WrittenPatterns {
public:
    static WrittenPatterns& instance() {
        static WrittenPatterns& patterns = leaked<WrittenPatterns>();
        return patterns;
    }
    void add(std::uintptr_t word) {
        std::lock_guard<std::mutex> lock(mutex_);
        words_.insert(word);
        is_empty_ = false;
    }
    bool has(std::uintptr_t word) {
        if (is_empty_) return false;
        std::lock_guard<std::mutex> lock(mutex_);
        return words_.count(word) != 0;
    }
    void forget(std::uintptr_t begin, std::uintptr_t end) {
        if (is_empty_) return;
        std::lock_guard<std::mutex> lock(mutex_);
        words_.erase(words_.lower_bound(begin & ~std::uintptr_t{3}), words_.lower_bound(end));
        is_empty_ = words_.empty();
    }

private:
    std::mutex mutex_;
    std::set<std::uintptr_t> words_;
    std::atomic<bool> is_empty_{true};
};

bool has_pattern(std::uintptr_t word) {
    return *reinterpret_cast<const volatile std::uint32_t*>(word) == unwritten_word;
}

std::string bytes(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

}  // namespace

void fill_unwritten(void* memory, std::size_t size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    WrittenPatterns::instance().forget(begin, begin + size);
    auto* at = static_cast<char*>(memory);
    const char* pattern = reinterpret_cast<const char*>(&unwritten_word);
    std::size_t i = 0;
    for (; i < size && (begin + i) % 4 != 0; ++i) at[i] = pattern[(begin + i) % 4];
    for (; i + 4 <= size; i += 4) std::memcpy(at + i, &unwritten_word, 4);
    for (; i < size; ++i) at[i] = pattern[(begin + i) % 4];
}

bool is_unwritten(const void* memory, std::size_t size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    for (std::uintptr_t word = begin & ~std::uintptr_t{3}; word < begin + size; word += 4) {
        if (!has_pattern(word) || WrittenPatterns::instance().has(word)) return false;
    }
    return true;
}

void note_written(const void* memory, std::size_t size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    for (std::uintptr_t word = begin & ~std::uintptr_t{3}; word < begin + size; word += 4) {
        if (has_pattern(word)) WrittenPatterns::instance().add(word);
    }
}

GuardedMemory& GuardedMemory::instance() {
    static GuardedMemory& memory = leaked<GuardedMemory>();
    return memory;
}

GuardedMemory::GuardedMemory() {
    Findings::instance().set_leak_report([] { instance().report_leaks(); });
}

void* GuardedMemory::allocate(std::size_t size, const char* what) {
    if (is_checking(check_leaks)) watch_exit();
    const std::size_t inside = rounded(size, page_size);
    const std::size_t total = inside + 2 * page_size;
    void* mapping =
        mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    auto* pages = static_cast<char*>(mapping);
    if (mprotect(pages + page_size, inside, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping, total);
        return nullptr;
    }
    const std::size_t offset = inside - rounded(size, guarded_alignment);
    char* memory = pages + page_size + offset;
    fill_unwritten(pages + page_size, offset);
    fill_unwritten(memory + size, inside - offset - size);
    if (is_checking(check_init)) fill_unwritten(memory, size);

    std::lock_guard<std::mutex> lock(mutex_);
    if (is_checking(check_host) && workers_ == 0 && std::strcmp(what, "device memory") == 0) {
        mprotect(pages + page_size, inside, PROT_NONE);
    }
    blocks_[reinterpret_cast<std::uintptr_t>(memory)] =
        Block{pages, total, size, what, false, CallStack::here(), CallStack()};
    return memory;
}

void GuardedMemory::expect_release(void* memory) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(memory));
    if (found != blocks_.end() && !found->second.freed) found->second.freed_by = CallStack::here();
}

bool GuardedMemory::release(void* memory) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(memory));
    if (found == blocks_.end() || found->second.freed) return false;
    Block& block = found->second;
    mprotect(block.pages + page_size, block.page_bytes - 2 * page_size, PROT_READ | PROT_WRITE);
    check_surroundings(found->first, block);
    if (block.file >= 0) {  // pages of a file keep their memory until they are replaced
        ::close(block.file);
        mmap(block.pages, block.page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    } else {
        madvise(block.pages, block.page_bytes, MADV_DONTNEED);
        mprotect(block.pages, block.page_bytes, PROT_NONE);
    }
    block.freed = true;
    if (block.freed_by.empty()) block.freed_by = CallStack::here();
    freed_.push_back(found->first);
    freed_bytes_ += block.page_bytes;
    while (freed_.size() > most_freed_blocks || freed_bytes_ > most_freed_bytes)
        drop_oldest_freed();
    return true;
}

FilePages GuardedMemory::share(const void* memory) {
    std::lock_guard<std::mutex> lock(mutex_);
    Block& block = blocks_.at(reinterpret_cast<std::uintptr_t>(memory));
    const Pages pages{reinterpret_cast<std::uintptr_t>(block.pages) + page_size, block.page_bytes - 2 * page_size};
    if (block.file < 0) block.file = move_into_file(pages);
    return {pages, block.file};
}

void GuardedMemory::drop_oldest_freed() {
    auto oldest = blocks_.find(freed_.front());
    freed_.pop_front();
    freed_bytes_ -= oldest->second.page_bytes;
    munmap(oldest->second.pages, oldest->second.page_bytes);
    blocks_.erase(oldest);
}

// Code that is not instrumented may have written beside the allocation without leaving its pages.
void GuardedMemory::check_surroundings(std::uintptr_t begin, const Block& block) {
    if (!is_checking(check_memory)) return;
    const char* first = block.pages + page_size;
    const char* last = block.pages + block.page_bytes - page_size;
    const char* memory = reinterpret_cast<const char*>(begin);
    const char* pattern = reinterpret_cast<const char*>(&unwritten_word);
    for (const char* at = first; at < last; ++at) {
        if (at == memory) at += block.size;
        if (at >= last || *at == pattern[reinterpret_cast<std::uintptr_t>(at) % 4]) continue;
        const std::string where =
            at < memory
                ? bytes(static_cast<std::size_t>(memory - at)) + " before the start"
                : bytes(static_cast<std::size_t>(at - memory) - block.size) + " after the end";
        const std::string allocated = block.allocated_by.text();
        if (!Findings::instance().add("memory", allocated)) return;
        Findings::instance().report(
            "memory: something was written " + where + " of " + bytes(block.size) + " of " +
                block.what + "; seen when it was freed",
            "    allocated by " + allocated + "\n    freed by " + CallStack::here().text() + "\n");
        return;
    }
}

GuardedMemory::Blocks::iterator GuardedMemory::nearest(std::uintptr_t address) {
    auto after = blocks_.upper_bound(address);
    auto before = after == blocks_.begin() ? blocks_.end() : std::prev(after);
    if (before == blocks_.end()) return after;
    const std::uintptr_t end = before->first + before->second.size;
    if (address < end || after == blocks_.end()) return before;
    return address - end <= after->first - address ? before : after;
}

std::string GuardedMemory::describe(const void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto found = nearest(address);
    if (found == blocks_.end()) return "";
    const Block& block = found->second;
    const std::uintptr_t begin = found->first;
    const std::uintptr_t end = begin + block.size;
    std::string where;
    if (address < begin) {
        if (begin - address > near) return "";
        where = bytes(begin - address) + " before the start of ";
    } else if (address >= end) {
        if (address - end > near) return "";
        where =
            address == end ? "just after the end of " : bytes(address - end) + " after the end of ";
    } else {
        where = "at byte " + std::to_string(address - begin) + " of ";
    }
    std::string text = "    the address is " + where + bytes(block.size) + " of " +
                       (block.freed ? "freed " : "") + block.what + "\n    allocated by " +
                       block.allocated_by.text() + "\n";
    if (block.freed) text += "    freed by " + block.freed_by.text() + "\n";
    return text;
}

bool GuardedMemory::is_freed(const void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto found = nearest(address);
    return found != blocks_.end() && found->second.freed && address >= found->first &&
           address < found->first + found->second.size;
}

bool GuardedMemory::is_forbidden(const void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto found = nearest(address);
    if (found == blocks_.end()) return false;
    const auto first = reinterpret_cast<std::uintptr_t>(found->second.pages);
    return address >= first && address < first + found->second.page_bytes;
}

void GuardedMemory::protect_all(int protection) {
    for (const auto& [begin, block] : blocks_) {
        if (block.freed || std::strcmp(block.what, "device memory") != 0) continue;
        mprotect(block.pages + page_size, block.page_bytes - 2 * page_size, protection);
    }
}

void GuardedMemory::open() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (workers_++ == 0) protect_all(PROT_READ | PROT_WRITE);
}

void GuardedMemory::close() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--workers_ == 0) protect_all(PROT_NONE);
}

void GuardedMemory::report_leaks() {
    if (!has_leaks_) return;
    struct Leak {
        std::size_t count = 0;
        std::size_t bytes = 0;
        const char* what = "";
        CallStack stack;
    };
    std::vector<Leak> leaks;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        std::map<CallStack, Leak> by_stack;
        for (const auto& [begin, block] : blocks_) {
            if (block.freed) continue;
            Leak& leak = by_stack[block.allocated_by];
            leak = {leak.count + 1, leak.bytes + block.size, block.what, block.allocated_by};
        }
        for (const auto& [stack, leak] : by_stack) leaks.push_back(leak);
    }
    for (const Leak& leak : leaks) {
        const std::string allocated = leak.stack.text();
        Findings::instance().add("leak", allocated);
        Findings::instance().report("leak: " + bytes(leak.bytes) + " of " + leak.what + " in " +
                                      std::to_string(leak.count) + " allocation" +
                                      (leak.count == 1 ? "" : "s") + " were never freed",
                                  "    allocated by " + allocated + "\n");
    }
}

void GuardedMemory::keep_private() {
    for (auto& [begin, block] : blocks_) {
        if (block.file < 0 || block.freed) continue;
        map_privately({reinterpret_cast<std::uintptr_t>(block.pages) + page_size, block.page_bytes - 2 * page_size}, block.file);
        block.file = -1;
    }
}

std::shared_mutex& device_work() {
    static std::shared_mutex& works = leaked<std::shared_mutex>();
    return works;
}

template <class Lock>
DeviceAccess<Lock>::DeviceAccess() : works_(device_work()), counted_(is_checking(check_host)) {
    if (counted_) GuardedMemory::instance().open();
}

template <class Lock>
DeviceAccess<Lock>::~DeviceAccess() {
    if (counted_) GuardedMemory::instance().close();
}

template class DeviceAccess<std::shared_lock<std::shared_mutex>>;
template class DeviceAccess<std::unique_lock<std::shared_mutex>>;

}  // namespace musa_sim
