/* SPDX-License-Identifier: Apache-2.0
 * What datatypes with gaps cost: MPI_Bcast, which the preload library takes, beside PMPI_Bcast, which goes past it,
 * with every kind of datatype and once with contiguous memory of as many bytes. What the latter costs beyond native is
 * the pipeline; what the former costs beyond it is packing.
 *
 *     mpiexec -n 2 env LD_PRELOAD=... TRUNKLINE_BCAST=unaware-linear:8KiB trunkline-datatypes-MPI [ELEMENTS [TURNS]]
 *
 * `tools/beside_native.py datatypes` does so under every MPI library, and prints a table. On one host ours should take
 * at most 1.3 of native's time ("best": noise only adds).
 *
 * Prints one JSON object a datatype: medians in milliseconds of broadcasts that take turns, each the time of the
 * slowest rank; the first of ours apart, since what a datatype is made of is read then; and whether the content is
 * right.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>
#include "median.h"

enum { MOST_TURNS = 200 };

struct made {
  MPI_Datatype type;
  int count;
};

struct mixed {
  int kind;
  double place[3];
  char tag[5];
};

static unsigned lot(void) {
  static unsigned state = 1;
  state = state * 1664525U + 1013904223U;
  return state >> 16;
}

static struct made ints(int n) { return (struct made){MPI_INT, n}; }
static struct made double_int(int n) { return (struct made){MPI_DOUBLE_INT, n}; }
static struct made short_int(int n) { return (struct made){MPI_SHORT_INT, n}; }
static struct made long_double_int(int n) { return (struct made){MPI_LONG_DOUBLE_INT, n}; }

static struct made vector_of_ints(int n) {
  struct made made = {.count = 1};
  MPI_Type_vector(n, 1, 2, MPI_INT, &made.type);
  return made;
}

static struct made vector_of_doubles(int n) {
  struct made made = {.count = 1};
  MPI_Type_vector(n / 2, 1, 3, MPI_DOUBLE, &made.type);
  return made;
}

static struct made nested_vectors(int n) {
  struct made made = {.count = 1};
  MPI_Datatype inner;
  MPI_Type_vector(25, 2, 3, MPI_INT, &inner);
  MPI_Type_vector(n / 50, 1, 2, inner, &made.type);
  MPI_Type_free(&inner);
  return made;
}

/* A column of small vectors: few elements in the innermost loop. */
static struct made small_vectors(int n) {
  struct made made;
  MPI_Datatype inner;
  MPI_Type_vector(3, 1, 2, MPI_INT, &inner);
  MPI_Type_create_resized(inner, 0, 40, &made.type);
  MPI_Type_free(&inner);
  made.count = n / 3;
  return made;
}

/* Blocks of `least` to `most` ints, with gaps of one to three, or all gaps alike. */
static struct made blocks(int n, unsigned least, unsigned most, int alike) {
  struct made made = {.count = 1};
  int* lengths = malloc((size_t)n * sizeof *lengths);
  int* places = malloc((size_t)n * sizeof *places);
  int count = 0;
  int at = 0;
  for (int left = n; left > 0; ++count) {
    const int length = (int)(least + lot() % (most - least + 1));
    lengths[count] = length < left ? length : left;
    places[count] = at;
    at += lengths[count] + (alike ? 1 : (int)(1 + lot() % 3));
    left -= lengths[count];
  }
  MPI_Type_indexed(count, lengths, places, MPI_INT, &made.type);
  free(lengths);
  free(places);
  return made;
}

static struct made indexed_alike(int n) { return blocks(n, 1, 1, 1); }
static struct made indexed_single(int n) { return blocks(n, 1, 1, 0); }
static struct made indexed_short(int n) { return blocks(n, 1, 3, 0); }
static struct made indexed_long(int n) { return blocks(n, 10, 60, 0); }

/* Pairs anywhere: blocks of a datatype that has gaps itself. */
static struct made indexed_pairs(int n) {
  struct made made = {.count = 1};
  const int count = n / 6;
  int* lengths = malloc((size_t)count * sizeof *lengths);
  int* places = malloc((size_t)count * sizeof *places);
  int at = 0;
  for (int i = 0; i < count; ++i) {
    lengths[i] = 1 + (int)(lot() % 2);
    places[i] = at;
    at += lengths[i] + 1;
  }
  MPI_Type_indexed(count, lengths, places, MPI_DOUBLE_INT, &made.type);
  free(lengths);
  free(places);
  return made;
}

static struct made mixed_struct(int n) {
  struct made made;
  const int lengths[3] = {1, 3, 5};
  const MPI_Aint places[3] = {offsetof(struct mixed, kind), offsetof(struct mixed, place), offsetof(struct mixed, tag)};
  const MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype fields;
  MPI_Type_create_struct(3, lengths, places, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(struct mixed), &made.type);
  MPI_Type_free(&fields);
  made.count = n / 8;
  return made;
}

static struct made columns(int n) {
  struct made made = {.count = 1};
  const int sizes[2] = {n / 64, 128};
  const int parts[2] = {n / 64, 64};
  const int starts[2] = {0, 32};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &made.type);
  return made;
}

static struct made one_column(int n) {
  struct made made = {.count = 1};
  const int sizes[2] = {n, 4};
  const int parts[2] = {n, 1};
  const int starts[2] = {0, 2};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &made.type);
  return made;
}

