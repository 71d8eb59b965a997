import { customKindsOf } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import manager from "./main.js";

test("mongodb: the operator starts with all its kinds, and nothing fails", async () => {
  await using cluster = await testCluster({ resources: customKindsOf(manager), manager });
  await cluster.advance("1m");
  expect(cluster.errors).toEqual([]);
});
