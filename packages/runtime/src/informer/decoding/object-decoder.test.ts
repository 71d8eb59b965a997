import { setFlagsFromString } from "node:v8";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ObjectDecoder } from "./object-decoder.js";
import { TextMemory } from "./text-memory.js";

const bytes = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const newDecoder = (ownManager = "ours") => new ObjectDecoder({ ownManager });

/** An event about an object with this spec. */
const event = (spec: unknown, name = "a") => ({ type: "ADDED", object: { metadata: { name }, spec } });

type Event = ReturnType<typeof event>;

function specOf(decoder: ObjectDecoder, spec: unknown): unknown {
  return (decoder.decode(bytes(event(spec))) as Event).object.spec;
}

/** Few names and values, so that much of it comes again. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom(
      "http",
      "a longer text that comes again",
      "",
      "ä ö",
      'line\nbreak \\ "quote"',
      null,
      true,
      false,
    ),
    fc.constantFrom(0, 1, -1, 8080, 1.5, 1e21, 123456789012345, 2 ** 53),
    fc.string({ unit: "grapheme" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom("name", "__proto__", "12", "a/b", "managedFields", "metadata"),
      tie("value"),
      {
        maxKeys: 4,
      },
    ),
  ),
})).value;

describe("object decoder: the result", () => {
  test("equals that of JSON.parse, however often the text comes", () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 8 }), fc.boolean(), (specs, isSpaced) => {
        const decoder = newDecoder();
        for (const spec of [...specs, ...specs, ...specs]) {
          const text = JSON.stringify(event(spec), undefined, isSpaced ? 2 : 0);
          const value = decoder.decode(bytes(text));
          expect(value).toStrictEqual(JSON.parse(text));
          // Also in the order of names.
          expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
        }
      }),
    );
  });

  test("equals that of JSON.parse for objects that are first alike, then not, then again", () => {
    const part = fc.record(
      {
        name: fc.constantFrom("a", "b", "a name that is long enough to be compared as a whole, by a call"),
        labels: fc.dictionary(fc.constantFrom("app", "tier", "__proto__"), fc.constantFrom("x", "y")),
        list: fc.array(fc.constantFrom("one", "two", 3, null)),
        id: fc.uuid(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 2, maxLength: 5 }), fc.nat(40), (parts, run) => {
        const decoder = newDecoder();
        // Long enough to be taken for granted, or for different each time, before it changes.
        const alike = Array.from({ length: run }, () => parts[0]);
        const varied = Array.from({ length: run }, (_, index) => ({ ...parts[1], id: `id-${index}` }));
        for (const spec of [...alike, ...parts, ...varied, ...parts, ...varied.toReversed(), ...alike]) {
          const text = JSON.stringify(event(spec));
          expect(JSON.stringify(decoder.decode(bytes(text)))).toBe(text);
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ["an event with a return at its end", '{"type":"ADDED","object":{"metadata":{}}}\r'],
    ["names said twice", '{"object":{"spec":{"a":1,"b":2,"a":3}}}'],
    ["names with escapes", '{"object":{"spec":{"\\u0061":1}}}'],
    ["numbers of every form", '{"object":{"spec":[0,-0,1.0,1e3,1E-7,123456789012345678901234567890]}}'],
    ["a text", '"text"'],
    ["something deep", `{"object":{"spec":${"[".repeat(500)}${"]".repeat(500)}}}`],
    [
      "something large",
      JSON.stringify(event({ data: "x".repeat(20_000), list: [{ y: "z".repeat(9_000) }] })),
    ],
  ])("%s is read as JSON.parse does", (_what, text) => {
    const decoder = newDecoder();
    for (let round = 0; round < 3; round++)
      expect(decoder.decode(bytes(text))).toStrictEqual(JSON.parse(text));
  });

  test.each([
    ['{"type":"ADDED"'],
    ['{"type":"ADDED"}}'],
    ['{"type" "ADDED"}'],
    ['{"a":1,}'],
    ['{"object":{"spec":{"a":[1,2}}}}'],
    ['{"object":{"spec":{"a":"line\nbreak"}}}'],
    ['{"a":01}'],
    ['{"a":nul}'],
    [""],
  ])("%j is refused as JSON.parse does", (text) => {
    const decoder = newDecoder();
    for (let round = 0; round < 3; round++) expect(() => decoder.decode(bytes(text))).toThrow(SyntaxError);
  });

  test("objects with many names are no hash tables, which would take twice the memory", () => {
    setFlagsFromString("--allow-natives-syntax");
    const hasFastProperties = new Function("object", "return %HasFastProperties(object)");
    // No object with these names exists yet: V8 would give its layout to the decoded one.
    const names = Array.from({ length: 40 }, (_, index) => `"name-${index}":${index}`);
    const text = `{"object":{"spec":{${names}}}}`;
    const { object } = newDecoder().decode(bytes(text)) as { object: { spec: object } };
    expect(hasFastProperties(object.spec)).toBe(true);
    expect(JSON.stringify({ object })).toBe(text);
  });

  test("a name that would change what an object is stays data", () => {
    const text = '{"object":{"spec":{"__proto__":{"polluted":true}},"__proto__":{"polluted":true}}}';
    const { object } = newDecoder().decode(bytes(text)) as { object: { spec: object } };
    expect("polluted" in object || "polluted" in object.spec || "polluted" in {}).toBe(false);
    expect(Object.keys(object.spec)).toEqual(["__proto__"]);
  });
});

describe("object decoder: managedFields", () => {
  const managed = (...managers: string[]) => managers.map((manager) => ({ manager, operation: "Apply" }));
  const document = (managers: string[]) =>
    bytes({ object: { metadata: { managedFields: managed(...managers), name: "a" }, spec: {} } });
  const decoded = (decoder: ObjectDecoder, managers: string[]) =>
    (decoder.decode(document(managers)) as { object: { metadata: object } }).object.metadata;

  test("of other managers are skipped", () => {
    expect(decoded(newDecoder(), ["theirs"])).toEqual({ name: "a" });
    expect(decoded(newDecoder(), [])).toEqual({ name: "a" });
  });

  test("with an entry of ours are kept, and all are kept on request", () => {
    const all = { name: "a", managedFields: managed("theirs", "ours") };
    expect(decoded(newDecoder(), ["theirs", "ours"])).toEqual(all);
    const decoder = new ObjectDecoder({ ownManager: undefined });
    expect(decoded(decoder, ["theirs"])).toEqual({ name: "a", managedFields: managed("theirs") });
  });

  test("of each item of a list are decided separately", () => {
    const item = (name: string, manager: string) => ({ metadata: { name, managedFields: managed(manager) } });
    const list = { items: [item("a", "theirs"), item("b", "ours"), item("c", "theirs")] };
    const { items } = newDecoder().decode(bytes(list)) as typeof list;
    expect(items.map(({ metadata }) => "managedFields" in metadata)).toEqual([false, true, false]);
  });

  test("elsewhere than in an object's metadata are ordinary data", () => {
    const template = { metadata: { managedFields: managed("theirs") } };
    expect(specOf(newDecoder(), { template, managedFields: [1] })).toEqual({ template, managedFields: [1] });
  });
});

describe("object decoder: parts that repeat", () => {
  const spec = (size: number) => ({
    size,
    containers: [{ name: "main", image: "registry.example.com/a:1" }],
  });

  test("are one shared, frozen part", () => {
    const decoder = newDecoder();
    const [, second, third] = [1, 2, 3].map((size) => specOf(decoder, spec(size)) as ReturnType<typeof spec>);
    expect(third?.containers).toBe(second?.containers);
    expect(Object.isFrozen(third?.containers[0])).toBe(true);
    expect(Object.isFrozen(third)).toBe(false);
  });

  test("are found again after values that were different each time", () => {
    const decoder = newDecoder();
    for (let size = 0; size < 100; size++) specOf(decoder, { owner: { name: `user-${size}` } });
    const owners = Array.from({ length: 64 }, () => specOf(decoder, { owner: { name: "user" } })) as {
      owner: unknown;
    }[];
    expect(owners.at(-1)?.owner).toBe(owners.at(-2)?.owner);
  });

  test("are read as well when there are more names than are learned", () => {
    const decoder = newDecoder();
    const many = (round: number) =>
      Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`name-${round}-${index}`, index]));
    for (let round = 0; round < 10; round++) expect(specOf(decoder, many(round))).toEqual(many(round));
  });

  test("are shared between decoders that share a memory", () => {
    const memory = new TextMemory();
    const parts = ["one", "two", "three"].map((ownManager) =>
      specOf(new ObjectDecoder({ ownManager, memory }), spec(1)),
    ) as ReturnType<typeof spec>[];
    expect(parts[2]?.containers).toBe(parts[1]?.containers);
  });

  test("are forgotten when too much else came by, and remembered when they keep coming", () => {
    const memory = new TextMemory({ bits: 6, bytes: 4096 });
    const decoder = new ObjectDecoder({ ownManager: "ours", memory });
    const regular = { image: "one that comes with every object" };
    specOf(decoder, { regular });
    let last = specOf(decoder, { regular }) as { regular: unknown };
    let shared = 0;
    for (let index = 0; index < 1000; index++) {
      const other = { image: `one that comes twice ${index}` };
      specOf(decoder, { other });
      const next = specOf(decoder, { other, regular }) as { regular: unknown };
      expect(next.regular).toEqual(regular);
      if (next.regular === last.regular) shared++;
      last = next;
    }
    expect(shared).toBeGreaterThan(900);
  });
});
