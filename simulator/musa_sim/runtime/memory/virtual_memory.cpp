#include "memory/virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/active_checks.h"
#include "base/devices.h"
#include "base/lifetime.h"
#include "memory/guarded_memory.h"
#include "memory/memory_table.h"
#include "memory/peer_access.h"
#include "memory/stand_ins.h"

namespace musa_sim {
namespace {

bool is_granular(std::size_t number) { return number > 0 && number % virtual_granularity == 0; }

void* at(VirtualMemory::Address address) { return reinterpret_cast<void*>(address); }

// Pages without access.
void* empty_pages(void* where, std::size_t size, int flags) {
    return mmap(where, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

}  // namespace

struct VirtualMemory::Memory {
    int file;
    std::size_t size;
    int device;
    Handle handle = 0;

    Memory(int f, std::size_t s, int d) : file(f), size(s), device(d) {}
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() {
        close(file);
        give_back_memory(DeviceTable::instance()[device], size);
    }

    bool fill_unwritten_pages() const {
        void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (pages == MAP_FAILED) return false;
        fill_unwritten(pages, size);
        munmap(pages, size);
        return true;
    }
};

std::set<int> VirtualMemory::Mapping::users() const {
    std::set<int> devices;
    for (const auto& [device, may] : access) {
        if (may != MemoryAccess::none) devices.insert(device);
    }
    return devices;
}

// All devices use the host's page tables: access of one device is access of all.
int VirtualMemory::Mapping::protection() const {
    int all = PROT_NONE;
    for (const auto& [device, may] : access) {
        if (may != MemoryAccess::none) all |= PROT_READ;
        if (may == MemoryAccess::read_and_write) all |= PROT_WRITE;
    }
    return all;
}

VirtualMemory& VirtualMemory::instance() {
    static VirtualMemory& memory = leaked<VirtualMemory>();
    return memory;
}

musaError_t VirtualMemory::reserve(Address* address, std::size_t size, std::size_t alignment,
                                   Address hint) {
    return device_call([&] {
        if (alignment == 0) alignment = virtual_granularity;
        const bool is_power = (alignment & (alignment - 1)) == 0;
        if (!address || !is_granular(size) || !is_power || size > SIZE_MAX / 4 || alignment > SIZE_MAX / 4)
            return musaErrorInvalidValue;
        alignment = std::max(alignment, virtual_granularity);
        std::lock_guard<std::mutex> lock(mutex_);
        void* pages = MAP_FAILED;
        if (hint != 0 && hint % alignment == 0)
            pages = empty_pages(at(hint), size, MAP_FIXED_NOREPLACE);
        if (pages != MAP_FAILED && pages != at(hint)) {  // kernels before 4.17 take it for a hint
            munmap(pages, size);
            pages = MAP_FAILED;
        }
        if (pages == MAP_FAILED) {
            const std::size_t room = size + alignment;
            void* found = empty_pages(nullptr, room, 0);
            if (found == MAP_FAILED) return musaErrorMemoryAllocation;
            const auto first = reinterpret_cast<Address>(found);
            const Address begin = (first + alignment - 1) / alignment * alignment;
            if (begin > first) munmap(found, begin - first);
            if (begin + size < first + room) munmap(at(begin + size), first + room - begin - size);
            pages = at(begin);
        }
        *address = reinterpret_cast<Address>(pages);
        reservations_[*address].size = size;
        return musaSuccess;
    });
}

musaError_t VirtualMemory::free(Address address, std::size_t size) {
    return device_call([&] {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = reservations_.find(address);
        const bool is_free = found != reservations_.end() && found->second.size == size &&
                             found->second.mappings.empty();
        if (!is_free) return musaErrorInvalidValue;
        munmap(at(address), size);
        reservations_.erase(found);
        return musaSuccess;
    });
}

VirtualMemory::Handle VirtualMemory::add(std::shared_ptr<Memory> memory) {
    memory->handle = ++last_handle_;
    handles_[memory->handle] = {memory, 1};
    return memory->handle;
}

std::shared_ptr<VirtualMemory::Memory> VirtualMemory::find(Handle handle) {
    const auto found = handles_.find(handle);
    return found == handles_.end() ? nullptr : found->second.first;
}

musaError_t VirtualMemory::create(Handle* handle, std::size_t size, int device) {
    return device_call([&] {
        if (!handle || !is_granular(size)) return musaErrorInvalidValue;
        if (!DeviceTable::instance().contains(device)) return musaErrorInvalidDevice;
        Device& owner = DeviceTable::instance()[device];
        if (!take_memory(owner, size)) return musaErrorMemoryAllocation;
        const int file = memfd_create("musa_sim", MFD_CLOEXEC);
        if (file < 0) {
            give_back_memory(owner, size);
            return musaErrorMemoryAllocation;
        }
        const auto memory = std::make_shared<Memory>(file, size, device);
        if (ftruncate(file, static_cast<off_t>(size)) != 0) return musaErrorMemoryAllocation;
        if (is_checking(~0u) && !memory->fill_unwritten_pages()) return musaErrorMemoryAllocation;
        std::lock_guard<std::mutex> lock(mutex_);
        *handle = add(memory);
        return musaSuccess;
    });
}

// It counts as memory of the current device.
musaError_t VirtualMemory::import_file(Handle* handle, int file) {
    return device_call([&] {
        struct stat status{};
        if (!handle || fstat(file, &status) != 0 || !is_granular(static_cast<std::size_t>(status.st_size)))
            return musaErrorInvalidValue;
        const auto size = static_cast<std::size_t>(status.st_size);
        if (!take_memory(current(), size)) return musaErrorMemoryAllocation;
        const int mine = fcntl(file, F_DUPFD_CLOEXEC, 0);
        if (mine < 0) {
            give_back_memory(current(), size);
            return musaErrorOperatingSystem;
        }
        const auto memory = std::make_shared<Memory>(mine, size, current_device());
        std::lock_guard<std::mutex> lock(mutex_);
        *handle = add(memory);
        return musaSuccess;
    });
}

musaError_t VirtualMemory::export_file(Handle handle, int* file) {
    return device_call([&] {
        std::lock_guard<std::mutex> lock(mutex_);
        const std::shared_ptr<Memory> memory = find(handle);
        if (!memory || !file) return musaErrorInvalidValue;
        *file = fcntl(memory->file, F_DUPFD_CLOEXEC, 0);
        return *file >= 0 ? musaSuccess : musaErrorOperatingSystem;
    });
}

musaError_t VirtualMemory::release(Handle handle) {
    return device_call([&] {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = handles_.find(handle);
        if (found == handles_.end()) return musaErrorInvalidValue;
        if (--found->second.second == 0) handles_.erase(found);
        return musaSuccess;
    });
}

musaError_t VirtualMemory::retain(Handle* handle, Address address) {
    return device_call([&] {
        std::lock_guard<std::mutex> lock(mutex_);
        const Mapping* mapping = mapping_at(address);
        if (!handle || !mapping) return musaErrorInvalidValue;
        *handle = mapping->memory->handle;
        auto& known = handles_[*handle];
        known.first = mapping->memory;
        ++known.second;
        return musaSuccess;
    });
}

musaError_t VirtualMemory::device_of(Handle handle, int* device) {
    return device_call([&] {
        std::lock_guard<std::mutex> lock(mutex_);
        const std::shared_ptr<Memory> memory = find(handle);
        if (!memory || !device) return musaErrorInvalidValue;
        *device = memory->device;
        return musaSuccess;
    });
}

VirtualMemory::Reservation* VirtualMemory::reservation_at(Address address, std::size_t size) {
    const auto after = reservations_.upper_bound(address);
    if (after == reservations_.begin()) return nullptr;
    auto& [begin, reservation] = *std::prev(after);
    const std::size_t offset = address - begin;
    const bool inside = offset < reservation.size && size <= reservation.size - offset;
    return inside ? &reservation : nullptr;
}

VirtualMemory::Mapping* VirtualMemory::mapping_at(Address address) {
    Reservation* reservation = reservation_at(address, 1);
    if (!reservation) return nullptr;
    const auto after = reservation->mappings.upper_bound(address);
    if (after == reservation->mappings.begin()) return nullptr;
    auto& [begin, mapping] = *std::prev(after);
    return address - begin < mapping.size ? &mapping : nullptr;
}

std::vector<VirtualMemory::Mappings::iterator> VirtualMemory::mappings_in(Reservation& reservation,
                                                                          Address address,
                                                                          std::size_t size) {
    std::vector<Mappings::iterator> found;
    const Address end = address + size;
    for (auto next = reservation.mappings.find(address);
         next != reservation.mappings.end() && next->first == address && address < end; ++next) {
        found.push_back(next);
        address += next->second.size;
    }
    if (address != end) found.clear();
    return found;
}

musaError_t VirtualMemory::map(Address address, std::size_t size, Handle handle) {
    return device_call([&] {
        std::lock_guard<std::mutex> lock(mutex_);
        Reservation* reservation = reservation_at(address, size);
        const std::shared_ptr<Memory> memory = find(handle);
        if (!reservation || !memory || address % virtual_granularity != 0 || !is_granular(size) ||
            size > memory->size)
            return musaErrorInvalidValue;
        const auto next = reservation->mappings.lower_bound(address);
        const bool is_taken =
            mapping_at(address) ||
            (next != reservation->mappings.end() && next->first < address + size);
        if (is_taken) return musaErrorInvalidValue;
        void* pages = mmap(at(address), size, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->file, 0);
        if (pages == MAP_FAILED) return musaErrorMemoryAllocation;
        reservation->mappings[address] = {size, memory, {}};
        return musaSuccess;
    });
}

musaError_t VirtualMemory::unmap(Address address, std::size_t size) {
    return device_call([&] {
        std::lock_guard<std::mutex> lock(mutex_);
        Reservation* reservation = reservation_at(address, size);
        if (!reservation) return musaErrorInvalidValue;
        const auto whole = mappings_in(*reservation, address, size);
        if (whole.empty()) return musaErrorInvalidValue;
        if (empty_pages(at(address), size, MAP_FIXED) == MAP_FAILED) return musaErrorMemoryAllocation;
        for (const auto& mapping : whole) reservation->mappings.erase(mapping);
        publish(*reservation);
        return musaSuccess;
    });
}

musaError_t VirtualMemory::set_access(Address address, std::size_t size, int device,
                                      MemoryAccess access) {
    return device_call([&] {
        if (!DeviceTable::instance().contains(device)) return musaErrorInvalidDevice;
        std::lock_guard<std::mutex> lock(mutex_);
        Reservation* reservation = reservation_at(address, size);
        if (!reservation) return musaErrorInvalidValue;
        const auto whole = mappings_in(*reservation, address, size);
        if (whole.empty()) return musaErrorInvalidValue;
        for (const auto& found : whole) {
            Mapping& mapping = found->second;
            mapping.access[device] = access;
            if (mprotect(at(found->first), mapping.size, mapping.protection()) != 0)
                return musaErrorMemoryAllocation;
        }
        publish(*reservation);
        return musaSuccess;
    });
}

musaError_t VirtualMemory::get_access(Address address, int device, MemoryAccess* access) {
    return device_call([&] {
        std::lock_guard<std::mutex> lock(mutex_);
        const Mapping* mapping = mapping_at(address);
        if (!access || !mapping) return musaErrorInvalidValue;
        const auto found = mapping->access.find(device);
        *access = found == mapping->access.end() ? MemoryAccess::none : found->second;
        return musaSuccess;
    });
}

// The allocations of the MemoryTable are made anew: longest runs of mappings with the same owner and users.
void VirtualMemory::publish(Reservation& reservation) {
    MemoryTable& table = MemoryTable::instance();
    for (const Address begin : reservation.allocations) {
        table.remove(at(begin), MemoryKind::mapped);
        StandIns::instance().remove(begin);
    }
    reservation.allocations.clear();
    const Mappings& mappings = reservation.mappings;
    for (auto next = mappings.begin(); next != mappings.end();) {
        const auto first = next;
        const std::set<int> users = first->second.users();
        Address end = first->first;
        while (next != mappings.end() && next->first == end && next->second.users() == users &&
               next->second.memory->device == first->second.memory->device) {
            end += next->second.size;
            ++next;
        }
        if (users.empty()) continue;
        table.add(at(first->first), {end - first->first, MemoryKind::mapped,
                                     first->second.memory->device, access_number(users)});
        reservation.allocations.push_back(first->first);
    }
}

unsigned VirtualMemory::access_number(const std::set<int>& users) {
    unsigned& number = access_numbers_[users];
    if (number == 0) {
        number = first_number_of_mapped_memory + static_cast<unsigned>(access_numbers_.size());
        for (const int device : users) PeerAccess::instance().set_pool_access(number, device, true);
    }
    return number;
}

std::string VirtualMemory::describe(const void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto address = reinterpret_cast<Address>(pointer);
    const Reservation* reservation = reservation_at(address, 1);
    if (!reservation) return "";
    const Mapping* mapping = mapping_at(address);
    const char* what = !mapping                   ? "nothing is mapped"
                       : mapping->users().empty() ? "muMemSetAccess gave no device access"
                                                  : "memory is mapped";
    const Address begin = std::prev(reservations_.upper_bound(address))->first;
    return "    the address is at byte " + std::to_string(address - begin) + " of " +
           std::to_string(reservation->size) + " reserved bytes, where " + what + "\n";
}

}  // namespace musa_sim
