import type { PolicyRule } from "@kubewright/api";
import { describeRule, ruleAllows, uncoveredRules } from "@kubewright/kinds";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { user } from "../../auth/fixtures/access-server.js";

const pods = (...verbs: string[]): PolicyRule => ({ apiGroups: [""], resources: ["pods"], verbs });

describe("RBAC escalation: rules that exceed those the user holds", () => {
  it.each<[string, PolicyRule[], PolicyRule[], string[]]>([
    ["nothing, when one rule has it all", [pods("get", "list")], [pods("list")], []],
    ["nothing, when several have it together", [pods("get"), pods("list")], [pods("get", "list")], []],
    [
      "verbs, put together per resource",
      [pods("get")],
      [pods("get", "list", "watch")],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}'],
    ],
    [
      "a star is more than all verbs there are",
      [pods("get", "list")],
      [pods("*")],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
    ],
    ["nothing, when held by a star", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }], [pods("*")], []],
    [
      "a subresource by its star",
      [{ apiGroups: [""], resources: ["*/log"], verbs: ["get"] }],
      [{ apiGroups: [""], resources: ["pods/log"], verbs: ["get"] }],
      [],
    ],
    [
      "all objects, when only some are held",
      [{ ...pods("get"), resourceNames: ["a"] }],
      [pods("get")],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    ],
    [
      "names that are not held",
      [{ ...pods("get"), resourceNames: ["a"] }],
      [{ ...pods("get", "list"), resourceNames: ["a", "b"] }],
      [
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["list"]}',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get" "list"]}',
      ],
    ],
    [
      "paths",
      [{ nonResourceURLs: ["/a/*"], verbs: ["get"] }],
      [{ nonResourceURLs: ["/a/b", "/b"], verbs: ["get"] }],
      ['{NonResourceURLs:["/b"], Verbs:["get"]}'],
    ],
  ])("%s", (_, held, granted, expected) => {
    expect(uncoveredRules(held, granted).map(describeRule).sort()).toEqual(expected);
  });

  it("are not expanded for grants of absurd size", () => {
    const words = Array.from({ length: 400 }, (_, index) => `w${index}`);
    const absurd = { apiGroups: words, resources: words, verbs: words };
    expect(uncoveredRules([pods("get")], [absurd])).toEqual([absurd]);
    expect(uncoveredRules([{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }], [absurd])).toEqual([]);
  });

  it("never miss a grant that allows more than is held", () => {
    const list = (...words: string[]) =>
      fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 });
    const rule = fc.record({
      apiGroups: list("", "apps", "*"),
      resources: list("pods", "pods/log", "*/log", "*"),
      verbs: list("get", "list", "*"),
      resourceNames: fc.option(list("a", "b"), { nil: undefined }),
    });
    const question = fc.record({
      kind: fc.constant("resource" as const),
      user: fc.constant(user("jane")),
      version: fc.constant("v1"),
      namespace: fc.constant(""),
      verb: fc.constantFrom("get", "list", "other"),
      group: fc.constantFrom("", "apps", "other"),
      resource: fc.constantFrom("pods", "other"),
      subresource: fc.constantFrom("", "log", "other"),
      name: fc.constantFrom("", "a", "b", "c"),
    });
    const rules = fc.array(rule, { maxLength: 4 });
    fc.assert(
      fc.property(rules, rules, question, (held, granted, asked) => {
        fc.pre(uncoveredRules(held, granted).length === 0);
        const by = (some: readonly PolicyRule[]) => some.some((one) => ruleAllows(one, asked));
        expect(by(held) || !by(granted)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
