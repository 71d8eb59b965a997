import { expect, test } from "vitest";
import { coloursFor, withoutControls } from "./terminal.js";

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

test.each([
  ["two\nlines\tand a tab", "two\nlines\tand a tab"],
  ["\u001b]0;owned\u0007", "^[]0;owned^G"],
  ["\u001b[2J\u001b[1;1Hgone", "^[[2J^[[1;1Hgone"],
  ["back\b\b\b\b, \rover", "back^H^H^H^H, ^Mover"],
  ["\u009b2J\u007f\u0000", "\\x9b2J^?^@"],
  [coloursFor({}, { FORCE_COLOR: "1" }).red("ü"), "\u001b[31mü\u001b[0m"],
])("%j is shown as %j", (text, shown) => {
  expect(withoutControls(text)).toBe(shown);
});
