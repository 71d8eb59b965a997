import type { Endpoint, EndpointSlice } from "@kubewright/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { planSlices } from "./slice-plan.js";

const http = [{ name: "http", port: 80, protocol: "TCP" as const }];
const endpoint = (name: string, ready = true): Endpoint => ({
  addresses: [`10.0.0.${name}`],
  conditions: { ready },
  targetRef: { kind: "Pod", name, uid: name },
});
const some = (from: number, to: number): Endpoint[] =>
  Array.from({ length: to - from }, (_, at) => endpoint(String(from + at)));
const slice = (
  name: string,
  endpoints: readonly Endpoint[],
  ports: EndpointSlice["ports"] = http,
): EndpointSlice => ({
  metadata: { name },
  addressType: "IPv4",
  endpoints,
  ports,
});
const shown = ({ slices, surplus }: ReturnType<typeof planSlices>) => ({
  slices: slices.map((one) => [one.slice?.metadata?.name, one.endpoints.length]),
  surplus: surplus.map(({ metadata }) => metadata?.name),
});

test.each([
  ["one that is empty when there are none", [], [], [[undefined, 0]], []],
  ["that one is kept", [slice("a", [], [])], [], [["a", 0]], []],
  ["and filled when there are", [slice("a", [], [])], some(0, 2), [["a", 2]], []],
  [
    "a hundred in each",
    [],
    some(0, 250),
    [
      [undefined, 100],
      [undefined, 100],
      [undefined, 50],
    ],
    [],
  ],
  [
    "a new one when none has room",
    [slice("a", some(0, 100))],
    some(0, 101),
    [
      ["a", 100],
      [undefined, 1],
    ],
    [],
  ],
  [
    "room where something changes is used first",
    [slice("a", some(0, 100)), slice("b", some(100, 150))],
    [...some(1, 150), ...some(200, 201)],
    [
      ["a", 100],
      ["b", 50],
    ],
    [],
  ],
  [
    "the fullest that has room for all",
    [slice("a", some(0, 50)), slice("b", some(100, 190))],
    [...some(0, 50), ...some(100, 190), ...some(200, 205)],
    [
      ["a", 50],
      ["b", 95],
    ],
    [],
  ],
  [
    "one that lost all is given up",
    [slice("a", some(0, 1)), slice("b", some(1, 2))],
    some(1, 2),
    [["b", 1]],
    ["a"],
  ],
  ["or becomes what is needed", [slice("a", some(0, 1))], some(5, 6), [["a", 1]], []],
] as const)("EndpointSlice plan: %s", (_name, existing, wanted, slices, surplus) => {
  const groups = wanted.length > 0 ? [{ ports: http, endpoints: wanted }] : [];
  expect(shown(planSlices(existing, groups))).toEqual({ slices, surplus });
});

test("EndpointSlice plan: other ports have slices of their own", () => {
  const other = [{ name: "http", port: 81, protocol: "TCP" as const }];
  const plan = planSlices(
    [slice("a", some(0, 1)), slice("b", some(1, 2), other)],
    [
      { ports: other, endpoints: some(1, 2) },
      { ports: http, endpoints: some(0, 1) },
    ],
  );
  expect(shown(plan)).toEqual({
    slices: [
      ["b", 1],
      ["a", 1],
    ],
    surplus: [],
  });
});

test("EndpointSlice plan: after any change every endpoint is in one slice, and those that stay keep their slice", () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 300 });
  fc.assert(
    fc.property(numbers, numbers, (before, after) => {
      const first = planSlices([], [{ ports: http, endpoints: before.map((at) => endpoint(String(at))) }]);
      const existing = first.slices.map(({ endpoints }, at) => slice(`s${at}`, endpoints));
      const plan = planSlices(existing, [
        { ports: http, endpoints: after.map((at) => endpoint(String(at))) },
      ]);
      const all = plan.slices.flatMap(({ endpoints }) =>
        endpoints.map(({ targetRef }) => Number(targetRef?.name)),
      );
      expect(all.toSorted((a, b) => a - b)).toEqual(after.toSorted((a, b) => a - b));
      for (const { slice: home, endpoints } of plan.slices) {
        expect(endpoints.length).toBeLessThanOrEqual(100);
        for (const { targetRef } of endpoints) {
          const was = existing.find((one) =>
            one.endpoints?.some((each) => each.targetRef?.name === targetRef?.name),
          );
          if (was) expect(home).toBe(was);
        }
      }
    }),
    { numRuns: 100 },
  );
});
