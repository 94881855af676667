// SPDX-License-Identifier: Apache-2.0
#include "intercept/operations.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "datatype/operands.hpp"
#include "datatype/predefined.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "reserve.hpp"

namespace trunkline::runtime {
namespace {

// MPI 4.1, section 6.9.2: groups of types, and the operations that each of them is for.

bool is_one_of(MPI_Datatype type, std::span<const MPI_Datatype> types) {
  return type != MPI_DATATYPE_NULL && std::ranges::find(types, type) != types.end();
}

bool is_c_integer(MPI_Datatype type) {
  const MPI_Datatype all[] = {MPI_INT,         MPI_LONG,          MPI_SHORT,         MPI_UNSIGNED_SHORT,
                              MPI_UNSIGNED,    MPI_UNSIGNED_LONG, MPI_LONG_LONG_INT, MPI_UNSIGNED_LONG_LONG,
                              MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T,        MPI_INT16_T,
                              MPI_INT32_T,     MPI_INT64_T,       MPI_UINT8_T,       MPI_UINT16_T,
                              MPI_UINT32_T,    MPI_UINT64_T};
  return is_one_of(type, all);
}

/// Fortran's, and those of several languages.
bool is_other_integer(MPI_Datatype type) {
  const MPI_Datatype all[] = {MPI_INTEGER,  MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4,
                              MPI_INTEGER8, MPI_AINT,     MPI_OFFSET,   MPI_COUNT};
  return is_one_of(type, all);
}

bool is_floating(MPI_Datatype type) {
  const MPI_Datatype all[] = {MPI_DOUBLE,           MPI_FLOAT, MPI_LONG_DOUBLE, MPI_REAL,
                              MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8};
  return is_one_of(type, all);
}

bool is_logical(MPI_Datatype type) {
  const MPI_Datatype all[] = {MPI_LOGICAL, MPI_C_BOOL};
  return is_one_of(type, all);
}

bool is_complex(MPI_Datatype type) {
  const MPI_Datatype all[] = {MPI_COMPLEX,          MPI_DOUBLE_COMPLEX,        MPI_C_FLOAT_COMPLEX,
                              MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX8,
                              MPI_COMPLEX16};
  return is_one_of(type, all);
}

bool is_pair(MPI_Datatype type) {
  const MPI_Datatype all[] = {MPI_FLOAT_INT,       MPI_DOUBLE_INT, MPI_LONG_INT,          MPI_2INT,    MPI_SHORT_INT,
                              MPI_LONG_DOUBLE_INT, MPI_2REAL,      MPI_2DOUBLE_PRECISION, MPI_2INTEGER};
  return is_one_of(type, all);
}

/// Empty: none of MPI's own.
std::optional<bool> is_defined(MPI_Op operation, MPI_Datatype type) {
  const bool is_integer = is_c_integer(type) || is_other_integer(type);
  if (operation == MPI_SUM || operation == MPI_PROD) return is_integer || is_floating(type) || is_complex(type);
  if (operation == MPI_MAX || operation == MPI_MIN) return is_integer || is_floating(type);
  if (operation == MPI_LAND || operation == MPI_LOR || operation == MPI_LXOR) {
    return is_c_integer(type) || is_logical(type);
  }
  if (operation == MPI_BAND || operation == MPI_BOR || operation == MPI_BXOR) return is_integer || type == MPI_BYTE;
  if (operation == MPI_MAXLOC || operation == MPI_MINLOC) return is_pair(type);
  return {};
}

/// The program's operations: asking MPI about a handle that is none would end the program.
class Made {
 public:
  void add(MPI_Op operation) {
    const std::scoped_lock lock(mutex_);
    made_[operation] = {};
  }
  [[nodiscard]] bool has(MPI_Op operation) {
    const std::scoped_lock lock(mutex_);
    return made_.contains(operation);
  }
  void hold(MPI_Op operation) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = made_.find(operation); found != made_.end()) ++found->second.holders;
  }
  /// Whether it is to be freed now.
  [[nodiscard]] bool let_go(MPI_Op operation) {
    const std::scoped_lock lock(mutex_);
    const auto found = made_.find(operation);
    if (found == made_.end() || --found->second.holders > 0 || !found->second.is_freed) return false;
    made_.erase(found);
    return true;
  }
  /// The program frees it; false: it is not to be freed yet.
  [[nodiscard]] bool remove(MPI_Op operation) {
    const std::scoped_lock lock(mutex_);
    const auto found = made_.find(operation);
    if (found == made_.end()) return true;
    found->second.is_freed = true;
    if (found->second.holders > 0) return false;
    made_.erase(found);
    return true;
  }

 private:
  struct Use {
    int holders = 0;  ///< calls that do not block, and are not over
    bool is_freed = false;
  };
  std::mutex mutex_;
  std::map<MPI_Op, Use> made_;
};

/// Never destroyed: programs may free operations while static objects are.
Made& made() {
  static auto* const instance = with_reserve([] { return new Made; });
  return *instance;
}

}  // namespace

const char* reason_for_mpi(MPI_Op operation, MPI_Datatype type) {
  if (const auto defined = is_defined(operation, type)) {
    return *defined ? nullptr : "the operation is not defined for this datatype, which MPI itself has to judge";
  }
  if (!made().has(operation)) return "an operation that only MPI itself knows";
  MPI_Count bytes = 0;
  const bool is_short = PMPI_Type_size_x(type, &bytes) == MPI_SUCCESS && bytes <= MPI_Count{Operands::longest_element};
  return is_short ? nullptr : "elements longer than 64 MiB";
}

std::optional<Extreme> extreme_of(MPI_Op operation, MPI_Datatype type) {
  if (!is_floating(type)) return {};
  if (operation == MPI_MAX) return Extreme::greatest;
  return operation == MPI_MIN ? std::optional(Extreme::least) : std::nullopt;
}

bool is_exact(MPI_Op operation, MPI_Datatype type) {
  const bool is_whole = is_c_integer(type) || is_other_integer(type) || is_logical(type) || type == MPI_BYTE;
  return is_whole && is_defined(operation, type).value_or(false);
}

void hold_operation(MPI_Op operation) { made().hold(operation); }

void let_go_of_operation(MPI_Op operation) {
  if (made().let_go(operation)) PMPI_Op_free(&operation);
}

OperandOrder order_of(MPI_Op operation) {
  int commutes = 0;
  const bool known = PMPI_Op_commutative(operation, &commutes) == MPI_SUCCESS;
  return known && commutes != 0 ? OperandOrder::any : OperandOrder::by_rank;
}

}  // namespace trunkline::runtime

using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* operation) {
  const int code = NEXT(Op_create)(function, commutes, operation);
  if (code == MPI_SUCCESS) with_reserve([&] { made().add(*operation); });
  return code;
}

#if TRUNKLINE_HAS_LARGE_COUNTS
TRUNKLINE_EXPORT int MPI_Op_create_c(MPI_User_function_c* function, int commutes, MPI_Op* operation) {
  const int code = NEXT(Op_create_c)(function, commutes, operation);
  if (code == MPI_SUCCESS) with_reserve([&] { made().add(*operation); });
  return code;
}
#endif

TRUNKLINE_EXPORT int MPI_Op_free(MPI_Op* operation) {
  if (operation == nullptr || made().remove(*operation)) return NEXT(Op_free)(operation);
  *operation = MPI_OP_NULL;
  return MPI_SUCCESS;
}
