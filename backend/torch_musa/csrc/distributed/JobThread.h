#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace c10d::mccl {

/// The end of a job, which any thread can wait for.
class Completion {
 public:
  /// Remembers how the job ended, without waking a thread.
  void set_error(std::exception_ptr error);
  /// The job is over, and what it held is let go.
  void signal();

  bool done() const;
  std::exception_ptr error() const;
  /// False if the job was not over after `timeout`; zero is for ever.
  bool wait(std::chrono::milliseconds timeout) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr error_;
};

/// Does jobs one after another, in a thread of its own that starts with the first of them.
class JobThread {
 public:
  struct Job {
    /// Does the job or, given an error, only takes note that it will not be done. Must not throw.
    std::function<void(std::exception_ptr given_up)> task;
    /// Signalled when `task` is destroyed: who waits may go on, and even end the process, with no tensor left behind.
    std::shared_ptr<Completion> completion;
  };

  JobThread();
  /// As close(). Does not wait for the job that is being done.
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  /// A job that is added in this thread, by a callback of the previous job, runs at once: that job waits for it.
  void add(Job job);
  bool is_this_thread() const;
  /// Waits until all jobs are done.
  void drain();
  /// Gives up the jobs that were not begun, and those added later, with this error.
  void close(std::exception_ptr reason);

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Job> jobs;
    bool busy = false;
    std::exception_ptr closed; // why; null while open
    std::thread::id thread;
  };

  static void work_off(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_; // the thread's too: it may outlive this object
  std::thread thread_;
};

} // namespace c10d::mccl
