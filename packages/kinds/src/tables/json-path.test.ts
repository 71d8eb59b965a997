import type { JsonValue } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonPath } from "./json-path.js";

const object: JsonValue = {
  metadata: { name: "a", annotations: { "example.com/x.y": "dotted" } },
  spec: { size: 3, on: false, tags: ["x", "y", "z"], nothing: null },
  status: {
    conditions: [
      { type: "Synced", status: "False", seen: 1 },
      { type: "Ready", status: "True", seen: 5, reason: "Fine" },
    ],
  },
};

const find = (path: string) => JsonPath.parse(path)?.find(object);

describe("JSONPath", () => {
  it.each<[string, JsonValue[]]>([
    [".metadata.name", ["a"]],
    ["$.metadata.name", ["a"]],
    [".spec.size", [3]],
    [".spec.on", [false]],
    [".spec.nothing", [null]],
    [".spec.tags", [["x", "y", "z"]]],
    [".spec.tags[0]", ["x"]],
    [".spec.tags[-1]", ["z"]],
    [".spec.tags[1:]", ["y", "z"]],
    [".spec.tags[0:3:2]", ["x", "z"]],
    [".spec.tags[*]", ["x", "y", "z"]],
    [".spec.tags[0,2]", ["x", "z"]],
    [".metadata.annotations.example\\.com/x\\.y", ["dotted"]],
    [".metadata.annotations['example.com/x.y']", ["dotted"]],
    ['.metadata["name"]', ["a"]],
    [".metadata['name','nosuch']", ["a"]],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    [".status.conditions[?(@.type == 'Ready')].status", ["True"]],
    [".status.conditions[?(@.type!='Ready')].status", ["False"]],
    [".status.conditions[?(@.seen>=5)].type", ["Ready"]],
    [".status.conditions[?(@.seen<5)].type", ["Synced"]],
    [".status.conditions[?(@.reason)].type", ["Ready"]],
    [".status.conditions[?(@['type']=='Ready')].status", ["True"]],
    [".status.conditions[*].type", ["Synced", "Ready"]],
    ["..reason", ["Fine"]],
    [".status..status", ["False", "True"]],
  ])("%s finds %j", (path, values) => {
    expect(find(path)).toEqual(values);
  });

  it.each([
    ".nosuch",
    ".nosuch.deeper",
    ".spec.size.deeper",
    ".spec.tags[9]",
    ".spec.size[0]",
    ".metadata.constructor",
    ".__proto__",
    '.status.conditions[?(@.type=="None")].status',
    ".status.conditions[?(@.seen=='5')].type",
  ])("%s finds nothing", (path) => {
    expect(find(path)).toEqual([]);
  });

  it.each(["", ".", "metadata.name", ".a[", ".a[?(@.b==)]", ".a[b]", ".a b", ".a..", `.${"a".repeat(2000)}`])(
    "%s is no path",
    (path) => {
      expect(JsonPath.parse(path)).toBeUndefined();
    },
  );

  it("parses or refuses arbitrary paths without a crash", () => {
    const fragment = fc.constantFrom(..."..[]()?@'\"\\,:*$=<>!a0-".split(""), "metadata", "[?(@.", "==");
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 20 }), (parts) => {
        const found = find(parts.join(""));
        expect(found === undefined || Array.isArray(found)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
