// SPDX-License-Identifier: Apache-2.0
// Every way to make a datatype, alone and mixed: ranks with different datatypes of one signature.
#include <array>
#include <cstddef>

#include "typed_buffer.hpp"

namespace suite {
namespace {

/// A datatype and a count; all shapes of a case have one signature.
struct Shape {
  std::function<Type()> make;
  int count;
};

Type named(MPI_Datatype type) { return {type, true}; }

Type contiguous(int count, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(count, of, &type);
  return {type, false};
}

Type vector(int count, int length, int stride, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_vector(count, length, stride, of, &type);
  return {type, false};
}

Type hvector(int count, int length, MPI_Aint stride, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_hvector(count, length, stride, of, &type);
  return {type, false};
}

Type indexed(const std::vector<int>& lengths, const std::vector<int>& places, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), of, &type);
  return {type, false};
}

Type hindexed(const std::vector<int>& lengths, const std::vector<MPI_Aint>& places, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), of, &type);
  return {type, false};
}

Type indexed_block(int length, const std::vector<int>& places, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_indexed_block(static_cast<int>(places.size()), length, places.data(), of, &type);
  return {type, false};
}

Type hindexed_block(int length, const std::vector<MPI_Aint>& places, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_hindexed_block(static_cast<int>(places.size()), length, places.data(), of, &type);
  return {type, false};
}

Type structure(const std::vector<int>& lengths, const std::vector<MPI_Aint>& places,
               const std::vector<MPI_Datatype>& of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_struct(static_cast<int>(lengths.size()), lengths.data(), places.data(), of.data(), &type);
  return {type, false};
}

Type resized(MPI_Datatype of, MPI_Aint lower, MPI_Aint extent) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_resized(of, lower, extent, &type);
  return {type, false};
}

Type duplicate(MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_dup(of, &type);
  return {type, false};
}

Type subarray(std::array<int, 3> sizes, std::array<int, 3> subsizes, std::array<int, 3> starts, int order,
              MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), order, of, &type);
  return {type, false};
}

Type distributed(int rank, std::array<int, 2> sizes, std::array<int, 2> how, std::array<int, 2> arguments,
                 std::array<int, 2> grid, int order, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_darray(grid[0] * grid[1], rank, 2, sizes.data(), how.data(), arguments.data(), grid.data(), order,
                          of, &type);
  return {type, false};
}

Type f90_real() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_f90_real(12, MPI_UNDEFINED, &type);
  return {type, true};
}

/// Rank r uses shape (r + shift) of the list.
void broadcast_shapes(Run& run, const std::vector<Shape>& shapes, int root, int shift) {
  const Shape& shape = shapes[static_cast<std::size_t>(run.rank + shift) % shapes.size()];
  const Type type = shape.make();
  broadcast_typed(run, type.get(), shape.count, root, MPI_COMM_WORLD, next_serial(),
                  "from root " + std::to_string(root));
}

Case datatype_case(const char* name, std::vector<Shape> shapes) {
  return {"datatypes", name, [shapes = std::move(shapes)](Run& run) {
            const int turns = shapes.size() > 1 ? static_cast<int>(shapes.size()) : 1;
            for (int turn = 0; turn < turns; ++turn) {
              broadcast_shapes(run, shapes, (run.ranks / 2 + turn) % run.ranks, turn);
            }
          }};
}

