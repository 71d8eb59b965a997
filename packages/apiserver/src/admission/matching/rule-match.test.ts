import type { RuleWithOperations } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { type RuleSubject, ruleMatches } from "./rule-match.js";

const rule = (change: Partial<RuleWithOperations> = {}): RuleWithOperations => ({
  apiGroups: ["apps"],
  apiVersions: ["v1"],
  operations: ["CREATE"],
  resources: ["deployments"],
  scope: "*",
  ...change,
});

/** `CREATE apps/v1 deployments/scale in shop`; the core group has no name, and some resources no namespace. */
function subject(text: string): RuleSubject {
  const [operation, groupVersion = "", path = "", , namespace = ""] = text.split(" ");
  const [version = "", group = ""] = groupVersion.split("/").reverse();
  const [resource = "", subresource = ""] = path.split("/");
  return {
    operation: operation as RuleSubject["operation"],
    target: { resource: { group, version, resource }, subresource },
    namespace,
  };
}

describe("a webhook rule", () => {
  it.each([
    ["CREATE apps/v1 deployments in shop", {}, true],
    ["UPDATE apps/v1 deployments in shop", {}, false],
    ["UPDATE apps/v1 deployments in shop", { operations: ["*"] }, true],
    ["DELETE apps/v1 deployments in shop", { operations: ["CREATE", "DELETE"] }, true],
    ["CREATE apps/v1beta1 deployments in shop", {}, false],
    ["CREATE apps/v1beta1 deployments in shop", { apiVersions: ["*"] }, true],
    ["CREATE v1 pods in shop", { resources: ["pods"] }, false],
    ["CREATE v1 pods in shop", { resources: ["pods"], apiGroups: [""] }, true],
    ["CREATE v1 pods in shop", { resources: ["pods"], apiGroups: ["*"] }, true],
    ["CREATE apps/v1 deployments in shop", { resources: [] }, false],
    ["CREATE apps/v1 deployments in shop", { operations: undefined }, false],
  ] as const)("for %s, with the rule %j: matches %s", (text, change, expected) => {
    expect(ruleMatches(rule(change), subject(text))).toBe(expected);
  });

  it.each([
    ["*", true, false],
    ["*/*", true, true],
    ["deployments", true, false],
    ["deployments/*", true, true],
    ["deployments/scale", false, true],
    ["deployments/status", false, false],
    ["*/scale", false, true],
    ["pods/*", false, false],
  ])("for %s: deployments %s, deployments/scale %s", (pattern, itself, scale) => {
    const matches = (text: string) => ruleMatches(rule({ resources: [pattern] }), subject(text));
    expect(matches("CREATE apps/v1 deployments in shop")).toBe(itself);
    expect(matches("CREATE apps/v1 deployments/scale in shop")).toBe(scale);
  });

  it.each([
    ["*", "CREATE apps/v1 deployments in shop", true],
    ["Namespaced", "CREATE apps/v1 deployments in shop", true],
    ["Cluster", "CREATE apps/v1 deployments in shop", false],
    ["Namespaced", "CREATE apps/v1 deployments", false],
    ["Cluster", "CREATE apps/v1 deployments", true],
    // A namespace is in itself, yet cluster-scoped.
    ["Namespaced", "CREATE v1 namespaces in shop", false],
    ["Cluster", "CREATE v1 namespaces in shop", true],
  ] as const)("of scope %s and %s: %s", (scope, text, expected) => {
    const open = rule({ scope, apiGroups: ["*"], resources: ["*"] });
    expect(ruleMatches(open, subject(text))).toBe(expected);
  });
});
