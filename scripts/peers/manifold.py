#!/usr/bin/env python3
"""Voronoi fracture by Manifold beside ours: same models, same seeds, one run.

Each cell's hull is intersected with the whole model, which is how Manifold is used for fracture. Manifold is handed the
corners of the cells, so the ratio with a target is to ours with the cells ready; that from the seeds on, our Voronoi cells
in the time, stands beside it. Ratios are of processor time to ours on one thread. Nothing to prepare: the script makes its own virtual environment in target/peers-venv and builds our side with cargo.

    scripts/peers/manifold.py [--quick]
"""
import json
import subprocess
import sys
import time

from peers import TARGET, build_ours, enter_venv, fail, say

PACKAGES = ["manifold3d", "numpy"]
MODELS = ["bunny-70k.ply", "armadillo.obj", "dragon.ply"]
CELLS = [30, 90, 300]
WANTED = {300: 200.0}  # times faster than Manifold


def read(folder):
    import numpy

    def array(name, kind, width=None):
        flat = numpy.fromfile(folder / name, dtype=kind)
        return flat if width is None else flat.reshape(-1, width)

    sizes = array("cell_sizes.u32", "<u4")
    ends = numpy.cumsum(sizes)[:-1]
    cells = numpy.split(array("cells.f64", "<f8", 3), ends)
    return array("positions.f64", "<f8", 3), array("triangles.u32", "<u4", 3), cells


def theirs(folder, repetitions):
    """Least wall and processor seconds, pieces and their volume. The model is in memory before the clock starts."""
    import manifold3d
    import numpy

    positions, triangles, cells = read(folder)
    mesh = manifold3d.Mesh64(numpy.ascontiguousarray(positions), numpy.ascontiguousarray(triangles.astype(numpy.uint64)))
    solid = manifold3d.Manifold(mesh)
    if solid.status() != manifold3d.Error.NoError:
        fail(f"Manifold does not take the model: {solid.status()}")
    solid.num_tri()
    least = [float("inf")] * 2
    for _ in range(repetitions):
        wall, cpu = time.perf_counter(), time.process_time()
        pieces = [manifold3d.Manifold.hull_points(corners) ^ solid for corners in cells]
        volume = sum(piece.volume() for piece in pieces)  # Manifold is lazy: this makes it work
        least = [min(least[0], time.perf_counter() - wall), min(least[1], time.process_time() - cpu)]
    closed = all(piece.status() == manifold3d.Error.NoError for piece in pieces)
    return least, volume / solid.volume(), len(pieces), closed


def main():
    enter_venv(PACKAGES)
    quick = "--quick" in sys.argv
    ours = build_ours("-p", "smithereens-testing", "--bin", "ours") / "ours"
    from importlib.metadata import version

    say(f"manifold3d {version('manifold3d')}; least of 9 repetitions for ours, of 2 for Manifold")
    print("| model | cells | ours from cells, 1 thread ms | from cells, 2 threads | from seeds, 1 thread | from seeds, 2 threads"
          " | Manifold wall ms | Manifold CPU ms | CPU / ours from cells | CPU / ours from seeds | volume, ours"
          " | volume, Manifold | target | |")
    print("|" + " ---: |" * 14)
    for model in MODELS[:1] if quick else MODELS:
        for cells in CELLS[:1] if quick else CELLS:
            folder = TARGET / "peers" / f"{model}-{cells}"
            if subprocess.run([str(ours), "fracture", model, str(cells), str(folder)]).returncode:
                fail(f"ours failed on {model} in {cells} cells")
            report = json.loads((folder / "ours.json").read_text())
            (wall, cpu), kept, _, closed = theirs(folder, 2)
            from_cells, from_seeds = ([report[f"from_{what}_ms_{threads}"]["least"] for threads in (1, 2)]
                                      for what in ("cells", "seeds"))
            ratio, wanted = cpu * 1e3 / from_cells[0], WANTED.get(cells)
            verdict = "–" if wanted is None else "met" if ratio >= wanted else "missed"
            print(f"| {report['name']} | {cells} | {from_cells[0]:.1f} | {from_cells[1]:.1f} | {from_seeds[0]:.1f}"
                  f" | {from_seeds[1]:.1f} | {wall * 1e3:.0f} | {cpu * 1e3:.0f} | {ratio:.0f} | {cpu * 1e3 / from_seeds[0]:.0f}"
                  f" | {report['ours']['volume'] / report['volume']:.10f} | {kept:.10f}{'' if closed else ' (not closed)'}"
                  f" | {wanted or '–'} | {verdict} |", flush=True)


main()
