// The fault matrix on real etcd, second part: the operator ended after each of its steps.
import { test } from "vitest";
import { long, Matrix } from "./matrix-world.js";
import { killsInReplacement, killsInRolling, killsInScaling } from "./operator-kills.js";

Matrix.part("the fault matrix on real etcd: the operator killed after each step", (matrix) =>
  matrix.group("kills", () => {
    test("of scaling out and in again", long, () => killsInScaling(matrix.world));
    test("of a change that rolls", long, () => killsInRolling(matrix.world));
    test("of a replacement", long, () => killsInReplacement(matrix.world));
  }),
);
