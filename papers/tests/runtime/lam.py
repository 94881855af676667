"""LAM/MPI on this machine: a daemon for a few jobs, as another user where we are root, whom LAM/MPI refuses."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

__all__ = ["Lam", "why_not"]

SECONDS = 120
UNPRIVILEGED = "nobody"


def why_not() -> str | None:
    """Why LAM/MPI cannot run here; None where it can."""
    if not all(shutil.which(word) for word in ("mpicc.lam", "mpirun.lam", "lamboot")):
        return "LAM/MPI is not installed (apt-get install lam4-dev lam-runtime)"
    if os.getuid() == 0:
        if shutil.which("setpriv") is None:
            return "LAM/MPI refuses root, and there is no setpriv (util-linux) to run it as another user"
        if UNPRIVILEGED not in {user.pw_name for user in pwd.getpwall()}:
            return f"LAM/MPI refuses root, and there is no user '{UNPRIVILEGED}' to run it as"
    return None


class Lam:
    """Boots on entry, halts on exit; ``folder`` is readable by the user that the jobs run as."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lam-"))
        self._home = self.folder / "home"
        self._as_user: list[str] = []
        user = pwd.getpwuid(os.getuid())
        self._home.mkdir()
        self.folder.chmod(0o755)
        if user.pw_uid == 0:
            user = pwd.getpwnam(UNPRIVILEGED)
            os.chown(self._home, user.pw_uid, user.pw_gid)
            self._as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._home),
            "TMPDIR": str(self._home),
            "LAM_MPI_SESSION_PREFIX": str(self._home),
            "USER": user.pw_name,
            "LOGNAME": user.pw_name,
        }

    def __enter__(self) -> "Lam":
        hosts = self.folder / "hosts"
        hosts.write_text("localhost cpu=16\n")
        booted = self._run("lamboot", hosts)
        assert booted.returncode == 0, booted.stdout
        return self

    def __exit__(self, *_: object) -> None:
        self._run("lamhalt")
        shutil.rmtree(self.folder)

    def run(self, ranks: int, *command: str | Path) -> str:
        """Runs a job over TCP; returns what it printed."""
        done = self._run("mpirun.lam", "-ssi", "rpi", "tcp", "-np", str(ranks), *command)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def _run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        # Not through pipes: the daemon that lamboot leaves running holds them open.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                [*self._as_user, *map(str, words)],
                env=self._environment,
                cwd=self._home,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
                check=False,
            )
            output.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, output.read())
