#!/bin/sh
# Appends what a rank says on standard error to a file. Launchers cut it into pieces of 4 KiB, and put those of several
# ranks between each other, within lines too. Usage: in_whole_lines.sh FILE PROGRAM...
file=$1
shift
exec "$@" 2>>"$file"
