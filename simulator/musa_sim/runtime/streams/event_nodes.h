// Nodes that record events, and that wait for them: for the last recording at the time of the launch.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "streams/events.h"

namespace musa_sim {

class EventNode : public NodeWork {
public:
    explicit EventNode(std::shared_ptr<MUevent_st> event) : event_(std::move(event)) {}
    MUevent_st& event() const { return *event_; }

private:
    std::shared_ptr<MUevent_st> event_;
};

class EventRecordNode final : public EventNode {
public:
    using EventNode::EventNode;
    Ticket submit(const Target& target, std::vector<Ticket> after) const override;
};

class EventWaitNode final : public EventNode {
public:
    using EventNode::EventNode;
    Ticket submit(const Target& target, std::vector<Ticket> after) const override;
};

}  // namespace musa_sim
