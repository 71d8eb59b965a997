import { readFileSync } from "node:fs";
import { join } from "node:path";
import { customKindsOf } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import manager from "./main.js";

test("etcd: the operator starts with all its kinds, and nothing fails", async () => {
  await using cluster = await testCluster({ resources: customKindsOf(manager), manager });
  await cluster.advance("1m");
  expect(cluster.errors).toEqual([]);
});

test("etcd: the Deployment has the name and the label by which people look for it", () => {
  const { name } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  const text = readFileSync(join(import.meta.dirname, "../config/manager/manager.yaml"), "utf8");
  expect(text).toMatch(new RegExp(`kind: Deployment\nmetadata:\n {2}name: ${name}\n`));
  expect(text.match(/ app: etcd-operator\n/g)).toHaveLength(2);
});
