"""A backend of ``torch.distributed`` whose collectives are MPI's, so that Trunkline's plans serve PyTorch's DDP.

    import trunkline.torch
    trunkline.torch.init_process_group()
    model = torch.nn.parallel.DistributedDataParallel(model)

Every rank is a rank of an MPI job: mpiexec or srun starts it, behind ``trunkline run`` or with the library preloaded.
To import this module registers the backend ``trunkline``. It needs PyTorch and mpi4py. The command does not import it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import cache
from traceback import print_exc
from typing import NoReturn, TypeVar

from trunkline.compat import zip_equal

try:
    import torch
    import torch.distributed as dist
    from mpi4py import MPI
    from mpi4py.typing import Buffer
    from torch._C._distributed_c10d import (
        AllgatherOptions,
        AllreduceOptions,
        AllToAllOptions,
        BarrierOptions,
        BroadcastOptions,
        GatherOptions,
        ReduceOptions,
        ReduceScatterOptions,
        ScatterOptions,
        Work,
        _create_work_from_future,
        _DistributedBackendOptions,
    )
except ModuleNotFoundError as error:
    lacks = {"torch": "PyTorch", "mpi4py": "mpi4py", "torch._C._distributed_c10d": "a PyTorch with torch.distributed"}
    if error.name not in lacks:
        raise
    raise ModuleNotFoundError(
        f"trunkline.torch needs {lacks[error.name]}, which this Python does not find ({sys.executable}): install it "
        "into the same environment (docs/torch.md says which releases ran)",
        name=error.name,
    ) from None

BACKEND = "trunkline"

_TYPES = {
    torch.bool: MPI.C_BOOL,
    torch.uint8: MPI.UINT8_T,
    torch.int8: MPI.INT8_T,
    torch.int16: MPI.INT16_T,
    torch.int32: MPI.INT32_T,
    torch.int64: MPI.INT64_T,
    torch.float32: MPI.FLOAT,
    torch.float64: MPI.DOUBLE,
    torch.complex64: MPI.C_FLOAT_COMPLEX,
    torch.complex128: MPI.C_DOUBLE_COMPLEX,
    # MPI knows no such numbers: they travel as words, and PyTorch adds them.
    torch.float16: MPI.UINT16_T,
    torch.bfloat16: MPI.UINT16_T,
}
_HALVES = (torch.float16, torch.bfloat16)
_Thing = TypeVar("_Thing")
_OPERATIONS = {"SUM": MPI.SUM, "PRODUCT": MPI.PROD, "MIN": MPI.MIN, "MAX": MPI.MAX}
_OF_BITS = {"BAND": MPI.BAND, "BOR": MPI.BOR, "BXOR": MPI.BXOR}
_OF_TRUTH = {
    "SUM": MPI.LOR,
    "PRODUCT": MPI.LAND,
    "MIN": MPI.LAND,
    "MAX": MPI.LOR,
    "BAND": MPI.LAND,
    "BOR": MPI.LOR,
    "BXOR": MPI.LXOR,
}
_OF_HALVES = {"SUM": torch.add, "PRODUCT": torch.mul, "MIN": torch.minimum, "MAX": torch.maximum}


def init_process_group(backend: str = BACKEND, **options: object) -> None:
    """As ``torch.distributed.init_process_group``, with the ranks of the MPI job and a store on rank 0's host.

    Args:
        backend: ``trunkline``, or one of PyTorch's own such as ``gloo``, to compare with.
        options: Handed on, such as ``timeout``.

    The address of rank 0's host is MASTER_ADDR, where that is set, or else the name that MPI has for it. A rank that
    ends by an exception ends the job from then on: others wait for it.
    """
    world = MPI.COMM_WORLD
    place: tuple[str, int] | RuntimeError | None = None
    store = None
    if world.rank == 0:
        host = os.environ.get("MASTER_ADDR") or MPI.Get_processor_name()
        try:
            store = dist.TCPStore(host, 0, world.size, True, wait_for_workers=False)
            place = host, store.port
        except Exception as error:  # all ranks are told
            place = RuntimeError(f"trunkline: rank 0 has no store for PyTorch on {host} (MASTER_ADDR): {error}")
    place = world.bcast(place)
    if isinstance(place, RuntimeError):
        raise place
    if store is None:
        host, port = place
        store = dist.TCPStore(host, port, world.size, False, wait_for_workers=False)
    dist.init_process_group(backend, store=store, rank=world.rank, world_size=world.size, **options)
    if world.size > 1 and not hasattr(sys, "ps1"):
        sys.excepthook = _ending_the_job(sys.excepthook)


def _ending_the_job(hook: Callable[..., object]) -> Callable[..., object]:
    def end(*error: object) -> None:
        hook(*error)
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(1)

    return end


# Since 2.15 PyTorch calls what Python derives from its `Backend`, also for collectives in compiled graphs. Older
# releases know Python's groups of processes alone.
_KNOWS_BACKENDS = hasattr(dist, "all_gather_single")
_Base = torch._C._distributed_c10d.Backend if _KNOWS_BACKENDS else dist.ProcessGroup


class MpiWork(Work):  # type: ignore[misc]
    """A call that is under way. Its future has the result, or what went wrong."""

    def __init__(self, future: torch.futures.Future, errors: Sequence[Exception]) -> None:
        """Over once that one is; then `errors` has what went wrong, which the future knows by its words alone."""
        super().__init__()
        self.future = future
        self._errors = errors

    def wait(self, _timeout: timedelta | None = None) -> bool:
        """Raises what went wrong. As long as MPI waits: no timeout is kept."""
        try:
            self.future.wait()
        except RuntimeError:
            if self._errors:
                raise self._errors[0] from None
            raise
        return True

    def get_future(self) -> torch.futures.Future:
        """What PyTorch waits for."""
        return self.future


class MpiProcessGroup(_Base):  # type: ignore[misc,valid-type]
    """Collectives over an MPI communicator, one after the other in a thread of their own, beside what PyTorch computes.

    Tensors are dense and on the CPU. Messages between two ranks are not here.
    """

    def __init__(self, communicator: MPI.Intracomm) -> None:
        """Serve a communicator, which is this group's alone."""
        super().__init__(communicator.rank, communicator.size)
        self._communicator = communicator
        self._calls = ThreadPoolExecutor(1, thread_name_prefix="trunkline")
        # Who hears of a call's end may wait for another one.
        self._ends = ThreadPoolExecutor(32, thread_name_prefix="trunkline-ends")

    def shutdown(self) -> None:
        """After all calls; all ranks of the group."""
        self._calls.shutdown()
        self._ends.shutdown()
        if self._communicator != MPI.COMM_NULL:
            self._communicator.Free()

    def getBackendName(self) -> str:  # noqa: N802
        """By which PyTorch knows it."""
        return BACKEND

    def allreduce(self, tensors: Sequence[torch.Tensor], opts: AllreduceOptions) -> Work:
        """In place."""
        tensor = _only(tensors)
        operation, divisor = _operation(opts.reduceOp, tensor, self.size())
        flat = _flat(tensor)

        def call() -> None:
            self._communicator.Allreduce(MPI.IN_PLACE, _message(flat), operation)
            _put_back(flat if divisor == 1 else flat.div_(divisor), tensor)

        return self._start(call, [tensor])

    def allreduce_coalesced(self, tensors: Sequence[torch.Tensor], opts: AllreduceOptions) -> Work:
        """Of several tensors in place, each by itself."""
        return _together(self.allreduce([one], opts) for one in tensors)

    def reduce(self, tensors: Sequence[torch.Tensor], opts: ReduceOptions) -> Work:
        """In place on the root; the others' tensors stay as they are."""
        tensor, root = _only(tensors), opts.rootRank
        operation, divisor = _operation(opts.reduceOp, tensor, self.size())
        flat = _flat(tensor)

        def call() -> None:
            if self.rank() != root:
                self._communicator.Reduce(_message(flat), None, operation, root)
                return
            self._communicator.Reduce(MPI.IN_PLACE, _message(flat), operation, root)
            _put_back(flat if divisor == 1 else flat.div_(divisor), tensor)

        return self._start(call, [tensor])

    def broadcast(self, tensors: Sequence[torch.Tensor], opts: BroadcastOptions) -> Work:
        """In place."""
        tensor, root = _only(tensors), opts.rootRank
        flat = _flat(tensor)

        def call() -> None:
            self._communicator.Bcast(_message(flat), root)
            _put_back(flat, tensor)

        return self._start(call, [tensor])

    def allgather(
        self,
        outputs: Sequence[Sequence[torch.Tensor]],
        inputs: Sequence[torch.Tensor],
        opts: AllgatherOptions | None = None,  # noqa: ARG002
    ) -> Work:
        """All ranks' tensors, as many outputs as ranks, equally long."""
        own = _flat(_only(inputs))
        of_ranks = _of_ranks(outputs, own, self.size(), "allgather")
        together = own.new_empty(self.size() * own.numel())

        def call() -> None:
            self._communicator.Allgather(_message(own), _message(together))
            _spread(together, of_ranks)

        return self._start(call, list(of_ranks))

    def all_gather_single(
        self,
        output: torch.Tensor,
        own: torch.Tensor,
        opts: AllgatherOptions | None = None,  # noqa: ARG002
    ) -> Work:
        """All ranks' tensors, one behind the other."""
        _check(output.numel() == own.numel() * self.size(), "all_gather_into_tensor")
        _check_types([output, own], "all_gather_into_tensor")
        flat, result = _flat(own), _flat(output)
        is_in_place = flat.data_ptr() == result.data_ptr() + self.rank() * flat.numel() * flat.element_size()

        def call() -> None:
            self._communicator.Allgather(MPI.IN_PLACE if is_in_place else _message(flat), _message(result))
            _put_back(result, output)

        return self._start(call, [output])

    def all_gather_single_coalesced(
        self,
        outputs: Sequence[torch.Tensor],
        inputs: Sequence[torch.Tensor],
        opts: AllgatherOptions | None = None,
    ) -> Work:
        """Of several tensors, each by itself."""
        return _together(self.all_gather_single(*one, opts) for one in zip_equal(outputs, inputs))

    _allgather_base = all_gather_single  # its name in older releases; so below

    def reduce_scatter(
        self, outputs: Sequence[torch.Tensor], inputs: Sequence[Sequence[torch.Tensor]], opts: ReduceScatterOptions
    ) -> Work:
        """Each rank's tensor of the sum, as many inputs as ranks, equally long."""
        output = _only(outputs)
        of_ranks = _of_ranks(inputs, output, self.size(), "reduce_scatter")
        return self.reduce_scatter_single(output, _in_a_row(of_ranks), opts)

    def reduce_scatter_single(self, output: torch.Tensor, own: torch.Tensor, opts: ReduceScatterOptions) -> Work:
        """Each rank's part of the sum."""
        _check(output.numel() * self.size() == own.numel(), "reduce_scatter_tensor")
        _check_types([output, own], "reduce_scatter_tensor")
        operation, divisor = _operation(opts.reduceOp, own, self.size())
        flat = _flat(own)
        result = _apart(_flat(output), flat)

        def call() -> None:
            self._communicator.Reduce_scatter_block(_message(flat), _message(result), operation)
            _put_back(result if divisor == 1 else result.div_(divisor), output)

        return self._start(call, [output])

    def reduce_scatter_single_coalesced(
        self, outputs: Sequence[torch.Tensor], inputs: Sequence[torch.Tensor], opts: ReduceScatterOptions
    ) -> Work:
        """Of several tensors, each by itself."""
        return _together(self.reduce_scatter_single(*one, opts) for one in zip_equal(outputs, inputs))

    _reduce_scatter_base = reduce_scatter_single

    def all_to_all_single(
        self,
        output: torch.Tensor,
        own: torch.Tensor,
        from_each: Sequence[int],
        to_each: Sequence[int],
        opts: AllToAllOptions | None = None,  # noqa: ARG002
    ) -> Work:
        """Rows for each rank from each other one; `from_each`, `to_each`: how many, empty: all alike."""
        ranks, needed = self.size(), "as many rows as are said, or a multiple of the ranks,"
        for rows, each in ((len(own), to_each), (len(output), from_each)):
            _check(sum(each) == rows if each else rows % ranks == 0, "all_to_all_single", needed)
        _check_types([output, own], "all_to_all_single")
        flat = _flat(own)
        result = _apart(_flat(output), flat)

        def call() -> None:
            if to_each or from_each:
                sent, received = _elements(flat, to_each, ranks), _elements(result, from_each, ranks)
                self._communicator.Alltoallv(_message(flat, sent), _message(result, received))
            else:
                self._communicator.Alltoall(_message(flat), _message(result))
            _put_back(result, output)

        return self._start(call, [output])

    alltoall_base = all_to_all_single

    def alltoall(
        self,
        outputs: Sequence[torch.Tensor],
        inputs: Sequence[torch.Tensor],
        opts: AllToAllOptions | None = None,  # noqa: ARG002
    ) -> Work:
        """A tensor for each rank from each other one, of any lengths."""
        _check(len(inputs) == len(outputs) == self.size(), "all_to_all", "as many tensors as ranks")
        _check_types([*inputs, *outputs], "all_to_all")
        sent, received = _in_a_row(inputs), _in_a_row(outputs)

        def call() -> None:
            lengths = [[one.numel() for one in tensors] for tensors in (inputs, outputs)]
            self._communicator.Alltoallv(_message(sent, lengths[0]), _message(received, lengths[1]))
            _spread(received, outputs)

        return self._start(call, list(outputs))

    def gather(
        self, outputs: Sequence[Sequence[torch.Tensor]], inputs: Sequence[torch.Tensor], opts: GatherOptions
    ) -> Work:
        """All ranks' tensors on the root, equally long."""
        own, root = _flat(_only(inputs)), opts.rootRank
        of_ranks = _of_ranks(outputs, own, self.size(), "gather") if self.rank() == root else []
        together = own.new_empty(len(of_ranks) * own.numel())

        def call() -> None:
            self._communicator.Gather(_message(own), _message(together) if of_ranks else None, root)
            _spread(together, of_ranks)

        return self._start(call, list(of_ranks))

    def scatter(
        self, outputs: Sequence[torch.Tensor], inputs: Sequence[Sequence[torch.Tensor]], opts: ScatterOptions
    ) -> Work:
        """Each rank's tensor from the root, equally long."""
        output, root = _only(outputs), opts.rootRank
        of_ranks = _of_ranks(inputs, output, self.size(), "scatter") if self.rank() == root else []
        together = _in_a_row(of_ranks) if of_ranks else None
        result = _flat(output)

        def call() -> None:
            self._communicator.Scatter(together if together is None else _message(together), _message(result), root)
            _put_back(result, output)

        return self._start(call, [output])

    def barrier(self, opts: BarrierOptions | None = None) -> Work:  # noqa: ARG002
        """After all calls before it."""
        return self._start(self._communicator.Barrier, [])

    def send(self, *_: object) -> Work:
        """Refused, and `recv` too: in a row with other calls, it would wait for a rank that waits for them."""
        raise RuntimeError(
            f"{BACKEND} does not support send and recv: use MPI, or another group, such as one over Gloo"
        )

    recv = recv_anysource = send

    def _start(self, call: Callable[[], object], result: list[torch.Tensor]) -> Work:
        over, errors = torch.futures.Future(), []
        is_inference = torch.is_inference_mode_enabled()  # of the caller's thread

        def run() -> None:
            try:
                with torch.inference_mode(is_inference), torch.no_grad():
                    call()
            except Exception as error:  # whoever waits is told
                if not _KNOWS_BACKENDS:
                    _end_job()
                errors.append(error)
            self._ends.submit(over.set_result, None)

        def outcome(_: torch.futures.Future) -> list[torch.Tensor]:
            """Raised here, an error is one to PyTorch's own waiters, too."""
            if errors:
                raise errors[0]
            return result

        future = over.then(outcome)
        self._calls.submit(run)
        return _work(future, errors)


