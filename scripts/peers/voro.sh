#!/usr/bin/env bash
# Voronoi cells of random points in a box by voro++ beside ours: same points, one run. voro++ computes each cell and its
# volume on one thread; ours makes each cell as a convex with vertices, faces and neighbours, on one thread and on two.
set -euo pipefail
cd "$(dirname "$0")/../.."

say() { echo "voro.sh: $*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }

has cargo || { say "cargo is missing: install Rust"; exit 1; }
missing=()
has g++ || missing+=(g++)
[ -f /usr/include/voro++/voro++.hh ] || missing+=(voro++-dev)
if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" = 0 ] && has apt-get; then
        say "installing ${missing[*]}"
        apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
            { say "apt-get could not install ${missing[*]}"; exit 1; }
    else
        say "install the Debian packages: apt-get install ${missing[*]}"
        exit 1
    fi
fi

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/peers"
say "building both sides"
g++ -O3 -march=x86-64 -o "$target/peers/voro" scripts/peers/voro.cc -lvoro++
cargo build --release --quiet -p smithereens-testing --bin ours

say "least of 9 repetitions for ours, of 3 for voro++"
echo "| points | voro++ ms | ours, 1 thread ms | ours, 2 threads ms | voro++ / ours on 1 | voro++ / ours on 2 | volume, voro++ | volume, ours |"
echo "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
for points in 1000 10000 100000; do
    folder=$target/peers/points-$points
    read -r one two ours < <("$target/release/ours" cells "$points" "$folder")
    read -r voro theirs < <("$target/peers/voro" "$folder/points.f64" 3)
    awk -v n="$points" -v v="$voro" -v a="$one" -v b="$two" -v x="$theirs" -v y="$ours" 'BEGIN {
        printf "| %d | %.1f | %.1f | %.1f | %.2f | %.2f | %.9f | %.9f |\n", n, v, a, b, v / a, v / b, x, y }'
done
