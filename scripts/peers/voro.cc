// Voronoi cells of points in the cube from -1 to 1 by voro++: reads raw doubles, prints the least milliseconds of some
// repetitions and the sum of the cells' volumes.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <voro++/voro++.hh>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "voro POINTS.f64 REPETITIONS\n");
        return 2;
    }
    std::FILE* file = std::fopen(argv[1], "rb");
    if (!file) {
        std::fprintf(stderr, "voro: cannot read %s\n", argv[1]);
        return 1;
    }
    std::vector<double> points;
    for (double x; std::fread(&x, sizeof x, 1, file) == 1;) points.push_back(x);
    std::fclose(file);
    const int count = static_cast<int>(points.size() / 3);
    double least = 1e300, volume = 0;
    for (int repetition = 0; repetition < std::atoi(argv[2]); ++repetition) {
        const auto start = std::chrono::steady_clock::now();
        // The grid that voro++'s own guess gives: about five points a block.
        voro::pre_container guess(-1, 1, -1, 1, -1, 1, false, false, false);
        for (int i = 0; i < count; ++i) guess.put(i, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
        int nx, ny, nz;
        guess.guess_optimal(nx, ny, nz);
        voro::container all(-1, 1, -1, 1, -1, 1, nx, ny, nz, false, false, false, 8);
        guess.setup(all);
        volume = 0;
        voro::c_loop_all loop(all);
        voro::voronoicell cell;
        if (loop.start()) do
                if (all.compute_cell(cell, loop)) volume += cell.volume();
            while (loop.inc());
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        if (took.count() < least) least = took.count();
    }
    std::printf("%.3f %.12f\n", least, volume);
}
