import fc from "fast-check";
import { expect, test } from "vitest";
import { readTar, writeTar } from "./tar.js";

test("archives give back what was put in", () => {
  const path = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}\.js$/);
  const files = fc.uniqueArray(fc.record({ path, content: fc.uint8Array({ maxLength: 2000 }) }), {
    selector: (file) => file.path,
  });
  fc.assert(
    fc.property(files, (all) => {
      const found = readTar(writeTar(all));
      expect([...found].map(([name, content]) => [name, [...content]])).toEqual(
        all.map((file) => [file.path, [...file.content]]),
      );
    }),
  );
});

test("archives that are cut short are refused", () => {
  const archive = writeTar([{ path: "a", content: new Uint8Array(600) }]);
  expect(() => readTar(archive.subarray(0, 1000))).toThrow("cut short");
});
