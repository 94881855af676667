"""Every call that trunkline.torch serves, on three ranks, and some that it refuses."""

import sys
from importlib import import_module

import pytest
import torch
import torch.distributed as dist

import trunkline.torch

ALL_TYPES = [
    *(torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128),
]
Op = dist.ReduceOp
IS_NEW = hasattr(dist, "all_gather_single")  # PyTorch 2.15

torch.set_num_threads(1)
trunkline.torch.init_process_group()
rank, ranks = dist.get_rank(), dist.get_world_size()
assert ranks == 3


def is_refused(call, error, word):
    with pytest.raises(error, match=word):
        call()


for dtype in ALL_TYPES:
    tensor = (torch.arange(700) % 7 + rank).to(dtype)
    dist.all_reduce(tensor)
    assert torch.equal(tensor, (3 * (torch.arange(700) % 7) + 3).to(dtype)), dtype
    tensor = torch.full((300,), rank + 1).to(dtype)
    dist.broadcast(tensor, 1)
    assert torch.equal(tensor, torch.full((300,), 2).to(dtype)), dtype
for dtype in (torch.bfloat16, torch.float32):
    for operation, result in ((Op.MAX, 3), (Op.MIN, 1), (Op.PRODUCT, 6), (Op.AVG, 2)):
        tensor = torch.full((1000,), rank + 1.0, dtype=dtype)
        dist.all_reduce(tensor, operation)
        assert (tensor == result).all(), (dtype, operation)
tensor = torch.tensor([1 << rank])
dist.all_reduce(tensor, Op.BOR)
assert tensor.item() == 7
tensor = torch.tensor([rank == 1, False])
dist.all_reduce(tensor, Op.MAX)
assert tensor.tolist() == [True, False]

across = torch.arange(12.0).view(3, 4).t()
dist.all_reduce(across)
assert torch.equal(across, 3 * torch.arange(12.0).view(3, 4).t())
dist.broadcast(across[1:3, 1], 0)
every_other = torch.full((10,), float(rank))
dist.broadcast(every_other[::2], 2)
assert every_other.tolist() == [2.0, float(rank)] * 5

gathered = [torch.zeros(2, 2) for _ in range(ranks)]
dist.all_gather(gathered, torch.full((2, 2), float(rank)))
assert [one[1, 1].item() for one in gathered] == [0, 1, 2]
together = torch.zeros(2 * ranks)
dist.all_gather_into_tensor(together, torch.full((2,), float(rank)))
assert together.tolist() == [0, 0, 1, 1, 2, 2]
share = torch.zeros(2)
dist.reduce_scatter(share, [torch.full((2,), float(one + rank)) for one in range(ranks)])
assert share.tolist() == [3 * rank + 3] * 2
dist.reduce_scatter_tensor(share, torch.arange(6.0), Op.AVG)
assert share.tolist() == [2 * rank, 2 * rank + 1]
tensor = torch.full((4,), rank + 1.0)
dist.reduce(tensor, 2)
assert tensor.tolist() == [6.0 if rank == 2 else rank + 1.0] * 4
mine = torch.arange(6.0).view(6, 1) + 10 * rank  # two rows for each
dist.all_to_all_single(exchanged := torch.zeros(6, 1), mine)
assert exchanged.view(-1).tolist() == [10 * one + 2 * rank + row for one in range(ranks) for row in (0, 1)]
uneven = torch.full(((rank + 1) * ranks, 2), float(rank))  # rank + 1 rows for each
together = torch.zeros(6, 2)
dist.all_to_all_single(together, uneven, [1, 2, 3], [rank + 1] * ranks)
assert together[:, 1].tolist() == [0, 1, 1, 2, 2, 2]
lists = [torch.zeros(one + 1) for one in range(ranks)]
dist.all_to_all(lists, [torch.full((rank + 1,), float(to)) for to in range(ranks)])
assert [one.tolist() for one in lists] == [[rank] * (one + 1) for one in range(ranks)]
gathered = [torch.zeros(2, 2) for _ in range(ranks)]
dist.gather(torch.full((2, 2), float(rank)), gathered if rank == 1 else None, 1)
assert [one[1, 1].item() for one in gathered] == ([0, 1, 2] if rank == 1 else [0, 0, 0])
dist.scatter(share, [torch.full((2,), float(to)) for to in range(ranks)] if rank == 2 else None, 2)
assert share.tolist() == [rank] * 2
objects = [None] * ranks
dist.all_gather_object(objects, {"rank": rank})
assert objects[2] == {"rank": 2}
empty = torch.zeros(0)
dist.all_reduce(empty)
dist.broadcast(empty, 0)

