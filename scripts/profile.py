#!/usr/bin/env python3
"""Where the time of breaking a whole model goes, by source file: `scripts/profile.py [MODEL CELLS]`.

Samples one thread with perf and gives each sample to the innermost file of ours that belongs to a stage. Needs perf and addr2line.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
OURS = TARGET / "release" / "ours"
SAMPLES = TARGET / "profile.data"
LOADING = 2500  # ms until the model is in memory and its seeds are drawn
CARVING = "carve: walking the faces of a cell"
CARVE_STEPS = [
    (r"cell_at|Partition|CarvePlan", "locate: the cell of every vertex"),
    (r"Knife|classify|clip_face|put_out", "clip: faces that straddle"),
]
STAGES = {
    "geometry/src/voronoi/cell.rs": "pattern: Voronoi cells",
    "geometry/src/voronoi/grid.rs": "pattern: Voronoi cells",
    "geometry/src/voronoi/mark.rs": "pattern: Voronoi cells",
    "geometry/src/voronoi/mod.rs": "pattern: Voronoi cells",
    "geometry/src/voronoi/reach.rs": "pattern: Voronoi cells",
    "geometry/src/voronoi/shells.rs": "pattern: Voronoi cells",
    "geometry/src/trivalent.rs": "clipping convexes, of the pattern and of fits",
    "geometry/src/trim.rs": "clipping convexes, of the pattern and of fits",
    "geometry/src/cut/sort.rs": "sort: faces to cells",
    "geometry/src/cut/walls.rs": "side tests of locate, sort and clip",
    "geometry/src/cut/locate.rs": "locate: the cell of every vertex",
    "geometry/src/cut/cell.rs": "locate: the cell of every vertex",
    "geometry/src/cut/carve.rs": CARVING,
    "geometry/src/cut/face.rs": "clip: faces that straddle",
    "geometry/src/cut/clip.rs": "clip: faces that straddle",
    "geometry/src/cut/build.rs": "build: copying faces and vertices",
    "geometry/src/mesh.rs": "build: copying faces and vertices",
    "geometry/src/cut/close.rs": "close: chords and caps",
    "geometry/src/cut/nest.rs": "close: chords and caps",
    "geometry/src/triangulate.rs": "close: chords and caps",
    "geometry/src/cut/parts.rs": "islands",
    "geometry/src/islands.rs": "islands",
    "geometry/src/union_find.rs": "islands",
    "geometry/src/mass.rs": "mass",
    "geometry/src/fit.rs": "fit: convexes around skins",
    "geometry/src/convex_clip.rs": "fit: convexes around skins",
    "geometry/src/convex.rs": "fit: convexes around skins",
    "geometry/src/overlap.rs": "bonds",
    "core/src/bond.rs": "bonds",
    "core/src/contact.rs": "bonds",
    "core/src/piece.rs": "bonds",
}


def fail(text):
    sys.exit(f"profile.py: {text}")


def record(model, cells):
    for tool in ["perf", "addr2line", "cargo"]:
        shutil.which(tool) or fail(f"{tool} is missing (Debian: linux-perf, binutils; Rust for cargo)")
    build = ["cargo", "build", "--release", "--quiet", "-p", "smithereens-testing", "--bin", "ours"]
    subprocess.run(build, cwd=ROOT).returncode and fail("our side does not build")
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-D", str(LOADING), "-o", str(SAMPLES), "--"]
    run = subprocess.run([*command, str(OURS), "over", model, cells, "1", "8"], capture_output=True, text=True)
    run.returncode and fail(f"perf could not record: {run.stderr.strip()}")
    return run.stdout.strip()


def addresses():
    """How often each address of ours was hit, and how often other objects were."""
    script = subprocess.run(["perf", "script", "-i", str(SAMPLES), "-F", "ip,sym,symoff,dso", "--show-mmap-events"],
                            capture_output=True, text=True).stdout
    base, own, other = None, collections.Counter(), collections.Counter()
    for line in script.splitlines():
        mapped = re.search(r"\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: r-xp (.*)/ours$", line)
        if mapped:
            base = int(mapped[1], 16) - int(mapped[3], 16)
            continue
        sample = re.match(r"\s*([0-9a-f]+) (.*) \((.*)\)$", line)
        if sample and sample[3].endswith("/ours"):
            own[int(sample[1], 16)] += 1
        elif sample:
            other[kind(sample[2], sample[3])] += 1
    return base, own, other


def kind(symbol, place):
    if re.search("malloc|free|realloc|calloc", symbol):
        return "memory: the allocator"
    if re.search("mem(move|cpy|set)", symbol):
        return "memory: copying and clearing"
    return "the kernel: pages and clocks" if "kernel" in place else "other"


def sections():
    """Where the executable part of the file lies: perf has offsets in the file, addr2line wants addresses."""
    out = subprocess.run(["readelf", "-lW", str(OURS)], capture_output=True, text=True).stdout
    load = re.search(r"LOAD\s+(0x\w+) (0x\w+) 0x\w+ 0x\w+ 0x\w+ R E", out)
    return int(load[2], 16) - int(load[1], 16)


def files(base, own):
    shift = sections()
    wanted = sorted(own)
    text = "\n".join(hex(a - base + shift) for a in wanted)
    out = subprocess.run(["addr2line", "-a", "-i", "-f", "-C", "-e", str(OURS)], input=text, capture_output=True, text=True).stdout
    shares = collections.Counter()
    blocks = re.split(r"^0x[0-9a-f]+$", out, flags=re.M)[1:]
    for address, block in zip(wanted, blocks):
        shares[stage(block)] += own[address]
    return shares


def stage(block):
    """The stage of the innermost frame that has one; frames are pairs of lines, function and place."""
    frames = re.findall(r"^(.*)\n\S*crates/((?:geometry|core)/src/\S+?\.rs)", block, flags=re.M)
    function, file = next((frame for frame in frames if frame[1] in STAGES), ("", None))
    if file is None:
        return frames[0][1] if frames else "sorting" if "sort" in block else "other"
    if STAGES[file] == CARVING:
        return next((name for part, name in CARVE_STEPS if re.search(part, function)), CARVING)
    return STAGES[file]


def main():
    model, cells = sys.argv[1:] if len(sys.argv) == 3 else ("armadillo.obj", "300")
    print(f"{model}, {cells} cells, one thread: {record(model, cells)}\n")
    base, own, other = addresses()
    if base is None or not own:
        fail("perf has no samples of ours")
    shares = files(base, own) + other
    total = sum(shares.values())
    print("| where | share |\n| --- | ---: |")
    for name, count in shares.most_common():
        if count / total >= 0.005:
            print(f"| {name} | {100 * count / total:.1f} % |")


main()
