"""Does it work, does it pay, and why not: in a job on its own nodes, on this machine, on a network by prediction."""
