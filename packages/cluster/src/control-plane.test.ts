import { expect, it } from "vitest";
import { controlPlaneOf } from "./control-plane.js";

const health = (...controllers: string[]) =>
  controlPlaneOf(controllers).map(({ name, isHealthy }) => [name, isHealthy]);

it.each([
  [["deployment", "scheduler"], true, true],
  [["deployment"], true, false],
  [["scheduler"], false, true],
  [[], false, false],
])("control plane health: which components run, with %j", (controllers, manager, scheduler) => {
  expect(health(...controllers)).toEqual([
    ["controller-manager", manager],
    ["scheduler", scheduler],
    ["etcd-0", true],
  ]);
});
