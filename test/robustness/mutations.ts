// Values nobody should send, and ordinary objects with some of them in it.
import fc from "fast-check";

type Json = unknown;

/** Text that is long, deep in its own way, or means something to someone. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "",
    " ",
    "__proto__",
    "constructor",
    "../../etc/passwd",
    "%2e%2e%2f",
    "\u0000",
    "\ud800",
    "é\u0301",
  ),
  fc.constantFrom(
    "9".repeat(400),
    "1e999",
    "-0",
    "0x10",
    "NaN",
    "100%",
    "10Gi",
    "1h1m1",
    "2026-13-45T99:99:99Z",
  ),
  fc.constantFrom(
    "10.0.0.256",
    "::1%eth0",
    "fe80::/129",
    "*/0 * * * *",
    "TZ=UTC * * * * *",
    "a=b,c in (d,(e))",
    "$(A)$(B)",
  ),
  fc.constantFrom(
    "self.all(x, x.all(y, y == self))",
    "object.".repeat(200),
    "((((",
    "[1,2,3].map(x, x / 0)",
    '"\\q"',
    "(a+)+$",
  ),
  fc
    .tuple(
      fc.constantFrom("0", "a", "/", ".", ":", "-", "(", "[", "{", "1.", "a-", "a,", "=", "\\", '"', "$("),
      fc.constantFrom("", "!", "x"),
    )
    .map(([unit, tail]) => unit.repeat(20_000) + tail),
);

function nested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

/** Any JSON that does not belong where it is. */
export const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<Json>(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      2 ** 31,
      -(2 ** 63),
      1e308,
      [],
      {},
      [null],
      [[]],
      [{}],
      { a: null },
    ),
  },
  { weight: 3, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(30, 400, 700).map(nested) },
  {
    weight: 1,
    arbitrary: fc
      .constant(null)
      .map(() =>
        JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 2, max: 300 })
      .map((count) => Array.from({ length: count }, () => ({ name: "a" }))),
  },
);

const hostileKey = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "length",
    "0",
    "",
    "metadata",
    "spec",
    "name",
    "kind",
    "items",
  ),
  fc.constantFrom(
    "$patch",
    "$retainKeys",
    "$setElementOrder/containers",
    "$deleteFromPrimitiveList/finalizers",
    "$setElementOrder/",
  ),
  fc.constantFrom(
    "managedFields",
    "fieldsV1",
    "f:metadata",
    "ownerReferences",
    "x-kubernetes-validations",
    "$ref",
    "default",
  ),
  fc.string({ maxLength: 5 }),
);

const edit = fc.record({
  /** Which place, as a fraction of all there are. */
  place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  action: fc.constantFrom("replace", "replace", "replace", "remove", "add", "repeat"),
  key: hostileKey,
  value: hostileValue,
});

type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** The value with one to three places changed. */
export const mutated = (value: Json): fc.Arbitrary<Json> =>
  fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => edits.reduce(changed, value));

function changed(value: Json, { place, action, key, value: hostile }: Edit): Json {
  const copy = structuredClone(value);
  const places = placesIn(copy);
  const found = places[Math.floor(place * places.length)];
  if (!found) return hostile;
  const [holder, at] = found;
  if (action === "replace") put(holder, at, hostile);
  else if (action === "remove") remove(holder, at);
  else if (Array.isArray(holder))
    holder.push(action === "repeat" ? structuredClone(holder[Number(at)]) : hostile);
  else put(holder, key, action === "repeat" ? structuredClone(holder[at]) : hostile);
  return copy;
}

type Holder = Record<string, Json> | Json[];

function placesIn(value: Json, depth = 0): (readonly [Holder, string])[] {
  if (typeof value !== "object" || value === null || depth > 50) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    [value as Holder, key] as const,
    ...placesIn(child, depth + 1),
  ]);
}

function put(holder: Holder, key: string, value: Json): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function remove(holder: Holder, key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

/** Bytes with some of them overwritten, removed or repeated. */
export const mutatedBytes = (bytes: Uint8Array): fc.Arbitrary<Buffer> =>
  fc
    .array(
      fc.record({
        at: fc.nat({ max: Math.max(0, bytes.length - 1) }),
        action: fc.constantFrom("overwrite", "overwrite", "cut", "repeat"),
        byte: fc.oneof(fc.nat(255), fc.constantFrom(0x00, 0x7f, 0x80, 0xff, 0x0a, 0x22, 0x5c, 0x7b, 0x5b)),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((edits) =>
      edits.reduce((buffer, { at, action, byte }) => {
        if (action === "cut")
          return Buffer.concat([buffer.subarray(0, at), buffer.subarray(at + 1 + (byte % 16))]);
        if (action === "repeat")
          return Buffer.concat([buffer.subarray(0, at), buffer.subarray(Math.max(0, at - 20))]);
        const copy = Buffer.from(buffer);
        if (at < copy.length) copy[at] = byte;
        return copy;
      }, Buffer.from(bytes)),
    );