/// A description that holds addresses, for MPI_BOTTOM.
void broadcast_from_bottom(Run& run) {
  std::vector<double> reals(300, -1.0);
  std::vector<int> numbers(500, -1);
  if (run.rank == 0) {
    for (std::size_t i = 0; i < reals.size(); ++i) reals[i] = 0.5 * static_cast<double>(i);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i) * 3;
  }
  MPI_Aint at_reals = 0;
  MPI_Aint at_numbers = 0;
  PMPI_Get_address(reals.data(), &at_reals);
  PMPI_Get_address(numbers.data(), &at_numbers);
  const Type type = structure({300, 500}, {at_reals, at_numbers}, {MPI_DOUBLE, MPI_INT});
  MPI_Bcast(MPI_BOTTOM, 1, type.get(), 0, MPI_COMM_WORLD);
  for (std::size_t i = 0; i < reals.size(); ++i) run.expect(reals[i] == 0.5 * static_cast<double>(i), "a real");
  for (std::size_t i = 0; i < numbers.size(); ++i) run.expect(numbers[i] == static_cast<int>(i) * 3, "a number");
  run.expect_ran(run.ranks > 1, "MPI_BOTTOM");

  // One block alone is contiguous memory at an absolute address.
  const Type block = hindexed({300}, {at_reals}, MPI_DOUBLE);
  if (run.rank == 0) reals.assign(300, 7.0);
  MPI_Bcast(MPI_BOTTOM, 1, block.get(), 0, MPI_COMM_WORLD);
  run.expect(reals == std::vector<double>(300, 7.0), "one absolute block");
}

struct Particle {
  int kind;
  double place[3];
  char tag[5];
};

/// In the order of the declaration, or with the memory's order turned round.
Type particle(bool reversed) {
  const MPI_Aint kind = offsetof(Particle, kind);
  const MPI_Aint place = offsetof(Particle, place);
  const MPI_Aint tag = offsetof(Particle, tag);
  const Type fields = reversed ? structure({5, 3, 1}, {tag, place, kind}, {MPI_CHAR, MPI_DOUBLE, MPI_INT})
                               : structure({1, 3, 5}, {kind, place, tag}, {MPI_INT, MPI_DOUBLE, MPI_CHAR});
  return resized(fields.get(), 0, sizeof(Particle));
}

std::vector<Case> plain_cases() {
  return {
      datatype_case("bytes", {{[] { return named(MPI_BYTE); }, 5001}}),
      datatype_case("packed", {{[] { return named(MPI_PACKED); }, 3000}}),
      datatype_case("doubles", {{[] { return named(MPI_DOUBLE); }, 700}}),
      datatype_case("one byte", {{[] { return named(MPI_BYTE); }, 1}}),
      datatype_case("count 0", {{[] { return named(MPI_INT); }, 0}}),
      datatype_case("empty datatype", {{[] { return contiguous(0, MPI_INT); }, 100}}),
      datatype_case("struct of nothing", {{[] { return structure({}, {}, {}); }, 3}}),
      datatype_case("contiguous of contiguous", {{[] { return contiguous(7, contiguous(11, MPI_INT).get()); }, 20}}),
      datatype_case("duplicate", {{[] { return duplicate(vector(10, 2, 3, MPI_SHORT).get()); }, 30}}),
      datatype_case("F90 real", {{f90_real, 400}}),
  };
}

std::vector<Case> strided_cases() {
  return {
      datatype_case("vector with gaps", {{[] { return vector(50, 3, 5, MPI_INT); }, 9}}),
      datatype_case("vector without gaps", {{[] { return vector(50, 4, 4, MPI_INT); }, 9}}),
      datatype_case("hvector, odd stride", {{[] { return hvector(40, 2, 11, MPI_INT); }, 7}}),
      datatype_case("hvector, backwards", {{[] { return hvector(30, 2, -24, MPI_DOUBLE); }, 4}}),
      datatype_case("vector of vectors", {{[] { return vector(6, 2, 3, vector(5, 2, 4, MPI_SHORT).get()); }, 8}}),
      datatype_case("vector of triples", {{[] { return vector(60, 3, 4, MPI_SHORT); }, 9}}),
      datatype_case("vector of single bytes", {{[] { return vector(100, 1, 3, MPI_CHAR); }, 11}}),
      datatype_case("vector of long blocks", {{[] { return vector(40, 11, 13, MPI_DOUBLE); }, 2}}),
      datatype_case("vector of long vectors", {{[] { return vector(7, 2, 3, vector(20, 1, 2, MPI_INT).get()); }, 3}}),
      datatype_case("vectors that go on", {{[] { return resized(vector(20, 1, 2, MPI_INT).get(), 0, 160); }, 8}}),
      datatype_case("one huge element", {{[] { return vector(40000, 1, 2, MPI_INT); }, 1}}),
      datatype_case("resized, wide", {{[] { return resized(MPI_INT, 0, 12); }, 600}}),
      datatype_case("resized, negative lower bound",
                    {{[] { return resized(vector(3, 1, 2, MPI_INT).get(), -8, 40); }, 90}}),
      datatype_case("resized, elements backwards", {{[] { return resized(MPI_DOUBLE, 0, -16); }, 200}}),
  };
}

