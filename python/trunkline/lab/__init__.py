"""The lab: an emulated cluster on one Linux machine, without privileges."""
