import { describe, expect, test } from "vitest";
import { compareVersions, versionChange } from "./version-path.js";

const minors = [0, 1, 2, 3, 4, 5, 6, 7];

describe("changes of the version", () => {
  test.each(minors.flatMap((from) => minors.map((to) => [from, to] as const)))("3.%i to 3.%i", (from, to) => {
    const { kind } = versionChange(`3.${from}.9`, `3.${to}.9`);
    expect(kind).toBe(from === to ? "same" : to === from + 1 ? "allowed" : "refused");
  });

  test.each([
    ["3.5.1", "3.5.30", "allowed"],
    ["3.5.30", "3.5.1", "refused"],
    ["3.5.30", "v3.5.30", "same"],
    ["3.5.30", "4.0.0", "refused"],
    ["2.3.8", "3.0.0", "refused"],
    ["3.4.23", "3.5.0", "allowed"],
    ["custom", "3.5.0", "allowed"],
  ] as const)("%s to %s is %s", (from, to, kind) => {
    expect(versionChange(from, to).kind).toBe(kind);
  });

  test("a refusal names the path to take", () => {
    expect(versionChange("3.3.1", "3.6.2")).toMatchObject({
      message:
        "3.3.1 cannot become 3.6.2 at once: set the version to the newest 3.4.x, then the newest 3.5.x, then 3.6.2",
    });
    expect(versionChange("3.6.2", "3.5.1")).toMatchObject({ reason: "Downgrade" });
  });

  test("versions are ordered by number, not by text", () => {
    expect(["3.5.9", "3.10.1", "3.5.30", "custom"].toSorted(compareVersions)).toEqual([
      "custom",
      "3.5.9",
      "3.5.30",
      "3.10.1",
    ]);
  });
});
