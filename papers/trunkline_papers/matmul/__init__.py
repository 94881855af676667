"""The paper on multicasts: products of matrices on several hosts."""
