! SPDX-License-Identifier: Apache-2.0
! The same in Fortran: rank 0 broadcasts a vector, every rank checks what it got, rank 0 prints the time.
!
!     mpifort.openmpi -O2 -o hello_bcast hello_bcast.f90
!     trunkline lab run --cluster cyclic --mpi openmpi -n 32 --native -- ./hello_bcast
!     trunkline lab run --cluster cyclic --mpi openmpi -n 32 -- ./hello_bcast
program hello_bcast
  use mpi_f08
  implicit none
  integer, parameter :: count = 131072 ! 1 MiB
  double precision :: vector(count), expected(count), start, mine, slowest
  integer :: rank, ranks, i
  logical :: wrong, any_wrong

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  expected = [(0.5d0 * i + 1.0d0, i = 1, count)]
  vector = merge(1.0d0, 0.0d0, rank == 0) * expected

  call MPI_Barrier(MPI_COMM_WORLD)
  start = MPI_Wtime()
  call MPI_Bcast(vector, count, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
  mine = MPI_Wtime() - start

  wrong = any(vector /= expected)
  call MPI_Reduce(wrong, any_wrong, 1, MPI_LOGICAL, MPI_LOR, 0, MPI_COMM_WORLD)
  call MPI_Reduce(mine, slowest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD)
  if (rank == 0) then
    print '(a, i0, a, i0, a, a, a, f0.3, a)', 'hello from ', ranks, ' ranks: ', count, ' doubles arrived ', &
      merge('WRONG', 'right', any_wrong), ' in ', slowest * 1d3, ' ms'
  end if
  call MPI_Finalize()
  if (wrong) error stop 1
end program hello_bcast
