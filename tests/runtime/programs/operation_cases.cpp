// SPDX-License-Identifier: Apache-2.0
// Every operation of MPI with every type that it is defined for, and the program's own, beside what MPI itself does.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include "suite.hpp"

namespace suite {
namespace {

struct Named {
  MPI_Op operation;
  const char* name;
};

/// Small whole numbers, which every type holds exactly, so that any order of operands gives the same bits.
template <class T>
T value(int rank, std::size_t i) {
  return static_cast<T>(1 + static_cast<int>((static_cast<std::size_t>(rank) * 5 + i * 3) % 4));
}

template <class T>
void fill(std::vector<T>& data, int rank) {
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = value<T>(rank, i);
}

template <class T>
struct Pair {
  T value;
  int index;
  bool operator==(const Pair&) const = default;
};

template <class T>
void fill(std::vector<Pair<T>>& data, int rank) {
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = {value<T>(rank, i), rank * 100 + static_cast<int>(i % 50)};
}

template <class T>
void compare(Run& run, MPI_Datatype type, MPI_Op operation, std::size_t count, const std::string& what) {
  std::vector<T> own(count);
  fill(own, run.rank);
  std::vector<T> right(count);
  const auto n = static_cast<int>(count);
  PMPI_Allreduce(own.data(), right.data(), n, type, operation, MPI_COMM_WORLD);

  std::vector<T> all(count);
  run.expect(MPI_Allreduce(own.data(), all.data(), n, type, operation, MPI_COMM_WORLD) == MPI_SUCCESS, what);
  run.expect_ran("allreduce", run.ranks > 1, what);
  run.expect(all == right, what + ": another result than MPI's own");
  all = own;
  MPI_Allreduce(MPI_IN_PLACE, all.data(), n, type, operation, MPI_COMM_WORLD);
  run.expect(all == right, what + ", in place: another result than MPI's own");

  const int root = static_cast<int>(count) % run.ranks;
  std::vector<T> one = own;
  // In place MPICH 4.0.2 itself ends the program, after a few reductions on one host.
  const bool in_place = run.accelerates("reduce") && run.rank == root && count % 2 == 0;
  MPI_Reduce(in_place ? MPI_IN_PLACE : own.data(), run.rank == root ? one.data() : nullptr, n, type, operation, root,
             MPI_COMM_WORLD);
  run.expect_ran("reduce", run.ranks > 1, what);
  run.expect(one == (run.rank == root ? right : own), what + ", to a root: another result than MPI's own");
}

template <class T>
void compare_all(Run& run, MPI_Datatype type, const char* type_name, const std::vector<Named>& operations) {
  int bytes = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes == 0) return;
  for (const Named& one : operations) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{58}, std::size_t{337}}) {
      const std::string what = std::string(one.name) + " of " + std::to_string(count) + " " + type_name;
      compare<T>(run, type, one.operation, count, what);
    }
  }
}

const std::vector<Named> arithmetic{{MPI_SUM, "sum"}, {MPI_PROD, "product"}};
const std::vector<Named> order{{MPI_MAX, "maximum"}, {MPI_MIN, "minimum"}};
const std::vector<Named> logical{{MPI_LAND, "and"}, {MPI_LOR, "or"}, {MPI_LXOR, "xor"}};
const std::vector<Named> bits{{MPI_BAND, "bits and"}, {MPI_BOR, "bits or"}, {MPI_BXOR, "bits xor"}};
const std::vector<Named> places{{MPI_MAXLOC, "place of the maximum"}, {MPI_MINLOC, "place of the minimum"}};

template <class T>
void c_integer(Run& run, MPI_Datatype type, const char* name) {
  for (const auto* group : {&arithmetic, &order, &logical, &bits}) compare_all<T>(run, type, name, *group);
}

template <class T>
void other_integer(Run& run, MPI_Datatype type, const char* name) {
  for (const auto* group : {&arithmetic, &order, &bits}) compare_all<T>(run, type, name, *group);
}

template <class T>
void floating(Run& run, MPI_Datatype type, const char* name) {
  for (const auto* group : {&arithmetic, &order}) compare_all<T>(run, type, name, *group);
}

