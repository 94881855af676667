"""Times between pairs of hosts: what `trunkline measure --pairs` wrote, and the cluster file that follows from it."""
