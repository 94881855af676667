#%Module1.0
# A link to this file in a folder of MODULEPATH does: the prefix is found from where the file really is.
set file $ModulesCurrentModulefile
if {[file type $file] eq "link"} { set file [file join [file dirname $file] [file readlink $file]] }
set prefix [file dirname [file dirname [file dirname [file normalize $file]]]]

module-whatis "Trunkline: MPI collectives that follow the switches of the cluster"
conflict trunkline

# The command, where a virtual environment was made in the same place
if {[file exists $prefix/bin/trunkline]} { prepend-path PATH $prefix/bin }
prepend-path PKG_CONFIG_PATH $prefix/lib/pkgconfig
prepend-path CMAKE_PREFIX_PATH $prefix

# Where all jobs run on one cluster, name its file:
# setenv TRUNKLINE_CLUSTER /path/to/cluster.yaml