void integers(Run& run) {
  c_integer<int>(run, MPI_INT, "MPI_INT");
  c_integer<long>(run, MPI_LONG, "MPI_LONG");
  c_integer<short>(run, MPI_SHORT, "MPI_SHORT");
  c_integer<unsigned>(run, MPI_UNSIGNED, "MPI_UNSIGNED");
  c_integer<signed char>(run, MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR");
  c_integer<std::int8_t>(run, MPI_INT8_T, "MPI_INT8_T");
  c_integer<std::uint64_t>(run, MPI_UINT64_T, "MPI_UINT64_T");
  other_integer<MPI_Aint>(run, MPI_AINT, "MPI_AINT");
  other_integer<MPI_Count>(run, MPI_COUNT, "MPI_COUNT");
  other_integer<int>(run, MPI_INTEGER, "MPI_INTEGER");
  compare_all<unsigned char>(run, MPI_BYTE, "MPI_BYTE", bits);
}

void other_types(Run& run) {
  floating<float>(run, MPI_FLOAT, "MPI_FLOAT");
  floating<double>(run, MPI_DOUBLE, "MPI_DOUBLE");
  floating<long double>(run, MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE");
  compare_all<std::complex<double>>(run, MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", arithmetic);
  compare_all<Pair<int>>(run, MPI_2INT, "MPI_2INT", places);
  compare_all<Pair<double>>(run, MPI_DOUBLE_INT, "MPI_DOUBLE_INT", places);
  compare_all<Pair<short>>(run, MPI_SHORT_INT, "MPI_SHORT_INT", places);
  compare_all<Pair<long double>>(run, MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", places);
}

/// Of a length that the program states; a library may lack them.
void types_of_fortran(Run& run) {
  other_integer<std::int16_t>(run, MPI_INTEGER2, "MPI_INTEGER2");
  other_integer<std::int32_t>(run, MPI_INTEGER4, "MPI_INTEGER4");
  other_integer<std::int64_t>(run, MPI_INTEGER8, "MPI_INTEGER8");
  floating<float>(run, MPI_REAL4, "MPI_REAL4");
  floating<double>(run, MPI_REAL8, "MPI_REAL8");
  compare_all<std::complex<double>>(run, MPI_COMPLEX16, "MPI_COMPLEX16", arithmetic);
}

/// A gap after the integer, and one after that: the element is longer than its data.
struct Element {
  double sum;
  int most;
  int untouched;
};

void combine_elements(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* from = static_cast<const Element*>(in);
  auto* to = static_cast<Element*>(inout);
  for (int i = 0; i < *count; ++i) {
    to[i].sum += from[i].sum;
    to[i].most = std::max(to[i].most, from[i].most);
  }
}

MPI_Datatype element_type() {
  const int lengths[] = {1, 1};
  const MPI_Aint places_of[] = {offsetof(Element, sum), offsetof(Element, most)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype tight = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places_of, types, &tight);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(tight, 0, sizeof(Element), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&tight);
  return type;
}

std::vector<Element> elements_of(int rank, std::size_t count) {
  std::vector<Element> data(count);
  for (std::size_t i = 0; i < count; ++i) {
    data[i] = {value<double>(rank, i), rank * 7 % 5 + static_cast<int>(i % 11), -1 - rank};
  }
  return data;
}

void own_operation_with_gaps(Run& run) {
  MPI_Datatype type = element_type();
  MPI_Op operation = MPI_OP_NULL;
  MPI_Op_create(combine_elements, 1, &operation);
  for (const std::size_t count : {std::size_t{1}, std::size_t{5}, std::size_t{301}}) {
    const std::string what = std::to_string(count) + " elements with gaps";
    const std::vector<Element> own = elements_of(run.rank, count);
    std::vector<Element> got(count, Element{0.0, 0, 77});
    MPI_Allreduce(own.data(), got.data(), static_cast<int>(count), type, operation, MPI_COMM_WORLD);
    run.expect_ran("allreduce", run.ranks > 1, what);
    bool right = true;
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0.0;
      int most = 0;
      for (int rank = 0; rank < run.ranks; ++rank) {
        const Element one = elements_of(rank, count)[i];
        sum += one.sum;
        most = rank == 0 ? one.most : std::max(most, one.most);
      }
      // What lies in the gaps is none of MPI's business; on one rank natively it may even be copied.
      right = right && got[i].sum == sum && got[i].most == most && (run.ranks == 1 || got[i].untouched == 77);
    }
    run.expect(right, what + ": wrong");
  }
  MPI_Op_free(&operation);
  MPI_Type_free(&type);
}

/// The first rank's result goes where its datatype says, the others' into a buffer.
void add_far(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(*type, &low, &extent);
  for (int i = 0; i < *count; ++i) {
    *reinterpret_cast<int*>(static_cast<char*>(inout) + i * extent) +=
        *reinterpret_cast<int*>(static_cast<char*>(in) + i * extent);
  }
}

/// Holds the addresses that the process may take to so many more while it lives.
class FewerAddresses {
 public:
  explicit FewerAddresses(rlim_t more) {
    getrlimit(RLIMIT_AS, &before_);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit now{.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more,
                     .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_AS, &now);
  }
  ~FewerAddresses() { setrlimit(RLIMIT_AS, &before_); }
  FewerAddresses(const FewerAddresses&) = delete;
  FewerAddresses& operator=(const FewerAddresses&) = delete;

 private:
  rlimit before_{};
};

/// What a rank takes must follow from what lies between elements too: it is not much more than the operands themselves.
void far_elements(Run& run) {
  constexpr MPI_Aint extent = MPI_Aint{4} << 20;
  constexpr int share = 500;
  const auto bytes = static_cast<std::size_t>(extent) * share * static_cast<std::size_t>(run.ranks);
  const auto room = [&] {
    return static_cast<char*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  };
  char* const own = room();
  char* const got = room();
  const auto at = [](char* from, int i) -> int& { return *reinterpret_cast<int*>(from + i * extent); };
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, extent, &type);
  MPI_Type_commit(&type);
  MPI_Op sum = MPI_OP_NULL;
  MPI_Op_create(add_far, 1, &sum);
  const int count = share * run.ranks;
  for (int i = 0; i < count; ++i) at(own, i) = i + run.rank;
  const auto right = [&](int i) { return i * run.ranks + run.ranks * (run.ranks - 1) / 2; };
  const FewerAddresses limit(bytes + bytes / 2);
  MPI_Allreduce(own, got, count, type, sum, MPI_COMM_WORLD);
  bool all = true;
  for (int i = 0; i < count; ++i) all = all && at(got, i) == right(i);
  run.expect(all, "wrong sums");
  MPI_Reduce_scatter_block(own, got, share, type, sum, MPI_COMM_WORLD);
  for (int i = 0; i < share; ++i) all = all && at(got, i) == right(run.rank * share + i);
  run.expect(all, "wrong sums in shares");
  MPI_Op_free(&sum);
  MPI_Type_free(&type);
  munmap(own, bytes);
  munmap(got, bytes);
}

void result_at_bottom(Run& run) {
  std::vector<int> got(300, 0);
  const std::vector<int> own(300, run.rank + 1);
  MPI_Datatype there = MPI_DATATYPE_NULL;
  MPI_Aint place = 0;
  MPI_Get_address(got.data(), &place);
  const int one = 1;
  MPI_Datatype int_type = MPI_INT;
  MPI_Type_create_struct(1, &one, &place, &int_type, &there);
  MPI_Type_commit(&there);
  MPI_Datatype resized = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(there, 0, sizeof(int), &resized);
  MPI_Type_commit(&resized);
  MPI_Op operation = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype* type) {
        MPI_Aint low = 0;
        MPI_Aint extent = 0;
        MPI_Type_get_true_extent(*type, &low, &extent);
        // By whole addresses: the datatype's own is absolute.
        const auto at = [&](void* data) {
          return reinterpret_cast<int*>(reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(low));
        };
        int* const to = at(inout);
        const int* const from = at(in);
        for (int i = 0; i < *count; ++i) to[i] += from[i];
      },
      1, &operation);
  const bool bottom = run.rank == 0;
  got = own;
  MPI_Allreduce(MPI_IN_PLACE, bottom ? MPI_BOTTOM : static_cast<void*>(got.data()), 300, bottom ? resized : MPI_INT,
                operation, MPI_COMM_WORLD);
  run.expect_ran("allreduce", run.ranks > 1, "a result at MPI_BOTTOM");
  const int sum = run.ranks * (run.ranks + 1) / 2;
  run.expect(std::ranges::all_of(got, [&](int value_of) { return value_of == sum; }), "wrong at MPI_BOTTOM");
  MPI_Op_free(&operation);
  MPI_Type_free(&resized);
  MPI_Type_free(&there);
}

