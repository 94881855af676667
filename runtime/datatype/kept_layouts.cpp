// SPDX-License-Identifier: Apache-2.0
#include "datatype/kept_layouts.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace trunkline::runtime {
namespace {

using Number = std::intptr_t;

/// Layouts by number. The number is what an attribute of the datatype says: a pointer there could be stale before it is
/// used, where another thread meets the same datatype, and a lock around both would be taken in one order here and in
/// the other one by a library that holds its own lock while it calls us. So no MPI function is called under the lock.
class KeptLayouts {
 public:
  /// Null where it is gone.
  std::shared_ptr<const Layout> find(Number number) {
    const std::scoped_lock lock(mutex_);
    const auto found = layouts_.find(number);
    return found == layouts_.end() ? nullptr : found->second;
  }

  /// The number by which it is found; 0 where nothing is kept any more.
  Number keep(const std::shared_ptr<const Layout>& layout) {
    const std::scoped_lock lock(mutex_);
    if (stopped_) return 0;
    layouts_.emplace(++last_, layout);
    return last_;
  }

  void drop(Number number) {
    const std::scoped_lock lock(mutex_);
    layouts_.erase(number);
  }

  void stop() {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    layouts_.clear();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Number, std::shared_ptr<const Layout>> layouts_;
  Number last_ = 0;
  bool stopped_ = false;
};

/// Never destroyed: programs may call MPI_Finalize while static objects are.
KeptLayouts& all_kept_layouts() {
  static auto* const instance = new KeptLayouts;
  return *instance;
}

void* as_value(Number number) {
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr): what an attribute can hold
}

/// Called where the datatype is freed, and where another number takes the place of this one.
int drop(MPI_Datatype, int, void* number, void*) {
  all_kept_layouts().drop(reinterpret_cast<Number>(number));
  return MPI_SUCCESS;
}

int stop(MPI_Comm, int, void*, void*) {
  all_kept_layouts().stop();
  return MPI_SUCCESS;
}

/// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF. Callbacks of the application's there may still
/// broadcast: nothing is kept then.
void stop_at_finalize() {
  int key = MPI_KEYVAL_INVALID;
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop, &key, nullptr));
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr));
  check(PMPI_Comm_free_keyval(&key));  // once the attribute is gone
}

/// Duplicates of a datatype do not get the attribute: each is read once itself.
int layout_keyval() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check(PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, drop, &made, nullptr));
    stop_at_finalize();
    return made;
  }();
  return key;
}

/// Layouts of MPI's own datatypes, which are never freed: those that were asked for, in a list that only grows.
class NamedLayouts {
 public:
  /// Null where it was not asked for.
  [[nodiscard]] std::shared_ptr<const Layout> find(MPI_Datatype type) const {
    for (const Named* one = first_.load(std::memory_order_acquire); one != nullptr; one = one->next) {
      if (one->type == type) return one->layout;
    }
    return nullptr;
  }

  /// Threads may keep one twice, which does no harm.
  void keep(MPI_Datatype type, const std::shared_ptr<const Layout>& layout) {
    auto* const made = new Named{.type = type, .layout = layout, .next = first_.load(std::memory_order_relaxed)};
    while (!first_.compare_exchange_weak(made->next, made, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

 private:
  struct Named {
    MPI_Datatype type;
    std::shared_ptr<const Layout> layout;
    const Named* next;
  };
  std::atomic<const Named*> first_ = nullptr;
};

/// Never destroyed, as all_kept_layouts().
constinit NamedLayouts named_layouts;

}  // namespace

std::shared_ptr<const Layout> layout_of(MPI_Datatype type) {
  if (auto layout = named_layouts.find(type)) return layout;
  if (is_named(type)) {
    auto layout = std::make_shared<const Layout>(type);
    named_layouts.keep(type, layout);
    return layout;
  }
  void* number = nullptr;
  int found = 0;
  check(PMPI_Type_get_attr(type, layout_keyval(), static_cast<void*>(&number), &found));
  if (found != 0) {
    if (auto layout = all_kept_layouts().find(reinterpret_cast<Number>(number))) return layout;
  }
  auto layout = std::make_shared<const Layout>(type);
  // One that refers to datatypes would keep them from being freed.
  if (layout->has_opaque_parts()) return layout;
  const Number own = all_kept_layouts().keep(layout);
  if (own == 0) return layout;
  const int code = PMPI_Type_set_attr(type, layout_keyval(), as_value(own));
  if (code != MPI_SUCCESS) all_kept_layouts().drop(own);
  check(code);
  return layout;
}

}  // namespace trunkline::runtime
