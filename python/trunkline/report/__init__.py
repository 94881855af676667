"""Results one would rather look at: charts, drawings, pages."""