# Results that lie where the operand does, between elements of others, and in the caller's inference mode.
whole = torch.arange(6.0)
dist.reduce_scatter_tensor(whole.chunk(ranks)[rank], whole)
assert whole.chunk(ranks)[rank].tolist() == [6 * rank, 6 * rank + 3]
rows = torch.arange(3.0) + 10 * rank
dist.all_to_all_single(rows, rows)
assert rows.tolist() == [10 * one + rank for one in range(ranks)]
apart = torch.zeros(ranks, 2)
dist.all_gather_into_tensor(apart[:, 1], torch.full((1,), float(rank)))
assert apart.tolist() == [[0, one] for one in range(ranks)]
with torch.inference_mode():
    gathered = [torch.zeros(2, 2) for _ in range(ranks)]
    dist.all_gather(gathered, torch.full((2, 2), float(rank)))
    assert [one[1, 1].item() for one in gathered] == [0, 1, 2]
gathered = [torch.zeros(2, 2) for _ in range(ranks)]


def goes_on(future):
    """Who hears of one call waits for another one."""
    return [*future.value(), *dist.all_reduce(torch.ones(1), async_op=True).get_future().wait()]


first = dist.all_reduce(torch.ones(1), async_op=True)
assert torch.cat(first.get_future().then(goes_on).wait()).tolist() == [3, 3]

if IS_NEW:  # collectives as functions, as compiled graphs have them
    functional = import_module("torch.distributed._functional_collectives")
    world = dist.group.WORLD
    assert functional.all_reduce(torch.ones(4), "sum", world).tolist() == [3] * 4
    assert functional.all_gather_single(torch.full((1,), rank), 0, world).tolist() == [0, 1, 2]
    assert functional.reduce_scatter_single(torch.arange(3), "sum", 0, world).tolist() == [3 * rank]

# Calls that are under way at a time, and a group of some ranks.
many = [torch.full((1000,), float(number)) for number in range(20)]
for work in [dist.all_reduce(one, async_op=True) for one in many]:
    work.wait()
    assert work.get_future().done()
assert all(one[0] == 3 * number for number, one in enumerate(many))
some = dist.new_group([0, 2])
if rank != 1:
    tensor = torch.tensor([rank + 1.0])
    dist.all_reduce(tensor, group=some)
    assert tensor.item() == 4
    dist.broadcast(tensor, 2, group=some)

is_refused(lambda: dist.all_reduce(torch.ones(2), Op.BAND), ValueError, "BAND of torch.float32 is not served")
is_refused(lambda: dist.all_reduce(torch.ones(2, dtype=torch.int32), Op.AVG), ValueError, "AVG of torch.int32")
is_refused(lambda: dist.all_reduce(torch.ones(2).to_sparse()), ValueError, "dense tensors on the CPU")
is_refused(lambda: dist.send(torch.ones(2), (rank + 1) % ranks), RuntimeError, "does not support send")
is_refused(lambda: dist.all_gather(gathered, torch.ones(3)), ValueError, "all of one length")
is_refused(lambda: dist.all_gather_into_tensor(torch.ones(3).double(), torch.ones(1)), ValueError, "of one type")
is_refused(lambda: dist.all_to_all_single(torch.ones(4), torch.ones(6)), ValueError, "a multiple of the ranks")


def spoil(*_):
    raise ValueError("spoilt")


# What goes wrong in the thread that calls MPI. Older releases would not hear of it: there it ends the job.
if IS_NEW or sys.argv[1:] == ["spoilt"]:
    kept, trunkline.torch._put_back = trunkline.torch._put_back, spoil
    is_refused(lambda: dist.all_reduce(torch.ones(3)), ValueError, "spoilt")
    future = dist.all_reduce(torch.ones(3), async_op=True).get_future()
    is_refused(future.wait, RuntimeError, "spoilt")
    is_refused(lambda: dist.all_reduce_coalesced([torch.ones(3), torch.ones(2)]), RuntimeError, "spoilt")
    trunkline.torch._put_back = kept

dist.barrier()
dist.destroy_process_group()
if rank == 0:
    print("right")
