import { expect, test } from "vitest";
import { coloursFor } from "./terminal.js";

test.each([
  [{ isTTY: true }, {}, true],
  [{ isTTY: true }, { NO_COLOR: "1" }, false],
  [{ isTTY: true }, { NO_COLOR: "" }, true],
  [{ isTTY: true }, { TERM: "dumb" }, false],
  [{ isTTY: false }, {}, false],
  [{}, {}, false],
  [{}, { FORCE_COLOR: "1" }, true],
  [{}, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("on %o with %o colours are %s", (stream, environment, coloured) => {
  expect(coloursFor(stream, environment).red("no")).toBe(coloured ? "\u001b[31mno\u001b[0m" : "no");
});
