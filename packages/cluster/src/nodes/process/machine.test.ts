import { expect, test } from "vitest";
import { findIsolation } from "./machine.js";

test("process nodes: off Linux they refuse, and say how to go on", async () => {
  await expect(findIsolation({ system: "darwin" })).rejects.toThrow(
    "process nodes need Linux, and this is darwin; go on with simulated nodes (--runtime simulated, the default)",
  );
});
