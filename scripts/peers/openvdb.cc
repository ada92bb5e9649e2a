// A level set broken along Voronoi cells by OpenVDB: reads meshes as raw numbers, the object first, then its cells; prints milliseconds, pieces and bytes.
//
// Each cell becomes a level set of the same voxels, as the pattern is made when the object is hit; the object is intersected with it, and what is not
// connected is taken apart: what tools::LevelSetFracture does with each of its cutters, one cutter a cell.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <openvdb/openvdb.h>
#include <openvdb/tools/Composite.h>
#include <openvdb/tools/LevelSetUtil.h>
#include <openvdb/tools/MeshToVolume.h>
#include <tbb/global_control.h>

struct Triangles {
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
};

static std::vector<Triangles> read(const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    std::uint32_t count = 0;
    if (!file || std::fread(&count, 4, 1, file) != 1) {
        std::fprintf(stderr, "openvdb: cannot read %s\n", path);
        std::exit(1);
    }
    std::vector<Triangles> meshes(count);
    for (auto& mesh : meshes) {
        std::uint32_t sizes[2];
        if (std::fread(sizes, 4, 2, file) != 2) std::exit(1);
        mesh.points.resize(sizes[0]);
        mesh.triangles.resize(sizes[1]);
        if (std::fread(mesh.points.data(), 12, sizes[0], file) != sizes[0]) std::exit(1);
        if (std::fread(mesh.triangles.data(), 12, sizes[1], file) != sizes[1]) std::exit(1);
    }
    std::fclose(file);
    return meshes;
}

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fprintf(stderr, "openvdb MESHES VOXEL_SIZE THREADS REPETITIONS\n");
        return 2;
    }
    tbb::global_control threads(tbb::global_control::max_allowed_parallelism, std::atoi(argv[3]));
    openvdb::initialize();
    const auto meshes = read(argv[1]);
    const auto transform = openvdb::math::Transform::createLinearTransform(std::atof(argv[2]));
    const auto level_set = [&](const Triangles& mesh) {
        return openvdb::tools::meshToLevelSet<openvdb::FloatGrid>(*transform, mesh.points, mesh.triangles, 3.0f);
    };
    const auto object = level_set(meshes[0]);
    double least = 1e300, least_cut = 1e300;
    std::size_t pieces = 0, bytes = 0;
    for (int run = 0; run < std::atoi(argv[4]); ++run) {
        using clock = std::chrono::steady_clock;
        const auto ms = [](clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); };
        double cut = 0;
        std::vector<openvdb::FloatGrid::Ptr> all;
        const auto start = clock::now();
        for (std::size_t cell = 1; cell < meshes.size(); ++cell) {
            if (meshes[cell].triangles.empty()) continue;
            const auto cutter = level_set(meshes[cell]);
            const auto before = clock::now();
            const auto part = openvdb::tools::csgIntersectionCopy(*object, *cutter);
            if (part->activeVoxelCount() > 0) openvdb::tools::segmentSDF(*part, all);
            cut += ms(clock::now() - before);
        }
        least = std::min(least, ms(clock::now() - start));
        least_cut = std::min(least_cut, cut);
        pieces = all.size();
        bytes = 0;
        for (const auto& piece : all) bytes += piece->memUsage();
    }
    std::printf("%.3f %.3f %zu %zu\n", least, least_cut, pieces, bytes);
}
