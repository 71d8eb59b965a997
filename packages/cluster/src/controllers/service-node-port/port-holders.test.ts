import type { Service } from "@kubewright/api";
import { expect, test } from "vitest";
import { nodePortsOf, PortHolders } from "./port-holders.js";

const service = (...ports: readonly (readonly [number, "TCP" | "UDP"])[]): Service => ({
  metadata: {},
  spec: { ports: ports.map(([nodePort, protocol]) => ({ port: 80, nodePort, protocol })) },
});

test.each([
  [service([30_000, "TCP"], [30_000, "UDP"]), [30_000]],
  [service([30_000, "TCP"], [30_000, "TCP"]), [30_000, 30_000]],
  [service([0, "TCP"]), []],
  [{ metadata: {}, spec: { healthCheckNodePort: 31_000 } }, [31_000]],
])("service node port controller: ports of %j", (object, ports) => {
  expect(nodePortsOf(object)).toEqual(ports);
});

test("service node port controller: the first Service by name holds a port, and the others are checked when it is deleted", () => {
  const holders = new PortHolders();
  const has = service([30_000, "TCP"]);
  expect(holders.update("a/two", undefined, has)).toEqual([]);
  expect(holders.update("a/one", undefined, has)).toEqual(["a/two"]);
  expect(holders.firstOf(30_000)).toBe("a/one");
  expect(holders.update("a/one", has, undefined)).toEqual(["a/two"]);
  expect(holders.firstOf(30_000)).toBe("a/two");
  holders.update("a/two", has, undefined);
  expect(holders.firstOf(30_000)).toBeUndefined();
});
