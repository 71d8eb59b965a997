import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { patternSize } from "./pattern-size.js";

test.each([
  "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
  "^[a-z]{1,900}$",
  "a{900}b{3,}",
  "(x{1,30}){1,30}",
  "((a{10}){10}){10}",
  "(a|bc|def){5,7}",
  "[]a]{20}[^]]{20}",
  "[[:alpha:]]{100}",
  "\\d{50}\\.\\{50}",
  "a{,5}b{x}",
  "(?:ab){100}",
  "^(([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])\\.){3}([0-9]|25[0-5])$",
])("CEL: the estimated size of the pattern %s is about that of its RE2 program", (source) => {
  const program = RE2JS.compile(source).programSize();
  expect(patternSize(source)).toBeGreaterThan(program / 4);
  expect(patternSize(source)).toBeLessThan(program * 4 + 8);
});

test.each(["(((", ")))", "[", "a{2}{3}{4}", "\\", "", "{5}", "(?P<n>a"])(
  "%j has a size, right or wrong",
  (source) => {
    expect(patternSize(source)).toBeGreaterThanOrEqual(0);
  },
);

test("CEL: a short pattern that expands to a long RE2 program has the size of the program", () => {
  expect(patternSize(`^${"[a-z]{1,900}".repeat(300)}$`)).toBeGreaterThan(300 * 900);
});