static struct made dealt_array(int n) {
  struct made made = {.count = 1};
  const int sizes[2] = {n / 256, 512};
  const int how[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  const int grid[2] = {1, 2};
  MPI_Type_create_darray(2, 1, 2, sizes, how, arguments, grid, MPI_ORDER_C, MPI_INT, &made.type);
  return made;
}

static const struct {
  const char* name;
  struct made (*make)(int);
} cases[] = {{"contiguous", ints},
             {"vector, 1 int of 2", vector_of_ints},
             {"vector, 1 double of 3", vector_of_doubles},
             {"vector of vectors", nested_vectors},
             {"small vectors", small_vectors},
             {"indexed, 1 int of 2", indexed_alike},
             {"indexed, single ints anywhere", indexed_single},
             {"indexed, 1 to 3 ints", indexed_short},
             {"indexed, 10 to 60 ints", indexed_long},
             {"indexed, pairs", indexed_pairs},
             {"struct of int, doubles, chars", mixed_struct},
             {"subarray, 64 columns of 128", columns},
             {"subarray, 1 column of 4", one_column},
             {"darray, cyclic", dealt_array},
             {"MPI_DOUBLE_INT", double_int},
             {"MPI_SHORT_INT", short_int},
             {"MPI_LONG_DOUBLE_INT", long_double_int}};

typedef int bcast(void*, int, MPI_Datatype, int, MPI_Comm);

static double once_ms(bcast* run, void* buffer, const struct made* made) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run(buffer, made->count, made->type, 0, MPI_COMM_WORLD);
  double ms = (MPI_Wtime() - start) * 1e3;
  MPI_Allreduce(MPI_IN_PLACE, &ms, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return ms;
}

struct series {
  double median, best;
};

/* Sorts them. */
static struct series series_of(double* values, int count) {
  const double median = median_of(values, count);
  return (struct series){median, values[0]};
}

struct times {
  double first;
  struct series ours, native, contiguous_ours, contiguous_native;
};

/* Ours and native by turns, with the datatype and with its bytes alone; `buffer` and `other` hold `span` bytes. */
static struct times measure(const struct made* made, void* buffer, void* other, int turns) {
  static double ours[MOST_TURNS], native[MOST_TURNS], plain_ours[MOST_TURNS], plain_native[MOST_TURNS];
  int size;
  MPI_Type_size(made->type, &size);
  const struct made bytes = {MPI_BYTE, size * made->count};
  struct times times = {.first = once_ms(MPI_Bcast, buffer, made)};
  once_ms(PMPI_Bcast, other, made);
  for (int turn = 0; turn < turns; ++turn) {
    ours[turn] = once_ms(MPI_Bcast, buffer, made);
    native[turn] = once_ms(PMPI_Bcast, buffer, made);
    plain_ours[turn] = once_ms(MPI_Bcast, other, &bytes);
    plain_native[turn] = once_ms(PMPI_Bcast, other, &bytes);
  }
  times.ours = series_of(ours, turns);
  times.native = series_of(native, turns);
  times.contiguous_ours = series_of(plain_ours, turns);
  times.contiguous_native = series_of(plain_native, turns);
  return times;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int elements = argc > 1 ? atoi(argv[1]) : 1 << 20;
  int turns = argc > 2 ? atoi(argv[2]) : 15;
  if (turns > MOST_TURNS) turns = MOST_TURNS;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    struct made made = cases[c].make(elements);
    int named_integers, named_addresses, named_types, combiner;
    MPI_Type_get_envelope(made.type, &named_integers, &named_addresses, &named_types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_commit(&made.type);
    MPI_Aint lower, extent;
    MPI_Type_get_extent(made.type, &lower, &extent);
    const size_t span = (size_t)extent * (size_t)made.count;
    unsigned char* buffer = malloc(span);
    unsigned char* other = malloc(span);
    for (size_t i = 0; i < span; ++i) buffer[i] = other[i] = rank == 0 ? (unsigned char)(i * 31 + (i >> 8)) : 0;
    once_ms(MPI_Bcast, buffer, &made);
    once_ms(PMPI_Bcast, other, &made);
    int wrong = memcmp(buffer, other, span) != 0;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);

    struct made again = made; /* of which nothing is known yet */
    if (combiner != MPI_COMBINER_NAMED) {
      MPI_Type_dup(made.type, &again.type);
    }
    const struct times t = measure(&again, buffer, other, turns);
    if (rank == 0) {
      const struct series all[] = {t.ours, t.native, t.contiguous_ours, t.contiguous_native};
      const char* names[] = {"ours", "native", "contiguous_ours", "contiguous_native"};
      printf("{\"datatype\": \"%s\", \"first_ms\": %.3f", cases[c].name, t.first);
      for (int k = 0; k < 4; ++k)
        printf(", \"%s_ms\": %.3f, \"%s_best_ms\": %.3f", names[k], all[k].median, names[k], all[k].best);
      printf(", \"ratio\": %.2f, \"ratio_of_best\": %.2f, \"right\": %s}\n", t.ours.median / t.native.median,
             t.ours.best / t.native.best, wrong ? "false" : "true");
      fflush(stdout);
    }
    if (combiner != MPI_COMBINER_NAMED) {
      MPI_Type_free(&again.type);
      MPI_Type_free(&made.type);
    }
    free(other);
    free(buffer);
  }
  MPI_Finalize();
  return 0;
}
