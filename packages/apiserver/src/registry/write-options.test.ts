import { describe, expect, it } from "vitest";
import { managerFromUserAgent } from "./write-options.js";

describe("default field manager from the user agent", () => {
  it.each([
    ["kubectl/v1.36 (linux/amd64)", "kubectl"],
    ["My Tool/2", "My Tool"],
    ["plain", "plain"],
    ["b\u0007e\tl\u200bl/1", "bell"],
    ["Grüße/1", "Grüße"],
    ["/1", "unknown"],
    ["", "unknown"],
    [undefined, "unknown"],
    [`${"x".repeat(200)}/1`, "x".repeat(128)],
    [`${"x".repeat(127)}é`, "x".repeat(127)],
  ])("%j is %s", (userAgent, manager) => expect(managerFromUserAgent(userAgent)).toBe(manager));
});
