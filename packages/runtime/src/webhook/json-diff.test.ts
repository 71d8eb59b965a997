import type { JsonPatchOperation } from "@kubewright/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { draftOf } from "./draft.js";
import { jsonDiff } from "./json-diff.js";

test.each<[string, unknown, unknown, unknown]>([
  ["nothing", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  ["a field", { a: 1 }, { a: 1, b: 2 }, [{ op: "add", path: "/b", value: 2 }]],
  ["a field that is undefined", { a: 1 }, { a: undefined }, [{ op: "remove", path: "/a" }]],
  ["a key with a slash", {}, { "a/b~c": 1 }, [{ op: "add", path: "/a~1b~0c", value: 1 }]],
  ["an item", [1, 2], [1, 2, 3], [{ op: "add", path: "/-", value: 3 }]],
  [
    "fewer items",
    [1, 2, 3],
    [1],
    [
      { op: "remove", path: "/2" },
      { op: "remove", path: "/1" },
    ],
  ],
  ["another type", { a: [] }, { a: {} }, [{ op: "replace", path: "/a", value: {} }]],
])("jsonDiff reports %s", (_what, before, after, operations) => {
  expect(jsonDiff(before, after)).toEqual(operations);
});

test("jsonDiff turns any value into any other", () => {
  const key = fc.constantFrom("a", "b", "~", "/", "__proto__", "0");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 0, 1, "x", true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, value), fc.dictionary(key, value), (before, after) => {
      expect(JSON.stringify(sorted(patched(before, jsonDiff(before, after))))).toBe(
        JSON.stringify(sorted(after)),
      );
    }),
    { numRuns: 500 },
  );
});

/** Applies a patch as RFC 6902 says, without any of the cleverness of the code under test. */
function patched(value: unknown, operations: readonly JsonPatchOperation[]): unknown {
  const root = { root: draftOf(value) };
  for (const operation of operations) {
    const steps = ["root", ...operation.path.split("/").slice(1)];
    const last = unescaped(steps.at(-1)!);
    let holder: never = root as never;
    for (const step of steps.slice(0, -1)) holder = holder[unescaped(step)];
    if (Array.isArray(holder)) {
      const list: unknown[] = holder;
      if (operation.op === "remove") list.splice(Number(last), 1);
      else if (last === "-") list.push(draftOf("value" in operation && operation.value));
      else list[Number(last)] = draftOf("value" in operation && operation.value);
    } else if (operation.op === "remove") {
      expect(Object.hasOwn(holder, last)).toBe(true);
      delete holder[last];
    } else if ("value" in operation) {
      expect(Object.hasOwn(holder, last)).toBe(operation.op === "replace");
      const written = {
        value: draftOf(operation.value),
        enumerable: true,
        writable: true,
        configurable: true,
      };
      Object.defineProperty(holder, last, written);
    }
  }
  return root.root;
}

const unescaped = (step: string) => step.replaceAll("~1", "/").replaceAll("~0", "~");

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .map(([key, field]) => [key, sorted(field)])
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}
