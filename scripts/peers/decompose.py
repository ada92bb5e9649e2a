#!/usr/bin/env python3
"""Decomposition by CoACD and V-HACD beside ours: same models, same number of pieces, one run.

What counts is the volume of the convex hulls of the pieces over the model's volume: one is a perfect fit. CoACD searches for minutes, so
that all of it takes about an hour; --quick does one small model in 12 pieces, --no-coacd leaves CoACD out. Nothing to prepare: the script
makes its own virtual environment in target/peers-venv and builds our side with cargo.

    scripts/peers/decompose.py [--quick] [--no-coacd]
"""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from peers import ROOT, TARGET, build_ours, enter_venv, fail

PACKAGES = ["coacd", "vhacdx", "trimesh", "scipy", "numpy"]
MODELS = ["bunny-70k.ply", "armadillo.obj", "fertility-genus4.off", "rocker-arm-genus1.obj"]
PIECES = [12, 32, 64]
# CoACD stops where it is this close, and merges what is too many then. It fits best and is fastest with the largest of these thresholds
# that gives as many pieces as are wanted: found by trying, for each model and number.
THRESHOLDS = {"bunny-70k": [0.08, 0.05, 0.04], "armadillo": [0.1, 0.05, 0.04], "fertility-genus4": [0.1, 0.045, 0.02],
              "rocker-arm-genus1": [0.1, 0.05, 0.025]}


def ours(program, model, pieces, instant):
    """Ratio, pieces, wall and processor seconds of placing the nodes and cutting the model."""
    folder = TARGET / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "decompose.json"
    command = [str(program), "prepare", str(model), "-o", str(folder / "decompose.glb"), "--pieces", str(pieces),
               "--report", str(report), "--quiet"] + (["--instant"] if instant else [])
    before = os.times()
    if subprocess.run(command).returncode:
        fail(f"ours failed on {model}")
    after = os.times()
    found = json.loads(report.read_text())
    wall = (found["stages_ms"]["place"] + found["stages_ms"]["cut"]) / 1e3
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return found["hull_ratio"], found["pieces"], wall, spent


def load(model):
    import numpy
    import trimesh

    mesh = trimesh.load(model, process=False, force="mesh")
    vertices = numpy.asarray(mesh.vertices, dtype=float)
    low = vertices.min(0)
    vertices = (vertices - low) / (vertices.max(0) - low).max()
    faces = numpy.asarray(mesh.faces)
    return vertices, faces, abs(trimesh.Trimesh(vertices, faces, process=False).volume)


def hulls(parts, volume):
    import numpy
    import trimesh

    return sum(trimesh.convex.convex_hull(numpy.asarray(part[0])).volume for part in parts) / volume, len(parts)


def timed(run):
    wall, cpu = time.perf_counter(), time.process_time()
    parts = run()
    return parts, time.perf_counter() - wall, time.process_time() - cpu


def coacd(model, pieces):
    import coacd as peer

    peer.set_log_level("off")
    vertices, faces, volume = load(model)
    threshold = THRESHOLDS[model.stem][PIECES.index(pieces)]
    run = lambda: peer.run_coacd(peer.Mesh(vertices, faces), threshold=threshold, max_convex_hull=pieces, seed=0)
    parts, wall, cpu = timed(run)
    return *hulls(parts, volume), wall, cpu


def vhacd(model, pieces):
    import numpy
    import vhacdx as peer

    vertices, faces, volume = load(model)
    flat = numpy.hstack([numpy.full((len(faces), 1), 3), faces]).astype(numpy.uint32).ravel()
    parts, wall, cpu = timed(lambda: peer.compute_vhacd(vertices, flat, maxConvexHulls=pieces))
    return *hulls(parts, volume), wall, cpu


def main():
    enter_venv(PACKAGES)
    quick, slow = "--quick" in sys.argv, "--no-coacd" not in sys.argv
    program = build_ours("-p", "smithereens-cli") / "smithereens"
    folder = ROOT.parent / "shared" / "models"
    if not folder.is_dir():
        fail(f"there are no models in {folder}")
    ways = [("ours", lambda m, n: ours(program, m, n, False)), ("ours, instant", lambda m, n: ours(program, m, n, True)),
            ("V-HACD", vhacd)] + ([("CoACD", coacd)] if slow else [])
    print("| model | pieces wanted | way | hulls / volume | pieces | wall s | CPU s |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    rows = []
    for model in MODELS[2:3] if quick else MODELS:
        for pieces in PIECES[:1] if quick else PIECES:
            for name, run in ways:
                ratio, count, wall, cpu = run(folder / model, pieces)
                rows.append({"model": model, "wanted": pieces, "way": name, "ratio": ratio, "pieces": count, "wall": wall, "cpu": cpu})
                print(f"| {Path(model).stem} | {pieces} | {name} | {ratio:.4f} | {count} | {wall:.2f} | {cpu:.2f} |", flush=True)
    (TARGET / "decompose.json").write_text(json.dumps(rows, indent=1) + "\n")


main()