/// Whoever combines operands first hears of it, the others of an error; nobody waits for ever, as natively they would.
void one_that_throws(Run& run) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Op operation = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) { throw std::bad_alloc(); }, 1, &operation);
  const std::vector<int> operand(300, 1);
  std::vector<int> got(300, 0);
  int caught = 0;
  int code = MPI_SUCCESS;
  try {
    code = MPI_Allreduce(operand.data(), got.data(), 300, MPI_INT, operation, own);
  } catch (const std::bad_alloc&) {
    caught = 1;
  }
  run.expect(caught == 1 || code != MPI_SUCCESS, "neither an exception nor an error");
  PMPI_Allreduce(MPI_IN_PLACE, &caught, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  run.expect(caught >= 1, "nobody heard of the exception");
  MPI_Op_free(&operation);
  MPI_Comm_free(&own);
}

/// Two by two, row by row, with two words that nobody looks at: products depend on their factors' order.
struct Matrix {
  std::uint32_t at[4];
  std::uint32_t unused[2];

  friend Matrix operator*(const Matrix& a, const Matrix& b) {
    return {{a.at[0] * b.at[0] + a.at[1] * b.at[2], a.at[0] * b.at[1] + a.at[1] * b.at[3],
             a.at[2] * b.at[0] + a.at[3] * b.at[2], a.at[2] * b.at[1] + a.at[3] * b.at[3]},
            {0, 0}};
  }
  friend bool operator==(const Matrix& a, const Matrix& b) { return std::ranges::equal(a.at, b.at); }
};

