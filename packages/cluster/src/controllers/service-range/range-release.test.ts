import type { ServiceCIDR } from "@kubewright/api";
import { expect, test } from "vitest";
import { mayGo } from "./range-release.js";

const range = (name: string, ...cidrs: readonly string[]): ServiceCIDR => ({
  metadata: { name },
  spec: { cidrs },
});
const terminating = range("terminating", "10.97.0.0/24");

test.each([
  ["nothing uses it", terminating, [], [], true],
  ["only others are used", terminating, [], ["10.96.0.1"], true],
  ["an address of it is used", terminating, [range("usual", "10.96.0.0/16")], ["10.97.0.9"], false],
  ["another range has that address too", terminating, [range("small", "10.97.0.8/30")], ["10.97.0.9"], true],
  ["a larger range has all of it", terminating, [range("large", "10.96.0.0/12")], ["10.97.0.9"], true],
  ["another one is just the same", terminating, [range("same", "10.97.0.0/24")], ["10.97.0.9"], true],
  ["it stands beside itself", terminating, [terminating], ["10.97.0.9"], false],
  [
    "one of its two families is used",
    range("terminating", "10.97.0.0/24", "fd00::/108"),
    [range("large", "10.96.0.0/12")],
    ["fd00::9"],
    false,
  ],
] as const)("ServiceCIDR: whether it can be deleted when %s", (_name, one, others, addresses, expected) => {
  expect(mayGo(one, others, addresses)).toBe(expected);
});
