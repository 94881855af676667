"""Results one would rather look at: charts, tables, pages."""