void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* first = static_cast<const Matrix*>(in);
  auto* second = static_cast<Matrix*>(inout);
  for (int i = 0; i < *count; ++i) {
    const Matrix product = first[i] * second[i];
    std::ranges::copy(product.at, second[i].at);  // the last one of a row may have no room for what is unused
  }
}

Matrix factor(int rank, int element) {
  const auto r = static_cast<std::uint32_t>(rank);
  const auto e = static_cast<std::uint32_t>(element);
  return {{r + 2, e, 3 * e + r, r * r + 1}, {7, 7}};
}

/// Reductions of matrices. `kept`: the plan keeps operands by rank where the first rank is the root.
void in_rank_order(Run& run, bool kept) {
  constexpr int count = 300;
  MPI_Op operation = MPI_OP_NULL;
  MPI_Op_create(multiply, 0, &operation);
  MPI_Datatype packed = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(4, MPI_UINT32_T, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(Matrix), &type);
  MPI_Type_commit(&type);
  std::vector<Matrix> mine;
  std::vector<Matrix> product;
  for (int i = 0; i < count; ++i) {
    mine.push_back(factor(run.rank, i));
    Matrix all = factor(0, i);
    for (int rank = 1; rank < run.ranks; ++rank) all = all * factor(rank, i);
    product.push_back(all);
  }
  std::vector<Matrix> got(count);
  MPI_Allreduce(mine.data(), got.data(), count, type, operation, MPI_COMM_WORLD);
  if (kept) run.expect_ran("allreduce", true, "by rank");
  run.expect(got == product, "allreduce: not in rank order");
  got = mine;
  MPI_Allreduce(MPI_IN_PLACE, got.data(), count, type, operation, MPI_COMM_WORLD);
  run.expect(got == product, "allreduce in place: not in rank order");
  for (int root = 0; root < run.ranks; ++root) {
    for (const bool in_place : {false, true}) {
      got = in_place ? mine : std::vector<Matrix>(count);
      const void* const send = in_place && run.rank == root ? MPI_IN_PLACE : mine.data();
      MPI_Reduce(send, got.data(), count, type, operation, root, MPI_COMM_WORLD);
      if (kept && root == 0) run.expect_ran("reduce", true, "by rank");
      run.expect(run.rank != root || got == product, "reduce to " + std::to_string(root) + ": not in rank order");
    }
  }
  MPI_Type_free(&type);
  MPI_Type_free(&packed);
  MPI_Op_free(&operation);
}

void one_that_does_not_commute(Run& run) { in_rank_order(run, false); }

void one_that_does_not_commute_by_plans(Run& run) { in_rank_order(run, true); }

void what_does_not_fit(Run& run) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  std::vector<double> data(300, 1.0);
  std::vector<double> got(300, 0.0);
  const auto reported = [&](int code, const char* what) {
    run.expect(code != MPI_SUCCESS, std::string(what) + ": no error");
    run.expect_ran("allreduce", false, what);
  };
  reported(MPI_Allreduce(data.data(), got.data(), 300, MPI_DOUBLE, MPI_BAND, own), "bits of MPI_DOUBLE");
#ifdef OPEN_MPI  // MPICH goes on after these, and ends the program
  reported(MPI_Allreduce(data.data(), got.data(), -1, MPI_DOUBLE, MPI_SUM, own), "a count of -1");
  reported(MPI_Allreduce(data.data(), got.data(), 300, MPI_DATATYPE_NULL, MPI_SUM, own), "no datatype");
  reported(MPI_Allreduce(data.data(), got.data(), 300, MPI_DOUBLE, MPI_OP_NULL, own), "no operation");
#endif
  MPI_Comm_free(&own);
}

}  // namespace

std::vector<Case> operation_cases() {
  return {{"operations", "integers", integers},
          {"operations", "floating, complex, pairs", other_types},
          {"operations", "Fortran's by length", types_of_fortran},
          {"operations", "the program's own, with gaps", own_operation_with_gaps},
          {"operations", "a result at MPI_BOTTOM", result_at_bottom},
          {"far elements", "a million times as far apart as they are long", far_elements},
          {"operations", "one that does not commute", one_that_does_not_commute},
          {"operands by rank", "one that does not commute, by plans", one_that_does_not_commute_by_plans},
          {"operations", "what does not fit", what_does_not_fit},
          {"throwing operations", "one that throws", one_that_throws}};
}

}  // namespace suite