def _create(options: _DistributedBackendOptions, _of_group: object) -> MpiProcessGroup:
    """The group that PyTorch asks for; its members alone call it."""
    world = MPI.COMM_WORLD
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        raise RuntimeError("trunkline: MPI was started without MPI_THREAD_MULTIPLE, which calls beside others need")
    ranks = list(options.global_ranks_in_group) or list(range(world.size))
    if len(ranks) != options.group_size or ranks[options.group_rank] != world.rank:
        raise ValueError(
            f"trunkline: rank {options.group_rank} of {options.group_size} is rank {world.rank} of {world.size} of the "
            "MPI job: start it by mpiexec or srun, and take the ranks from it (trunkline.torch.init_process_group)"
        )
    if len(ranks) == world.size and ranks == list(range(world.size)):
        return MpiProcessGroup(world.Dup())
    return MpiProcessGroup(world.Create_group(world.group.Incl(ranks)))


def _work(future: torch.futures.Future, errors: Sequence[Exception] = ()) -> Work:
    """PyTorch's own tells no errors. Under 1.13 DDP hangs with one that Python derives."""
    return MpiWork(future, errors) if _KNOWS_BACKENDS else _create_work_from_future(future)


def _end_job() -> NoReturn:
    """PyTorch before 2.15 would go on with wrong data."""
    print_exc()
    print("trunkline: a call of PyTorch's failed, which ends the job", file=sys.stderr, flush=True)
    MPI.COMM_WORLD.Abort(1)
    raise SystemExit(1)


