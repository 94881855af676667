"""The paper on broadcasts in grids: trees over weighted graphs, beside the optimum."""
