import { ConfigMap, TerminalError } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { child, inOrder } from "./plan.js";

const waiting = (...after: string[]) => child(ConfigMap, { metadata: { name: "x" } }, { after });
const names = (children: Parameters<typeof inOrder>[0]) => inOrder(children).map(([name]) => name);

describe("children of a composition are created", () => {
  test("in the order of their declaration", () => {
    expect(names({ b: waiting(), a: waiting() })).toEqual(["b", "a"]);
  });

  test("after the children they wait for, without children that should not exist", () => {
    expect(
      names({ web: waiting("db", "cache"), cache: undefined, db: waiting("secret"), secret: waiting() }),
    ).toEqual(["secret", "db", "web"]);
  });

  test.each([
    ["themselves", { a: waiting("a") }, "children wait for each other: a → a"],
    [
      "each other",
      { a: waiting("b"), b: waiting("c"), c: waiting("b") },
      "children wait for each other: a → b → c → b",
    ],
    ["nobody", { a: waiting("ghost") }, 'child "a" waits for "ghost", which is no child'],
    [
      "what every object inherits",
      { a: waiting("toString") },
      'child "a" waits for "toString", which is no child',
    ],
  ])("not at all, with an error, when they wait for %s", (_, children, message) => {
    expect(() => inOrder(children)).toThrow(new TerminalError(message));
  });
});
