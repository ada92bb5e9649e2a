"""What scripts that measure peers have in common: where things are, an environment for the peers, and a build of our side."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
VENV = TARGET / "peers-venv"


def say(text):
    print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def fail(text):
    say(text)
    sys.exit(1)


def enter_venv(packages):
    """Runs the script again in an environment that has the packages, each of which is imported by its name."""
    python = VENV / "bin" / "python"
    if not python.exists():
        say(f"making a virtual environment in {VENV}")
        if subprocess.run([sys.executable, "-m", "venv", str(VENV)]).returncode:
            fail("python cannot make virtual environments: install the package python3-venv")
    imports = f"import {', '.join(packages)}"
    if subprocess.run([str(python), "-c", imports], stderr=subprocess.DEVNULL).returncode:
        say(f"installing {', '.join(packages)}")
        if subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages]).returncode:
            fail(f"pip could not install {', '.join(packages)}: is there a package index?")
    if Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(python, [str(python), *sys.argv])


def build_ours(*options):
    """Builds a program of ours, optimised. Returns the folder it is in."""
    if not shutil.which("cargo"):
        fail("cargo is missing: install Rust")
    say("building our side")
    if subprocess.run(["cargo", "build", "--release", "--quiet", *options], cwd=ROOT).returncode:
        fail("our side does not build")
    return TARGET / "release"
