"""``trunkline copy`` between emulated hosts. They share this machine's files, so each has a folder of its own."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from explained import JSON, explained
from jobs import AS_ROOT

from trunkline.lab.session import Lab
from trunkline.paths import IDLE_SHIM, NATIVE

pytestmark = pytest.mark.usefixtures("nothing_left")

SSHD = Path("/usr/sbin/sshd")

needs_program = pytest.mark.skipif(
    not (NATIVE / "libexec" / "trunkline-copy-mpich").exists(),
    reason="the program that copies was not built: it needs xxhash.h (libxxhash-dev)",
)


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "big.bin"
    file.write_bytes(os.urandom(3_000_000))
    return file


@needs_program
@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_a_file_to_all_hosts_of_a_job(trunkline, tmp_path, source, mpi):
    results = tmp_path / "results.json"
    words = ("trunkline", "copy", str(source), "--to", f"{tmp_path}/to/{{host}}", "--block", "1MiB")
    job = ("lab", "run", "cyclic", "--rate", "100Mbit", "--mpi", mpi, "-n", "6", "--", *words, "--json", str(results))
    done = trunkline(*job, env={**os.environ, **JSON, "TRUNKLINE_HOST_COSTS": "free"})
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = json.loads(results.read_text())
    assert (result["hosts"], result["sent_bytes"]) == (6, 3_000_000)
    assert result["seconds"] > 3_000_000 * 8 / 100e6  # it came over links
    assert explained(done.stderr, collective="bcast", bytes=1048600, root=0, communicator_size=6), done.stderr
    for host in range(6):
        assert (tmp_path / "to" / f"h{host}" / "big.bin").read_bytes() == source.read_bytes()


@needs_program
def test_a_disk_without_room_leaves_nothing_and_harms_nobody(trunkline, tmp_path, source):
    for host in range(3):
        (tmp_path / "to" / f"h{host}").mkdir(parents=True)
    script = f"""
        if [ "$(hostname)" = h1 ]; then mount -t tmpfs -o size=1m none {tmp_path}/to/h1; fi
        trunkline copy {source} --to '{tmp_path}/to/{{host}}' --json {tmp_path}/results.json
        status=$?
        ls -A {tmp_path}/to/$(hostname) >{tmp_path}/left-$(hostname)
        exit $status
    """
    done = trunkline("lab", "run", "cyclic", "--rate", "100Mbit", "--mpi", "mpich", "-n", "3", "--", "sh", "-c", script)
    assert done.returncode == 1, done.stdout + done.stderr
    (result,) = json.loads((tmp_path / "results.json").read_text())
    reason = f"cannot write {tmp_path}/to/h1/big.bin: No space left on device"
    assert result["failures"] == [{"host": "h1", "reason": reason}]
    assert f"trunkline: host h1: {reason}" in done.stderr
    assert [(tmp_path / f"left-h{host}").read_text() for host in range(3)] == ["big.bin\n", "", "big.bin\n"]


@needs_program
def test_hosts_that_a_remote_shell_reaches(trunkline, tmp_path, source):
    """No job is there: the command starts one. Hydra's settings stand for what an administrator has."""
    words = ("trunkline", "copy", str(source), "--to", f"{tmp_path}/to/{{host}}", "--hosts", "h[0-2]", "--mpi", "mpich")
    settings = {
        "HYDRA_LAUNCHER": "rsh",
        "HYDRA_LAUNCHER_EXEC": Lab.agent,
        "UCX_NET_DEVICES": "eth0",
        "UCX_TLS": "tcp,self",
        "LD_PRELOAD": str(IDLE_SHIM),
        "TRUNKLINE_EXPLAIN": "1",
    }
    command = ("env", *(f"{name}={value}" for name, value in settings.items()), *words, "--cluster", "cyclic")
    done = trunkline("lab", "exec", "cyclic", "--rate", "100Mbit", "--", *command)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 MB on 3 hosts" in done.stderr
    assert "from rank 0 on 3 ranks ran" in done.stderr
    for host in range(3):
        assert (tmp_path / "to" / f"h{host}" / "big.bin").read_bytes() == source.read_bytes()


@needs_program
@pytest.mark.skipif(not SSHD.exists() or os.geteuid() != 0, reason="needs an ssh server (make peers), and root for it")
@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_hosts_that_ssh_reaches(trunkline, tmp_path, source, mpi):
    """Plain ssh and Debian's server on two of three hosts; a host without a server is told before anything starts."""
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / key], check=True)
    (tmp_path / "sshd_config").write_text(
        f"HostKey {tmp_path}/host\nAuthorizedKeysFile {tmp_path}/user.pub\nStrictModes no\nUsePAM no\nPidFile none\n"
        "PermitRootLogin yes\n"
    )
    (tmp_path / "ssh_config").write_text(
        f"IdentityFile {tmp_path}/user\nIdentitiesOnly yes\nStrictHostKeyChecking accept-new\n"
        f"UserKnownHostsFile {tmp_path}/known\nLogLevel ERROR\n"
    )
    (tmp_path / "bin").mkdir()
    client = tmp_path / "bin" / "ssh"
    client.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {tmp_path}/ssh_config "$@"\n')
    client.chmod(0o755)
    copy = f"trunkline copy {source} --to '{tmp_path}/to/{{host}}' --mpi {mpi} --cluster cyclic"
    script = tmp_path / "script"
    script.write_text(
        "set -e\nmkdir -p /run/sshd\n"
        f"for host in h1 h2; do {Lab.agent} $host {SSHD} -f {tmp_path}/sshd_config -E {tmp_path}/log; done\n"
        f"export PATH={tmp_path}/bin:$PATH LD_PRELOAD={IDLE_SHIM} TRUNKLINE_EXPLAIN=1\n"
        f"{copy} --hosts 'h[0-3]' && exit 3\n"
        f"{copy} --hosts 'h[0-2]'\n"
    )
    settings = {
        **AS_ROOT,
        **dict.fromkeys(("OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_oob_tcp_if_include", "UCX_NET_DEVICES"), "eth0"),
        "OMPI_MCA_btl": "tcp,self",
        "OMPI_MCA_pml": "ob1",
        "UCX_TLS": "tcp,self",
    }
    words = ("env", *(f"{name}={value}" for name, value in settings.items()), "bash", script)
    done = trunkline("lab", "exec", "cyclic", "--rate", "100Mbit", "--", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "--hosts: host h3 is not reached without a password: ssh: connect to host h3 port 22: " in done.stderr
    assert "3 MB on 3 hosts" in done.stderr
    assert "from rank 0 on 3 ranks ran" in done.stderr
    for host in range(3):
        assert (tmp_path / "to" / f"h{host}" / "big.bin").read_bytes() == source.read_bytes()
