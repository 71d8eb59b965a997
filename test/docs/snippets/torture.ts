// The test of docs/guides/torture.md.
import { apiVersionOf } from "@kubewright/api";
import { objectsScenario, torture, tortureText } from "@kubewright/testing";
import { expect } from "vitest";
import { Shop, shopController } from "./workload.js";

const shop = {
  apiVersion: apiVersionOf(Shop),
  kind: "Shop",
  metadata: { name: "books" },
  spec: { image: "shop:1", replicas: 2, ports: [{ port: 80 }] },
};

export async function tortureShop(): Promise<void> {
  const report = await torture({
    resources: [Shop],
    controllers: [shopController],
    scenario: objectsScenario([shop]),
    modes: ["interleavings", "states"],
    seeds: 1,
  });
  expect(report.findings, tortureText(report)).toEqual([]);
}
