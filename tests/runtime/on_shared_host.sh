#!/bin/sh
# Gives RANKS_PER_HOST ranks one host in the cluster file, on one machine: of 2, ranks 2 and 3 are on h1. Usage: on_shared_host.sh PROGRAM...
rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
TRUNKLINE_HOST=h$((rank / RANKS_PER_HOST))
export TRUNKLINE_HOST
exec "$@"
