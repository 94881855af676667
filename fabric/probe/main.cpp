#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include "cluster/cluster_file.hpp"
#include "plan/shapes/linear.hpp"
#include "probe/measure.hpp"
using namespace trunkline;
using namespace trunkline::fabric::probe;
int main(int argc, char** argv) {
  Cluster c = read_cluster(argv[1]);
  Lab lab{c, argv[2]};
  std::string what = argv[3];
  unsigned reps = unsigned(atoi(argv[4]));
  auto place = block_placement(c, 1);
  auto tree = linear_tree(c, place, 0);
  std::vector<HostIndex> line;
  for (Rank r = 0;;) {
    line.push_back(r);
    if (tree.children[r].empty()) break;
    r = tree.children[r][0];
  }
  for (int i = 5; i < argc; i++) {
    size_t n = size_t(atoi(argv[i]));
    auto v = what == "relay" ? relay(lab, line, 1 << 20, n, reps) : ping_pong(lab, line[0], line[1], n, reps);
    std::sort(v.begin(), v.end());
    printf("%s %zu: min %.3f median %.3f max %.3f ms\n", what.c_str(), n, v.front() * 1e3, v[v.size() / 2] * 1e3,
           v.back() * 1e3);
    fflush(stdout);
  }
}
