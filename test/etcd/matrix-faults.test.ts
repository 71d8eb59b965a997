// The fault matrix on real etcd, first part: members, nodes and stores that fail, and sizes under load.
import { memberFaults, quorumFaults, scaling } from "./cases.js";
import { faultsOfFive, graceOfFive } from "./five-cases.js";
import { Matrix } from "./matrix-world.js";
import { corrupt, lostNode, noSpace, smallQuota } from "./node-and-alarm-cases.js";

Matrix.part("the fault matrix on real etcd: faults and sizes", (matrix) => {
  matrix.shared("faults", 3, [...memberFaults, ...quorumFaults, corrupt, lostNode]);
  matrix.shared("five", 5, faultsOfFive, graceOfFive);
  matrix.shared("space", 3, [noSpace], { etcdOptions: smallQuota });
  matrix.shared("scaling", 1, scaling);
});
