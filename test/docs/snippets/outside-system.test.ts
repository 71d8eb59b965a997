import { testCluster } from "@kubewright/testing";
import { expect, test } from "vitest";
import { DnsRecord, FakeZone, recordController, zoneChanges } from "./outside-system.js";

test("docs/tutorials/outside-systems.md: what somebody changes outside is corrected in time", async () => {
  const zone = new FakeZone();
  await using cluster = await testCluster({ resources: [DnsRecord], controllers: [recordController(zone)] });
  await cluster.create(DnsRecord, { name: "shop", spec: { host: "shop.example.com", address: "192.0.2.7" } });
  await cluster.eventually(DnsRecord, "shop", ({ status }) => status?.address === "192.0.2.7");
  zone.records.set("shop.example.com", "198.51.100.1"); // somebody edits the zone
  await cluster.advance("10m");
  expect(zone.records.get("shop.example.com")).toBe("192.0.2.7");

  zone.records.set("shop.example.com", "198.51.100.2");
  zoneChanges.send({ namespace: "default", name: "shop" });
  await cluster.settle();
  expect(zone.records.get("shop.example.com")).toBe("192.0.2.7");

  await cluster.delete(DnsRecord, "shop");
  await cluster.eventuallyGone(DnsRecord, "shop");
  expect(zone.records.size).toBe(0);
});