def _together(works: Iterable[Work]) -> Work:
    def outcome(over: torch.futures.Future) -> list[torch.Tensor]:
        return [tensor for one in over.value() for tensor in one.value()]

    return _work(torch.futures.collect_all([work.get_future() for work in works]).then(outcome))


def _check(is_right: bool, call: str, needed: str = "as many tensors as ranks, all of one length,") -> None:
    if not is_right:
        raise ValueError(f"trunkline: {call}: {needed} are needed")


def _check_types(tensors: Sequence[torch.Tensor], call: str) -> None:
    _check(len({one.dtype for one in tensors}) <= 1, call, "tensors of one type")


def _only(things: Sequence[_Thing]) -> _Thing:
    """PyTorch hands over lists, for ranks with several devices."""
    if len(things) != 1:
        raise ValueError(f"trunkline: one tensor of each rank is needed, not {len(things)}")
    return things[0]


def _of_ranks(
    lists: Sequence[Sequence[torch.Tensor]], own: torch.Tensor, ranks: int, call: str
) -> Sequence[torch.Tensor]:
    """A tensor of each rank, all as long as this rank's own."""
    tensors = _only(lists)
    _check(len(tensors) == ranks and all(one.numel() == own.numel() for one in tensors), call)
    _check_types([*tensors, own], call)
    return tensors


