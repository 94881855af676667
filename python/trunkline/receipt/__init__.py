"""What jobs' receipts say (``TRUNKLINE_SUMMARY``): of one job, and of all jobs of a cluster together."""
