"""A cluster small enough for the bytes that each library sends to be counted: two switches of three hosts."""

SIX_HOSTS = """
trunkline: cluster/1
name: six
defaults: {rate: 50Mbit, latency: 10us}
switches: s[0-1]
hosts:
  - {hosts: "a[0-2]", switch: s0}
  - {hosts: "b[0-2]", switch: s1}
links:
  - between: [s0, s1]
"""
