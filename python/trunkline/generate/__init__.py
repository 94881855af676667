"""Stand-alone C routines from plans: what a program can use without Trunkline."""
