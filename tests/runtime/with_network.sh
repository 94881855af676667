#!/bin/sh
# Runs a program in networks of its own: the loopback, and one of IPv6 and IPv4 alone, which has no other host. Linux's
# loopback carries no IPv6 multicast. Usage: with_network.sh PROGRAM...
if [ "$1" != inside ]; then
  exec unshare --user --map-root-user --net "$0" inside "$@"
fi
shift
set -e
ip link set lo up
ip link add eth0 type veth peer name eth1
ip link set eth0 up
ip link set eth1 up
ip address add 198.18.0.1/15 broadcast + dev eth0
ip address add fd00::1/64 dev eth0 nodad
exec "$@"
