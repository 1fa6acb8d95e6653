#include "streams/kernel_work.h"

#include <cstdio>
#include <string>

#include "base/active_checks.h"
#include "base/devices.h"
#include "blocks/worker_pool.h"
#include "checks/block_checks.h"

namespace musa_sim {
namespace {

bool is_node_attribute(musaLaunchAttributeID id) {
    return id == musaLaunchAttributeAccessPolicyWindow || id == musaLaunchAttributeCooperative ||
           id == musaLaunchAttributePriority;
}

}  // namespace

KernelWork::KernelWork(int device, const char* name, const KernelCode& code,
                       const LaunchShape& shape) {
    launch_.device = device;
    launch_.kernel_name = name;
    launch_.entry = code.entry;
    launch_.loop = code.loop;
    launch_.grid = shape.grid;
    launch_.block = shape.block;
    launch_.dynamic_shared = shape.dynamic_shared;
    launch_.cooperative = shape.cooperative;
    launch_.shared_variables = code.shared_variables;
    launch_.argument_sizes = code.argument_sizes;
    launch_.make_observer = BlockChecks::make;
}

void KernelWork::note(const Target& target, const KernelCode& code) {
    activity_ = ActivityOfWork(
        musa_sim_activity_kernel, target, [this] { return std::string(launch_.kernel_name); },
        [&](musa_sim_activity& facts) {
            const auto put = [](const dim3& size, unsigned(&into)[3]) {
                into[0] = size.x, into[1] = size.y, into[2] = size.z;
            };
            put(launch_.grid, facts.grid);
            put(launch_.block, facts.block);
            facts.static_shared = code.static_shared;
            facts.dynamic_shared = launch_.dynamic_shared;
        });
}

void KernelWork::use(void** arguments) {
    launch_.arguments = arguments;
    if (hides_foreign_memory()) copy(arguments);
}

void KernelWork::copy(void** arguments) {
    arguments_.emplace(launch_.argument_sizes, arguments);
    launch_.arguments = arguments_->pointers();
    if (hides_foreign_memory())
        arguments_->hide_foreign_memory(launch_.device, launch_.argument_sizes);
}

void KernelWork::run() {
    if (device_failed(launch_.device)) return;
    activity_.run([this] { WorkerPool::instance().run(launch_); });
    if (launch_.failed()) fail_device(launch_.device, launch_.error);
}

// Checked code is looked at access by access.
bool KernelWork::hides_foreign_memory() const {
    const bool checked = launch_.shared_variables && is_checking(check_memory);
    return DeviceTable::instance().count() > 1 && launch_.argument_sizes && !checked;
}

KernelNode::KernelNode(const void* func, const Kernel& kernel, const KernelCode& code,
                       const LaunchShape& shape, void** arguments)
    : func_(func),
      name_(kernel.readable_name),
      code_(code),
      shape_(shape),
      arguments_(code.argument_sizes, arguments) {}

std::unique_ptr<Work> KernelNode::make(const Target& target) const {
    auto work = std::make_unique<KernelWork>(target.device, name_, code_, shape_);
    if (Activities::recording()) work->note(target, code_);
    work->copy(arguments_.pointers());
    return work;
}

musaKernelNodeParams KernelNode::parameters() const {
    given_pointers_.assign(arguments_.pointers(), arguments_.pointers() + code_.argument_sizes[0]);
    musaKernelNodeParams found{};
    found.func = const_cast<void*>(func_);
    found.gridDim = shape_.grid;
    found.blockDim = shape_.block;
    found.sharedMemBytes = static_cast<unsigned>(shape_.dynamic_shared);
    found.kernelParams = given_pointers_.data();
    return found;
}

KernelNode::KernelNode(const KernelNode& other)
    : func_(other.func_),
      name_(other.name_),
      code_(other.code_),
      shape_(other.shape_),
      arguments_(code_.argument_sizes, other.arguments_.pointers()),
      hints_(other.hints_) {}

musaError_t KernelNode::attribute(musaLaunchAttributeID id, musaLaunchAttributeValue* value) const {
    if (!is_node_attribute(id)) return musaErrorInvalidValue;
    const auto hint = hints_.find(id);
    *value = hint == hints_.end() ? musaLaunchAttributeValue{} : hint->second;
    if (id == musaLaunchAttributeCooperative) value->cooperative = shape_.cooperative;
    return musaSuccess;
}

std::shared_ptr<const KernelNode> KernelNode::with(musaLaunchAttributeID id,
                                                   const musaLaunchAttributeValue& value) const {
    if (!is_node_attribute(id)) return nullptr;
    const std::shared_ptr<KernelNode> made(new KernelNode(*this));
    if (id == musaLaunchAttributeCooperative) {
        made->shape_.cooperative = value.cooperative != 0;
    } else {
        made->hints_[id] = value;
    }
    return made;
}

std::shared_ptr<const KernelNode> KernelNode::with_attributes_of(const KernelNode& other) const {
    const std::shared_ptr<KernelNode> made(new KernelNode(*this));
    made->shape_.cooperative = other.shape_.cooperative;
    made->hints_ = other.hints_;
    return made;
}

bool can_be_node(const Kernel& kernel, const KernelCode& code) {
    if (code.can_copy_arguments) return true;
    std::fprintf(stderr,
                 "[musa-sim] kernel %s cannot be captured: a parameter is a class whose size or "
                 "copy mcc cannot tell\n",
                 kernel.readable_name);
    return false;
}

}  // namespace musa_sim
