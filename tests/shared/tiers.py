"""What each change waits for (`make test`), and what runs in `make test-all` alone.

A file is a path below tests; a case is a test, or a row of it without its MPI library. Of the lab the cases below run
for each change, of the other folders all but those below.
"""

from collections.abc import Iterable

WHOLE_FILE = "all"

LAB_SMOKE = {
    "lab/test_session.py": (
        "test_hosts_have_their_names_and_addresses",
        "test_bytes_cross_the_network_unchanged_and_are_counted",
        "test_exit_statuses_are_passed_on",
        "test_ends_on_errors_in_its_block",
    ),
    "lab/test_programs.py": (
        "test_c_program_on_32_hosts[mpich]",
        "test_c_program_on_32_hosts[openmpi]",
        "test_mpi4py_program_on_12_hosts[openmpi]",
        "test_a_rank_that_dies_ends_the_job[mpich]",
        "test_wrong_library_for_the_program",
        "test_unknown_host_runs_natively_with_one_warning",
    ),
    "lab/test_multicast_ways.py": ("test_multicasts_between_hosts[1-openmpi]",),
    "lab/test_changed_links.py": ("test_an_mpi_program_gets_over_a_failure",),
    "lab/test_copy.py": ("test_a_file_to_all_hosts_of_a_job[mpich]",),
}
"""The lab comes up, carries programs, and goes."""

THOROUGH: dict[str, tuple[str, ...]] = {
    # Sanitizers.
    "runtime/test_sanitized.py": (WHOLE_FILE,),
    "runtime/test_generated_reductions.py": ("test_under_sanitizers",),
    # Too much memory.
    "runtime/test_generated.py": (
        "test_under_sanitizers",
        "test_beyond_2_gib",
    ),
    "runtime/test_matrix.py": ("test_beyond_2_gib",),
    "runtime/test_torch.py": (WHOLE_FILE,),
    # The source of mpi4py, from its registry.
    "runtime/test_mpi4py.py": (WHOLE_FILE,),
    # Two times are compared.
    "runtime/test_costs.py": ("test_a_call_that_stays_native_costs_under_a_microsecond",),
    # Everything is compiled once more.
    "runtime/test_install.py": ("test_the_command_is_installed_too", "test_the_module_file_finds_its_place"),
    # Simulations, and a model that `make model` searches.
    "python/simulate/test_simulate_growth.py": (WHOLE_FILE,),
    "python/simulate/test_simulate_gains.py": (WHOLE_FILE,),
    "python/simulate/test_simulate_libraries.py": (WHOLE_FILE,),
    "python/simulate/test_simulate_long_links.py": (WHOLE_FILE,),
    "python/simulate/test_simulate_random_clusters.py": (WHOLE_FILE,),
    "python/simulate/test_simulate_shared_hosts.py": (WHOLE_FILE,),
    "python/simulate/test_simulate.py": (
        "test_what_is_far_behind_is_given_up",
        "test_nothing_is_faster_than_t_whatever_messages_cost",
        "test_lab_and_simulation_side_by_side",
        "test_every_peer_runs_and_the_second_call_is_timed",
    ),
    "python/test_multicast_model.py": (WHOLE_FILE,),
    # Long.
    "python/test_files.py": ("test_no_file_ends_in_a_traceback",),
    "python/peers/test_peers_algorithms.py": ("test_names_and_variables_are_those_of_the_library",),
    "python/generate/test_generate_rounds.py": ("test_a_thousand_ranks_fit",),
}


MAY_BE_SKIPPED = (
    "Open MPI from 5 on alone revokes communicators",
    "MPICH has fewer communicators than our tags can tell apart",
    "Debian's MPICH cannot spawn",
    "has no mpicc_abi",
    "there is a processor for each of six ranks",
    "datagrams did not reach a rank on this busy machine",
    "libtrunkline.so is for x86-64",
    "only root ",
    "the environment of these tests is not readable for other users",
    "no other user reaches ",
)
"""Parts of reasons that lie in the library whose turn it is, or in the machine; `make setup` brings all else."""


def is_for_each_change(file: str, test: str, row: str) -> bool:
    """`row`: as pytest calls it, without the library."""
    if file.startswith("lab/"):
        return _names(LAB_SMOKE.get(file, ()), test, row)
    return not _names(THOROUGH.get(file, ()), test, row)


def _names(cases: Iterable[str], test: str, row: str) -> bool:
    return any(case in (WHOLE_FILE, test, row) for case in cases)
