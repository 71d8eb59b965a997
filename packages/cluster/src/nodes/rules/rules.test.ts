import { describe, expect, test } from "vitest";
import { rule } from "./check-rule.js";
import { patternMatcher } from "./name-pattern.js";
import { parseRules } from "./parse-rules.js";
import { RuleSet } from "./rule-set.js";

const web = {
  metadata: { name: "web-1", namespace: "shop", uid: "u", labels: { app: "web", tier: "front" } },
  spec: { nodeName: "node-2", containers: [{ name: "nginx", image: "nginx:1" }] },
};
const container = { name: "nginx", image: "nginx:1", command: ["nginx"], args: ["-g", "daemon off;"] };
const subject = { pod: web, container };

describe("rules: match", () => {
  test.each([
    [{}, true],
    [{ namespace: "shop" }, true],
    [{ namespace: "office" }, false],
    [{ name: "web-*" }, true],
    [{ name: "web" }, false],
    [{ labels: { app: "web" } }, true],
    [{ labels: { app: "db" } }, false],
    [{ selector: "app in (web, db),tier" }, true],
    [{ selector: "!tier" }, false],
    [{ selector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["db"] }] } }, true],
    [{ image: "nginx:*", container: "nginx", node: "node-2" }, true],
    [{ image: "redis:*" }, false],
    [{ container: "sidecar" }, false],
    [{ command: "nginx -g *" }, true],
    [{ command: "nginx" }, false],
    [{ node: "node-1" }, false],
  ])("%j: %s", (match, isMatch) => {
    const rules = new RuleSet();
    rules.add(rule(match, { neverReady: true }));
    expect(rules.effectsOn(subject).neverReady ?? false).toBe(isMatch);
  });

  test("a rule about containers does not match a pod as a whole", () => {
    const rules = new RuleSet();
    rules.add(rule({ image: "nginx:*" }, { evict: {} }));
    expect(rules.effectsOn({ pod: web })).toEqual({});
  });
});

test("rules: later rules override earlier ones, effect by effect, until they are removed", () => {
  const rules = new RuleSet();
  rules.add(rule({}, { startLatency: "1s", neverReady: true, exit: { after: "5s", code: 3 } }));
  const later = rules.add(rule({ namespace: "shop" }, { neverReady: false, runs: true }));
  expect(rules.effectsOn(subject)).toMatchObject({ startLatency: 1000, neverReady: false, ending: "never" });
  later.remove();
  later.remove();
  expect(rules.effectsOn(subject)).toMatchObject({ neverReady: true, ending: { after: 5000, exitCode: 3 } });
});

test.each([
  ["a*c", "abc", true],
  ["a*c", "ac", true],
  ["a*c", "ab", false],
  ["*", "", true],
  ["a*b*c", "a-b-b-c", true],
  ["a*a", "a", false],
  ["*b*", "abc", true],
  ["a.c", "abc", false],
])("rules: pattern %s and text %s: %s", (pattern, text, isMatch) => {
  expect(patternMatcher(pattern)(text)).toBe(isMatch);
});

describe("rules: an invalid rule is refused, with the field and the valid values", () => {
  test.each([
    [
      { match: {}, effects: { crashLop: {} } },
      /rule\.effects\.crashLop: Unsupported value: "crashLop".*"crashLoop"/,
    ],
    [
      { match: {}, effects: { crashLoop: { after: "5 s" } } },
      /rule\.effects\.crashLoop\.after: .*"5 s".*duration/,
    ],
    [{ match: {}, effects: { exit: { code: 300 } } }, /rule\.effects\.exit\.code: .*300.*from 0 to 255/],
    [
      { match: {}, effects: { probe: { liveness: "fails" } } },
      /rule\.effects\.probe\.liveness: .*"succeed", "fail"/,
    ],
    [{ match: {}, effects: { metrics: { cpu: "many" } } }, /rule\.effects\.metrics\.cpu: .*"many".*quantity/],
    [{ match: {}, effects: { logs: ["a", 1] } }, /rule\.effects\.logs\[1\]: .*must be a text/],
    [{ match: {}, effects: { oomKill: {}, exit: {} } }, /only one of oomKill, exit/],
    [{ match: {}, effects: {} }, /rule\.effects: Required value/],
    [{ match: { selector: "a in b" }, effects: { neverReady: true } }, /rule\.match\.selector/],
    [
      { match: { namespace: "shop" }, effects: { nodeDown: true } },
      /nodes have no namespace: match by node alone/,
    ],
    [{ match: JSON.parse(`{ "__proto__": 1 }`), effects: { neverReady: true } }, /__proto__/],
    [{ effects: { neverReady: true } }, /rule\.match: /],
  ])("%j", ({ match, effects }: { match?: object; effects?: object }, message) => {
    expect(() => rule(match as object, effects as object)).toThrow(message);
  });
});

describe("rules in files", () => {
  test("are YAML, as a list or under `rules`", () => {
    const list = "- match: { image: 'db:*' }\n  effects: { startLatency: 5s, probe: { readiness: fail } }\n";
    const expected = [
      { match: { image: "db:*" }, effects: { startLatency: "5s", probe: { readiness: "fail" } } },
    ];
    expect(parseRules(list, "rules.yaml")).toEqual(expected);
    expect(parseRules(JSON.stringify({ rules: expected }), "rules.json")).toEqual(expected);
    expect(parseRules("", "rules.yaml")).toEqual([]);
  });

  test.each([
    ["rules: 3", /^rules\.yaml: rules: .*must be a list of rules/],
    ["- match: {}\n  effects: { pullTime: soon }\n- 7", /rules\[0\]\.effects\.pullTime: .*; rules\[1\]: /],
    ["a: [", /^rules\.yaml: /],
  ])("%j is refused with every invalid field", (text, message) => {
    expect(() => parseRules(text, "rules.yaml")).toThrow(message);
  });
});
