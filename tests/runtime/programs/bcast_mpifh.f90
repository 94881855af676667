! SPDX-License-Identifier: Apache-2.0
! Broadcasts through mpif.h: a plain array, a derived datatype, MPI_BOTTOM. Prints "passed" or "FAILED ...".
program bcast_mpifh
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 3000
  integer :: numbers(n), rank, ranks, error, every_other, absolute, request, i, provided, bad, all_bad
  double precision :: reals(n)
  integer(kind=MPI_ADDRESS_KIND) :: place(1)
  integer :: length(1)

  call MPI_INIT_THREAD(MPI_THREAD_MULTIPLE, provided, error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  bad = 0

  numbers = -1
  if (rank == 0) numbers = [(3 * i, i = 1, n)]
  call MPI_BCAST(numbers, n, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  if (error /= MPI_SUCCESS .or. any(numbers /= [(3 * i, i = 1, n)])) bad = 1

  call MPI_TYPE_VECTOR(n / 2, 1, 2, MPI_DOUBLE_PRECISION, every_other, error)
  call MPI_TYPE_COMMIT(every_other, error)
  reals = -1.0d0
  if (rank == ranks - 1) reals = [(0.5d0 * i, i = 1, n)]
  call MPI_BCAST(reals, 1, every_other, ranks - 1, MPI_COMM_WORLD, error)
  if (any(reals(1:n:2) /= [(0.5d0 * i, i = 1, n, 2)])) bad = 2
  if (rank /= ranks - 1 .and. any(reals(2:n:2) /= -1.0d0)) bad = 3

  call MPI_GET_ADDRESS(numbers, place(1), error)
  length(1) = n
  call MPI_TYPE_CREATE_HINDEXED(1, length, place, MPI_INTEGER, absolute, error)
  call MPI_TYPE_COMMIT(absolute, error)
  numbers = -1
  if (rank == 0) numbers = [(5 * i, i = 1, n)]
  call MPI_BCAST(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD, error)
  if (any(numbers /= [(5 * i, i = 1, n)])) bad = 4

  reals = -1.0d0
  if (rank == 1) reals = [(0.25d0 * i, i = 1, n)]
  call MPI_IBCAST(reals, 1, every_other, 1, MPI_COMM_WORLD, request, error)
  if (error /= MPI_SUCCESS) bad = 6
  call MPI_TYPE_FREE(every_other, error)
  if (every_other /= MPI_DATATYPE_NULL) bad = 7
  call MPI_WAIT(request, MPI_STATUS_IGNORE, error)
  call look_at(reals)
  if (any(reals(1:n:2) /= [(0.25d0 * i, i = 1, n, 2)])) bad = 8

  call MPI_TYPE_FREE(absolute, error)
  call MPI_PCONTROL(1)
  call MPI_ALLREDUCE(bad, all_bad, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
  if (rank == 0 .and. all_bad == 0) print '(a)', 'passed'
  if (rank == 0 .and. all_bad /= 0) print '(a, i0)', 'FAILED step ', all_bad
  call MPI_FINALIZE(error)
contains
  ! The compiler knows nothing of what comes between start and end.
  subroutine look_at(values)
    double precision, intent(inout) :: values(:)
    if (size(values) == 0) values = 0
  end subroutine look_at
end program bcast_mpifh
