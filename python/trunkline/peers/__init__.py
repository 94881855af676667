"""Other MPI libraries and what they run by themselves: measured side by side with ours, tuned, and simulated."""
