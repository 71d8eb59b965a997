// Values that do not belong where they are put.
import type { Random } from "./random.js";

const words = [
  "",
  " ",
  "a",
  "sample",
  "default",
  "__proto__",
  "constructor",
  "../../etc",
  "%2e%2e%2f",
  "\u0000",
  "\ud800",
  "é\u0301",
  "9".repeat(400),
  "1e999",
  "-0",
  "100%",
  "10Gi",
  "1n",
  "2026-13-45T99:99:99Z",
  "2026-01-01T00:00:00Z",
  "10.0.0.256",
  "fe80::/129",
  "*/0 * * * *",
  "a=b,c in (d,(e))",
  "$(A)$(B)",
  "self.all(x, x.all(y, y == self))",
  "object.spec.replicas > 1",
  "((((",
  "[1,2,3].map(x, x / 0)",
  '"\\q"',
  "(a+)+$",
  "True",
  "null",
  "~1~0",
  `1${"0".repeat(300)}m`,
  `0.${"0".repeat(300)}1Ki`,
  "1e-99999999",
  "-9223372036854775808",
  "9223372036854775808Ei",
  "1h2m3s4ms5us6ns7µs",
  `${"1h".repeat(500)}`,
  `2026-01-01T00:00:00.${"9".repeat(500)}+25:99`,
  "::ffff:10.0.0.1",
  `${"1:".repeat(200)}:`,
  "*/5 0-59/7,1,2,3 1-31 1-12 0-7",
  "\ud83d\udca9".repeat(20),
  "\u202e\ufeff\u2028",
] as const;

const units = [
  "0",
  "a",
  "/",
  ".",
  ":",
  "-",
  "(",
  "[",
  "{",
  "1.",
  "a-",
  "a,",
  "=",
  "\\",
  '"',
  "$(",
  "é",
  "\n",
];

/** Text that is long, deep in its own way, or means something to someone. */
export function text(random: Random): string {
  const kind = random.below(20);
  if (kind < 12) return random.pick(words);
  if (kind < 18)
    return random.times(random.below(12), () => String.fromCharCode(random.below(0x250))).join("");
  return random.pick(units).repeat(random.pick([10, 300, 5000, 70_000])) + random.pick(["", "!", "x"]);
}

const numbers = [0, -1, 1, 1.5, 2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 63), 1e308, 65_536, 30_000];

/** Any JSON value, `levels` deep at most but for those that are deep on purpose. */
export function value(random: Random, levels = 3): unknown {
  const kind = random.below(levels > 0 ? 20 : 12);
  if (kind < 2) return null;
  if (kind < 4) return random.chance(0.5);
  if (kind < 7) return random.pick(numbers);
  if (kind < 12) return text(random);
  if (kind < 15) return random.times(random.below(4), () => value(random, levels - 1));
  if (kind < 18) return fields(random.times(random.below(4), () => [key(random), value(random, levels - 1)]));
  if (kind < 19) return nested(random.pick([30, 400, 511, 700]));
  return random.times(random.pick([2, 100, 1000]), (index) => ({
    name: random.chance(0.5) ? "a" : `a${index}`,
  }));
}

const keys = [
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
  "$patch",
  "$retainKeys",
  "$setElementOrder/containers",
  "$deleteFromPrimitiveList/finalizers",
  "managedFields",
  "fieldsV1",
  "f:metadata",
  'k:{"name":"a"}',
  "ownerReferences",
  "finalizers",
  "x-kubernetes-validations",
  "$ref",
  "default",
  "properties",
] as const;

/** The name of a field that means something somewhere. */
export const key = (random: Random): string => (random.chance(0.8) ? random.pick(keys) : text(random));

/** An object with these fields, whatever they are called. */
export function fields(entries: readonly (readonly [string, unknown])[]): object {
  const object = {};
  for (const [name, field] of entries) put(object, name, field);
  return object;
}

export function put(holder: object, name: string, field: unknown): void {
  Object.defineProperty(holder, name, { value: field, enumerable: true, configurable: true, writable: true });
}

function nested(depth: number): unknown {
  let inner: unknown = 1;
  for (let level = 0; level < depth; level++) inner = level % 2 === 0 ? { a: inner } : [inner];
  return inner;
}