std::vector<Case> indexed_cases() {
  return {
      datatype_case("indexed", {{[] {
                                   return indexed({3, 0, 5, 1}, {20, 0, 2, 10}, MPI_INT);
                                 },
                                 60}}),
      datatype_case("hindexed", {{[] {
                                    return hindexed({2, 4, 1}, {40, 3, 80}, MPI_DOUBLE);
                                  },
                                  40}}),
      datatype_case("hindexed, negative", {{[] {
                                              return hindexed({2, 2}, {-32, 16}, MPI_DOUBLE);
                                            },
                                            90}}),
      datatype_case("indexed, a stride apart", {{[] {
                                                   return indexed({2, 2, 2, 2, 2}, {1, 4, 7, 10, 13}, MPI_INT);
                                                 },
                                                 70}}),
      datatype_case("indexed, first a stride apart", {{[] {
                                                         return indexed({2, 2, 2, 2, 2}, {1, 4, 7, 11, 15}, MPI_INT);
                                                       },
                                                       70}}),
      datatype_case("indexed, first alike", {{[] {
                                                return indexed({1, 1, 1, 4, 1}, {9, 4, 7, 11, 0}, MPI_DOUBLE);
                                              },
                                              70}}),
      datatype_case("indexed, touching", {{[] {
                                             return indexed({2, 3, 1, 4}, {0, 2, 7, 8}, MPI_INT);
                                           },
                                           70}}),
      datatype_case("indexed of vectors",
                    {{[] {
                        return indexed({1, 2, 1, 3}, {5, 0, 9, 2}, vector(3, 1, 2, MPI_INT).get());
                      },
                      20}}),
      datatype_case("indexed of vectors alike", {{[] {
                                                    return indexed_block(2, {5, 0, 9}, vector(3, 1, 2, MPI_INT).get());
                                                  },
                                                  20}}),
      datatype_case("indexed of long vectors",
                    {{[] {
                        return indexed({1, 2, 1}, {5, 0, 9}, vector(20, 1, 2, MPI_INT).get());
                      },
                      3}}),
      datatype_case("indexed block", {{[] {
                                         return indexed_block(3, {9, 0, 4}, MPI_SHORT);
                                       },
                                       150}}),
      datatype_case("hindexed block", {{[] {
                                          return hindexed_block(2, {50, 1, 20}, MPI_INT);
                                        },
                                        100}}),
      datatype_case("struct", {{[] { return particle(false); }, 80}}),
      datatype_case("struct of memory and derived", {{[] {
                                                        return structure({4, 1, 3, 2}, {200, 0, 216, 130},
                                                                         {MPI_INT, vector(20, 1, 2, MPI_SHORT).get(),
                                                                          MPI_INT, MPI_DOUBLE});
                                                      },
                                                      20}}),
      datatype_case("struct, memory in another order", {{[] { return particle(true); }, 80}}),
      datatype_case("struct of two halves swapped, no gaps",
                    {{[] {
                        return structure({1, 1}, {8, 0}, {MPI_DOUBLE, MPI_DOUBLE});
                      },
                      200}}),
      datatype_case(
          "struct of derived",
          {{[] {
              return structure({2, 3}, {4, 200}, {vector(3, 1, 2, MPI_INT).get(), duplicate(MPI_DOUBLE).get()});
            },
            30}}),
  };
}

