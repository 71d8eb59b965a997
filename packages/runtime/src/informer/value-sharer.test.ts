import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ValueSharer } from "./value-sharer.js";

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe("value sharing: an object", () => {
  test("is equal before and after, whatever came before it", () => {
    const sharer = new ValueSharer(4);
    const key = fc.constantFrom("a", "b", "__proto__", "constructor", "metadata", "1");
    const text = fc.constantFrom("", "x", "a text that is long enough", "another one, also long");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        text,
        fc.constantFrom(0, 1, -1, 1.5, 2 ** 40, true, false, null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map((entries) => jsonObject(entries)),
      ),
    }));
    fc.assert(
      fc.property(value, value, (first, second) => {
        const object = copyOf({ metadata: { labels: first }, spec: { second, first }, status: second });
        const expected = JSON.stringify(object);
        sharer.shareParts(object);
        expect(JSON.stringify(object)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("may nest beyond the depth limit", () => {
    let deep: object = { text: "a text that is long enough" };
    for (let depth = 0; depth < 10_000; depth++) deep = { next: deep };
    const object = { spec: deep };
    new ValueSharer().shareParts(object);
    let found: unknown = object.spec;
    for (let depth = 0; depth < 10_000; depth++) found = Object(found).next;
    expect(found).toEqual({ text: "a text that is long enough" });
  });
});

test("value sharing: a frozen value stays, and its parts may be shared", () => {
  const sharer = new ValueSharer();
  const parts = () => Object.freeze({ list: Object.freeze([{ text: "a text that is long enough" }]) });
  for (let round = 0; round < 3; round++) {
    const object = Object.freeze({ spec: parts() });
    const open = { spec: parts(), other: Object.freeze([Object.freeze({ ...parts(), round })]) };
    sharer.shareParts(object);
    sharer.shareParts(open);
    expect(open).toEqual({ spec: parts(), other: [{ ...parts(), round }] });
  }
});

describe("value sharing: equal parts", () => {
  const pod = (name: string) =>
    copyOf({
      metadata: {
        name,
        labels: { app: "web" },
        ownerReferences: [{ kind: "ReplicaSet", name: "web-5d59d67564" }],
      },
      spec: { containers: [{ image: "registry.example.com/web:1", ports: [{ port: 80 }], args: [] }] },
    });

  function shared(sharer = new ValueSharer()) {
    return ["a", "b", "c"].map((name) => {
      const object = pod(name);
      sharer.shareParts(object);
      return object;
    });
  }

  test("become one part", () => {
    const [, b, c] = shared();
    expect(b?.spec).toBe(c?.spec);
    expect(b?.metadata.labels).toBe(c?.metadata.labels);
    expect(b?.metadata.ownerReferences).toBe(c?.metadata.ownerReferences);
    expect(b?.metadata).not.toBe(c?.metadata);
  });

  test("are frozen once they are shared, so that changing one object changes no other", () => {
    const [, b] = shared();
    expect(() => {
      if (b) b.metadata.labels.app = "db";
    }).toThrow(TypeError);
    expect(() => b?.spec.containers[0]?.ports.push({ port: 81 })).toThrow(TypeError);
    if (b) b.metadata.name = "its own";
    expect(b?.metadata.name).toBe("its own");
  });

  const different: [unknown, unknown][] = [
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ],
    [{ a: 1 }, { a: "1" }],
    [{ a: 1 }, { a: true }],
    [{ a: null }, { a: 0 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [[], {}],
    [[1, 2], [1]],
    [["x"], { 0: "x" }],
    [{ "": 1 }, [1]],
    [{ a: {} }, { a: [] }],
  ];
  test.each(different)("are not %j and %j", (one, other) => {
    const sharer = new ValueSharer(2);
    for (let round = 0; round < 3; round++) {
      for (const value of [one, other]) {
        const object = { spec: copyOf(value) };
        sharer.shareParts(object);
        expect(object.spec).toStrictEqual(value);
      }
    }
  });

  test("are found again though many that are not equal came between", () => {
    const sharer = new ValueSharer(6);
    shared(sharer);
    for (let index = 0; index < 20; index++) {
      sharer.shareParts({ spec: { unlike: `any other ${index}` } });
      const [a, b] = shared(sharer);
      expect(a?.spec).toBe(b?.spec);
    }
  });
});

/** With `__proto__` as a field, as a decoder makes it. */
function jsonObject(entries: readonly (readonly [string, unknown])[]): unknown {
  return JSON.parse(
    `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`,
  );
}
