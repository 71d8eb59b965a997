// The fault matrix on real etcd, third part: the operator ended after each step of an upgrade, and killed as a process.
import { test } from "vitest";
import { oldest } from "./etcd-binaries.js";
import { long, Matrix } from "./matrix-world.js";
import { killsInUpgrade, killsOfProcess } from "./operator-kills.js";

Matrix.part("the fault matrix on real etcd: upgrades, and the operator as a process", (matrix) => {
  matrix.group("upgrades", () => {
    test.skipIf(oldest === undefined)("the operator killed after each step of an upgrade", long, () =>
      killsInUpgrade(matrix.world),
    );
  });
  matrix.group("process", () => {
    test("the operator's process killed during every kind of change", long, () =>
      killsOfProcess(matrix.world),
    );
  });
});
