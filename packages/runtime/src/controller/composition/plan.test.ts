import { ConfigMap, TerminalError } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { child, inOrder } from "./plan.js";

const waiting = (...after: string[]) => child(ConfigMap, { metadata: { name: "x" } }, { after });
const names = (children: Parameters<typeof inOrder>[0]) => inOrder(children).map(([name]) => name);

describe("children are made", () => {
  test("in the order given where nothing else is said", () => {
    expect(names({ b: waiting(), a: waiting() })).toEqual(["b", "a"]);
  });

  test("after those they wait for, without those that should not exist", () => {
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
  ])("unless they wait for %s", (_, children, message) => {
    expect(() => inOrder(children)).toThrow(new TerminalError(message));
  });
});
