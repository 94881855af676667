"""The papers on pipelined broadcasts: the model of segments, and heights of trees without contention."""
