import { expect, test, vi } from "vitest";
import { findIsolation } from "./machine.js";

vi.mock("node:os", async (original) => ({ ...(await original<object>()), platform: () => "darwin" }));

test("process nodes: off Linux they refuse, and say how to go on", async () => {
  await expect(findIsolation()).rejects.toThrow(
    "process nodes need Linux, and this is darwin; go on with simulated nodes (--runtime simulated, the default)",
  );
});
