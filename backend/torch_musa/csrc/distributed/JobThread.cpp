#include "torch_musa/csrc/distributed/JobThread.h"

#include <pthread.h>

#include <stdexcept>
#include <utility>

namespace c10d::mccl {

namespace {

void finish(JobThread::Job job, const std::exception_ptr& given_up) {
  job.task(given_up);
  job.task = nullptr;
  job.completion->signal();
}

} // namespace

void Completion::set_error(std::exception_ptr error) {
  std::lock_guard<std::mutex> lock(mutex_);
  error_ = std::move(error);
}

void Completion::signal() {
  std::lock_guard<std::mutex> lock(mutex_);
  done_ = true;
  changed_.notify_all();
}

bool Completion::done() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return done_;
}

std::exception_ptr Completion::error() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return done_ ? error_ : nullptr;
}

bool Completion::wait(std::chrono::milliseconds timeout) const {
  std::unique_lock<std::mutex> lock(mutex_);
  if (timeout <= std::chrono::milliseconds::zero()) {
    changed_.wait(lock, [&] { return done_; });
    return true;
  }
  return changed_.wait_for(lock, timeout, [&] { return done_; });
}

JobThread::JobThread() : state_(std::make_shared<State>()) {}

JobThread::~JobThread() {
  close(std::make_exception_ptr(std::runtime_error("mccl: the process group was destroyed")));
  if (!thread_.joinable()) {
    return;
  }
  std::unique_lock<std::mutex> lock(state_->mutex);
  const bool busy = state_->busy;
  lock.unlock();
  if (busy || is_this_thread()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void JobThread::add(Job job) {
  if (is_this_thread()) {
    finish(std::move(job), nullptr);
    return;
  }
  std::unique_lock<std::mutex> lock(state_->mutex);
  if (state_->closed) {
    lock.unlock();
    finish(std::move(job), state_->closed);
    return;
  }
  state_->jobs.push_back(std::move(job));
  if (!thread_.joinable()) {
    thread_ = std::thread(&JobThread::work_off, state_);
    state_->thread = thread_.get_id();
  }
  state_->changed.notify_all();
}

bool JobThread::is_this_thread() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->thread == std::this_thread::get_id();
}

void JobThread::drain() {
  std::unique_lock<std::mutex> lock(state_->mutex);
  if (state_->thread == std::this_thread::get_id()) {
    return;
  }
  state_->changed.wait(lock, [&] { return state_->jobs.empty() && !state_->busy; });
}

void JobThread::close(std::exception_ptr reason) {
  std::unique_lock<std::mutex> lock(state_->mutex);
  if (!state_->closed) {
    state_->closed = std::move(reason);
  }
  std::deque<Job> given_up = std::exchange(state_->jobs, {});
  state_->changed.notify_all();
  lock.unlock();
  for (Job& job : given_up) {
    finish(std::move(job), state_->closed);
  }
}

void JobThread::work_off(const std::shared_ptr<State>& state) {
  pthread_setname_np(pthread_self(), "mccl");
  std::unique_lock<std::mutex> lock(state->mutex);
  while (true) {
    state->changed.wait(lock, [&] { return !state->jobs.empty() || state->closed; });
    if (state->jobs.empty()) {
      return;
    }
    Job job = std::move(state->jobs.front());
    state->jobs.pop_front();
    state->busy = true;
    lock.unlock();
    finish(std::move(job), nullptr);
    lock.lock();
    state->busy = false;
    state->changed.notify_all();
  }
}

} // namespace c10d::mccl
