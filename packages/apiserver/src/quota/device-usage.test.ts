import type { DeviceRequest } from "@kubewright/api";
import { expect, it } from "vitest";
import { deviceUsage } from "./device-usage.js";

const gpu = { deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 } as const;
const exactly = (change: object = {}): DeviceRequest => ({ name: "r", exactly: { ...gpu, ...change } });
const oneOf = (...changes: object[]): DeviceRequest => ({
  name: "r",
  firstAvailable: changes.map((change, index) => ({ name: `s${index}`, ...gpu, ...change })),
});
const all = { allocationMode: "All", count: undefined };

it.each<[what: string, requests: DeviceRequest[], devices: Record<string, string>]>([
  ["one device", [exactly()], { gpu: "1" }],
  ["several requests", [exactly(), exactly({ count: 4 })], { gpu: "5" }],
  ["all devices", [exactly(all)], { gpu: "32" }],
  ["a mode of the future", [exactly({ allocationMode: "Some" })], { gpu: "0" }],
  ["access of an administrator", [exactly({ adminAccess: true })], { gpu: "1" }],
  ["the larger of alternatives", [oneOf({ count: 2 }, {})], { gpu: "2" }],
  ["alternatives of other classes", [oneOf({}, { deviceClassName: "tpu", ...all })], { gpu: "1", tpu: "32" }],
  ["no device", [], {}],
])("device quota: counts %s", (_, requests, devices) => {
  const usage = deviceUsage({ spec: { devices: { requests } } });
  expect(Object.fromEntries([...usage].map(([name, amount]) => [name, amount.toString()]))).toEqual({
    "count/resourceclaims.resource.k8s.io": "1",
    ...Object.fromEntries(
      Object.entries(devices).map(([name, amount]) => [
        `${name}.deviceclass.resource.k8s.io/devices`,
        amount,
      ]),
    ),
  });
});