std::vector<Case> array_cases() {
  constexpr int block = MPI_DISTRIBUTE_BLOCK;
  constexpr int cyclic = MPI_DISTRIBUTE_CYCLIC;
  constexpr int whole = MPI_DISTRIBUTE_NONE;
  constexpr int fair = MPI_DISTRIBUTE_DFLT_DARG;
  return {
      datatype_case("subarray, C order", {{[] {
                                             return subarray({6, 7, 8}, {3, 4, 5}, {1, 2, 3}, MPI_ORDER_C, MPI_INT);
                                           },
                                           5}}),
      datatype_case("subarray, Fortran order",
                    {{[] {
                        return subarray({6, 7, 8}, {3, 4, 5}, {1, 2, 3}, MPI_ORDER_FORTRAN, MPI_SHORT);
                      },
                      9}}),
      datatype_case("distributed array, blocks",
                    {{[=] {
                        return distributed(3, {11, 13}, {block, block}, {fair, 7}, {2, 2}, MPI_ORDER_C, MPI_DOUBLE);
                      },
                      6}}),
      datatype_case(
          "distributed array, cyclic",
          {{[=] {
              return distributed(1, {23, 17}, {cyclic, cyclic}, {3, fair}, {2, 3}, MPI_ORDER_FORTRAN, MPI_INT);
            },
            4}}),
      datatype_case("distributed array, last round short",
                    {{[=] {
                        return distributed(2, {19, 5}, {cyclic, whole}, {4, fair}, {3, 1}, MPI_ORDER_C, MPI_INT);
                      },
                      8}}),
      datatype_case("distributed array, nothing left for a rank",
                    {{[=] {
                        return distributed(3, {9, 2}, {block, whole}, {fair, fair}, {4, 1}, MPI_ORDER_C, MPI_INT);
                      },
                      8}}),
  };
}

/// Datatypes with holes that no constructor describes.
std::vector<Case> pair_cases() {
  return {
      datatype_case("double and int", {{[] { return named(MPI_DOUBLE_INT); }, 300}}),
      datatype_case("short and int", {{[] { return named(MPI_SHORT_INT); }, 333}}),
      datatype_case("float and int", {{[] { return named(MPI_FLOAT_INT); }, 300}}),
      datatype_case("long and int", {{[] { return named(MPI_LONG_INT); }, 300}}),
      datatype_case("long double and int", {{[] { return named(MPI_LONG_DOUBLE_INT); }, 300}}),
      datatype_case("indexed pairs", {{[] {
                                         return indexed({1, 2, 5, 1}, {0, 12, 2, 9}, MPI_DOUBLE_INT);
                                       },
                                       40}}),
      datatype_case("two ints", {{[] { return named(MPI_2INT); }, 300}}),
      datatype_case("vector of pairs", {{[] { return vector(20, 2, 3, MPI_LONG_INT); }, 10}}),
  };
}

std::vector<Case> mixed_cases() {
  // 1200 ints each, cut differently; segments fall inside elements of some and between those of others.
  const std::vector<Shape> ints{
      {[] { return named(MPI_INT); }, 1200},
      {[] { return contiguous(1200, MPI_INT); }, 1},
      {[] { return vector(40, 3, 5, MPI_INT); }, 10},
      {[] {
         return indexed({3, 5, 4}, {20, 2, 10}, MPI_INT);
       },
       100},
      {[] {
         return structure({1, 2}, {8, 0}, {MPI_INT, MPI_INT});
       },
       400},
      {[] {
         return subarray({10, 20, 30}, {6, 10, 20}, {2, 3, 4}, MPI_ORDER_C, MPI_INT);
       },
       1},
  };
  const std::vector<Shape> pairs{
      {[] { return named(MPI_DOUBLE_INT); }, 250},
      {[] {
         return structure({1, 1}, {4, 0}, {MPI_DOUBLE, MPI_INT});
       },
       250},
      {[] { return contiguous(125, MPI_DOUBLE_INT); }, 2},
  };
  return {datatype_case("mixed, one signature", ints),
          datatype_case("mixed pairs", pairs),
          {"datatypes", "MPI_BOTTOM", broadcast_from_bottom}};
}

}  // namespace

std::vector<Case> datatype_cases() {
  std::vector<Case> all;
  for (auto* make : {plain_cases, strided_cases, indexed_cases, array_cases, pair_cases, mixed_cases}) {
    for (Case& one : make()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace suite
