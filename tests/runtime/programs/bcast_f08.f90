! SPDX-License-Identifier: Apache-2.0
! Broadcasts through the module mpi_f08, with and without the optional error argument. Prints "passed" or "FAILED ...".
program bcast_f08
  use mpi_f08
  implicit none
  integer, parameter :: n = 3000
  integer, asynchronous, target :: numbers(n)
  double precision :: reals(n)
  integer :: rank, ranks, error, i, turn, bad, all_bad
  type(MPI_Datatype) :: every_other, absolute
  type(MPI_Comm) :: copy, given_up
  type(MPI_Request) :: request, requests(1), some(2)
  integer(kind=MPI_ADDRESS_KIND) :: place(1)

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Comm_rank(copy, rank)
  call MPI_Comm_size(copy, ranks)
  bad = 0

  numbers = -1
  if (rank == 0) numbers = [(3 * i, i = 1, n)]
  call MPI_Bcast(numbers, n, MPI_INTEGER, 0, copy)
  if (any(numbers /= [(3 * i, i = 1, n)])) bad = 1

  call MPI_Type_vector(n / 2, 1, 2, MPI_DOUBLE_PRECISION, every_other)
  call MPI_Type_commit(every_other)
  reals = -1.0d0
  if (rank == ranks - 1) reals = [(0.5d0 * i, i = 1, n)]
  call MPI_Bcast(reals, 1, every_other, ranks - 1, copy, error)
  if (error /= MPI_SUCCESS .or. any(reals(1:n:2) /= [(0.5d0 * i, i = 1, n, 2)])) bad = 2
  if (rank /= ranks - 1 .and. any(reals(2:n:2) /= -1.0d0)) bad = 3

  call MPI_Get_address(numbers, place(1))
  call MPI_Type_create_hindexed(1, [n], place, MPI_INTEGER, absolute)
  call MPI_Type_commit(absolute)
  numbers = -1
  if (rank == 0) numbers = [(5 * i, i = 1, n)]
  call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, copy)
  call MPI_F_sync_reg(numbers)
  if (any(numbers /= [(5 * i, i = 1, n)])) bad = 4

  call MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN)
  call MPI_Bcast(numbers, n, MPI_INTEGER, ranks, copy, error)
  if (error == MPI_SUCCESS) bad = 5

  numbers = -1
  if (rank == 1) numbers = [(7 * i, i = 1, n)]
  call MPI_Ibcast(numbers, n, MPI_INTEGER, 1, copy, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_F_sync_reg(numbers)
  if (any(numbers /= [(7 * i, i = 1, n)])) bad = 6

#ifdef PERSISTENT
  call MPI_Bcast_init(numbers, n, MPI_INTEGER, 1, copy, MPI_INFO_NULL, request)
  do turn = 1, 3
    numbers = -1
    if (rank == 1) numbers = [(turn * i, i = 1, n)]
    if (turn == 2) then
      requests = [request]
      call MPI_Startall(1, requests)
    else
      call MPI_Start(request)
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(numbers)
    if (any(numbers /= [(turn * i, i = 1, n)])) bad = 7
  end do
  call MPI_Request_free(request)
  if (request /= MPI_REQUEST_NULL) bad = 8
#endif
  do turn = 1, 2
    call MPI_Comm_dup(copy, given_up)
    call MPI_Barrier(given_up)
    numbers = -1
    if (rank == 1) numbers = [(turn + i, i = 1, n)]
    some(1) = MPI_REQUEST_NULL
    call MPI_Ibcast(numbers, n, MPI_INTEGER, 1, given_up, some(2))
    if (turn == 1) call MPI_Comm_free(given_up)
    call MPI_Waitall(2, some, MPI_STATUSES_IGNORE)
    if (turn == 2) call MPI_Comm_disconnect(given_up)
    call MPI_F_sync_reg(numbers)
    if (any(numbers /= [(turn + i, i = 1, n)])) bad = 9
    if (any([some(1) /= MPI_REQUEST_NULL, some(2) /= MPI_REQUEST_NULL])) bad = 10
  end do
  call MPI_Ibarrier(copy, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)

  call MPI_Type_free(every_other)
  call MPI_Type_free(absolute)
  call MPI_Comm_set_errhandler(copy, MPI_ERRORS_ARE_FATAL)
  call MPI_PCONTROL(1)
  call MPI_Allreduce(bad, all_bad, 1, MPI_INTEGER, MPI_MAX, copy)
  if (rank == 0 .and. all_bad == 0) print '(a)', 'passed'
  if (rank == 0 .and. all_bad /= 0) print '(a, i0)', 'FAILED step ', all_bad
  call MPI_Finalize()
end program bcast_f08