def _flat(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor itself where its elements follow each other, else a copy."""
    if tensor.device.type != "cpu" or tensor.layout != torch.strided:
        raise ValueError(f"trunkline: dense tensors on the CPU are needed, not {tensor.layout} on {tensor.device}")
    if tensor.dtype not in _TYPES:
        raise ValueError(f"trunkline: elements of {tensor.dtype} are not served")
    return tensor.contiguous()


def _in_a_row(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.cat([_flat(one).reshape(-1) for one in tensors])


def _spread(together: torch.Tensor, tensors: Sequence[torch.Tensor]) -> None:
    """What lies in a row, into each of them."""
    begin = 0
    for one in tensors:
        one.copy_(together[begin : begin + one.numel()].view(one.shape))
        begin += one.numel()


def _apart(result: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """Room for a result where MPI allows it: not where it reads. The tensor itself, or other memory."""
    begin, end = (result.data_ptr() + all_of for all_of in (0, result.numel() * result.element_size()))
    first = own.data_ptr()
    is_apart = end <= first or first + own.numel() * own.element_size() <= begin
    return result if is_apart else torch.empty_like(result)


def _put_back(flat: torch.Tensor, tensor: torch.Tensor) -> None:
    if flat.data_ptr() != tensor.data_ptr():
        tensor.copy_(flat)


def _message(flat: torch.Tensor, counts: list[int] | None = None) -> list[MPI.buffer | list[int] | MPI.Datatype]:
    """All of a tensor, which must outlive the call; without `counts` mpi4py finds how much of it is each rank's."""
    buffer = MPI.buffer.fromaddress(flat.data_ptr(), flat.numel() * flat.element_size())
    return [buffer, *([] if counts is None else [counts]), _TYPES[flat.dtype]]


def _elements(flat: torch.Tensor, each: Sequence[int], ranks: int) -> list[int]:
    """How many of a tensor are each rank's, of which `each` says the rows; empty: all alike."""
    row = flat.numel() // max(len(flat), 1)
    return [rows * row for rows in each] if each else [flat.numel() // ranks] * ranks


def _operation(wanted: dist.ReduceOp, tensor: torch.Tensor, ranks: int) -> tuple[MPI.Op, int]:
    """MPI's operation, and what its result is divided by."""
    names = ("SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR")
    name = next((name for name in names if wanted == getattr(dist.ReduceOp, name)), None)
    is_fraction = tensor.is_floating_point() or tensor.is_complex()
    if name == "AVG" and is_fraction:
        return _operation(dist.ReduceOp.SUM, tensor, ranks)[0], ranks
    if name in _OF_HALVES and tensor.dtype in _HALVES:
        return _of_halves(name, tensor.dtype), 1
    table = _OF_TRUTH if tensor.dtype == torch.bool else _OPERATIONS if is_fraction else _OPERATIONS | _OF_BITS
    if name not in table or (tensor.is_complex() and name in ("MIN", "MAX")):
        raise ValueError(f"trunkline: {name or wanted} of {tensor.dtype} is not served")
    return table[name], 1


@cache
def _of_halves(name: str, dtype: torch.dtype) -> MPI.Op:
    def combine(others: Buffer, mine: Buffer, _type: MPI.Datatype) -> None:
        result = torch.frombuffer(mine, dtype=dtype)
        _OF_HALVES[name](torch.frombuffer(others, dtype=dtype), result, out=result)

    return MPI.Op.Create(combine, commute=True)


_OF_CPUS = {"devices": ["cpu"]} if _KNOWS_BACKENDS else {}
dist.Backend.register_backend(BACKEND, _create, extended_api=True, **_OF_CPUS)
