# SPDX-License-Identifier: Apache-2.0
"""Trains a small net on all ranks under PyTorch's DDP, with gradients over Trunkline or over Gloo: same losses.

    trunkline lab run --cluster cyclic --mpi mpich -n 4 -- python3 train_ddp.py
    trunkline lab run --cluster cyclic --mpi mpich -n 4 -- python3 train_ddp.py --backend gloo

    trunkline run --cluster my-cluster.yaml -- mpiexec -n 32 python3 train_ddp.py

Each rank has samples of its own. --width 1024 makes gradients of 4 MB a layer; --steps says how many there are. Each
step's loss is the mean over the ranks. --sharded: each rank keeps a part of the net (FSDP of PyTorch 2), instead of all
of it. It needs PyTorch and mpi4py (docs/torch.md).
"""

import argparse
import time

import torch
import torch.distributed as dist

import trunkline.torch

options = argparse.ArgumentParser()
options.add_argument("--backend", default="trunkline")
options.add_argument("--steps", type=int, default=10)
options.add_argument("--width", type=int, default=64)
options.add_argument("--sharded", action="store_true")
wanted = options.parse_args()

torch.set_num_threads(1)  # ranks of one machine share its processors
trunkline.torch.init_process_group(wanted.backend)
rank, ranks = dist.get_rank(), dist.get_world_size()

torch.manual_seed(1)  # the same net everywhere
net = torch.nn.Sequential(
    torch.nn.Linear(16, wanted.width),
    torch.nn.Tanh(),
    torch.nn.Linear(wanted.width, wanted.width),
    torch.nn.Tanh(),
    torch.nn.Linear(wanted.width, 1),
)
if wanted.sharded:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    model = fully_shard(net, mesh=init_device_mesh("cpu", (ranks,)))
else:
    model = torch.nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

torch.manual_seed(100 + rank)  # and other samples
inputs = torch.randn(32, 16)
targets = inputs.square().sum(1, keepdim=True) / 16

start = time.perf_counter()
for step in range(wanted.steps):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    mean = loss.detach().clone()
    dist.all_reduce(mean)
    if rank == 0:
        print(f"step {step}: loss {mean.item() / ranks:.6f}", flush=True)
if rank == 0:
    print(f"{ranks} ranks over {wanted.backend}: {(time.perf_counter() - start) / wanted.steps:.3f} s a step")
dist.barrier()
dist.destroy_process_group()
