import fc from "fast-check";
import { expect, test } from "vitest";
import { StringInterner } from "./string-interner.js";

test("changes no value, whatever it holds", () => {
  const interner = new StringInterner(4);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = JSON.parse(JSON.stringify({ value }));
      interner.internAll(copy);
      expect(copy).toStrictEqual(JSON.parse(JSON.stringify({ value })));
    }),
  );
});

test("leaves keys that look like prototypes alone", () => {
  const object = JSON.parse(
    '{"__proto__":"a text that is long enough","constructor":{"x":"a text that is long enough"}}',
  );
  new StringInterner().internAll(object);
  expect(JSON.stringify(object)).toBe(
    '{"__proto__":"a text that is long enough","constructor":{"x":"a text that is long enough"}}',
  );
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
});

test("is not stopped by depth", () => {
  let object: object = {};
  for (let depth = 0; depth < 100_000; depth++) object = { next: object };
  expect(() => new StringInterner().internAll(object)).not.toThrow();
});

test("lets a text that comes often outlive those that come once", () => {
  const interner = new StringInterner(1);
  const frequent = "a text that comes again and again";
  interner.intern(frequent);
  interner.intern(frequent);
  for (let index = 0; index < 100; index++) {
    interner.intern(`some other text number ${index}`);
    expect(interner.holds(frequent)).toBe(true);
  }
});
