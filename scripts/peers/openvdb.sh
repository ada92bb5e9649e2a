#!/usr/bin/env bash
# The bunny broken along 90 Voronoi cells: OpenVDB's level sets beside our octrees, same voxels and seeds. OpenVDB makes each cell a level set, intersects
# the object with it and takes apart what is not connected; ours does all of that, and has colours and normals, too.
set -euo pipefail
cd "$(dirname "$0")/../.."

say() { echo "openvdb.sh: $*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }

has cargo || { say "cargo is missing: install Rust"; exit 1; }
missing=()
has g++ || missing+=(g++)
[ -f /usr/include/openvdb/openvdb.h ] || missing+=(libopenvdb-dev)
[ -f /usr/include/boost/version.hpp ] || missing+=(libboost-dev libboost-iostreams-dev)
[ -f /usr/include/tbb/tbb.h ] || missing+=(libtbb-dev)
[ -d /usr/include/Imath ] || missing+=(libimath-dev)
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
target=$(realpath "$target")
say "building both sides"
g++ -std=c++17 -O3 -march=x86-64 -o "$target/peers/openvdb" scripts/peers/openvdb.cc -lopenvdb -ltbb
cargo bench --quiet -p smithereens-voxel --bench voxel --no-run

say "least of 30 repetitions for ours, of 3 for OpenVDB"
echo "| level | threads | OpenVDB ms | of that cutting ms | ours ms | OpenVDB / ours | pieces, OpenVDB | pieces, ours | MB, OpenVDB | MB, ours |"
echo "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
for level in "${@:-8}"; do
    folder=$target/peers/openvdb-$level
    read -r size pieces one two bytes < <(cargo bench --quiet -p smithereens-voxel --bench voxel -- --export "$folder" --level "$level")
    for threads in 1 2; do
        read -r all cut theirs memory < <("$target/peers/openvdb" "$folder/meshes.bin" "$size" "$threads" 3)
        [ "$threads" = 1 ] && ours=$one || ours=$two
        awk -v l="$level" -v t="$threads" -v a="$all" -v c="$cut" -v o="$ours" -v p="$theirs" -v q="$pieces" -v m="$memory" -v b="$bytes" 'BEGIN {
            printf "| %d | %d | %.0f | %.0f | %.1f | %.0f | %d | %d | %.1f | %.1f |\n", l, t, a, c, o, a / o, p, q, m / 1e6, b / 1e6 }'
    done
done
