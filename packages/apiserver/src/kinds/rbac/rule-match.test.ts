import { coversPath, ruleAllows } from "@kubewright/kinds";
import { describe, expect, it } from "vitest";
import { user } from "../../auth/fixtures/access-server.js";

const question = (verb: string, target: string, name = "") => {
  const [resource = "", subresource = ""] = target.split("/");
  return {
    kind: "resource",
    user: user("jane"),
    verb,
    group: "apps",
    version: "v1",
    resource,
    subresource,
    namespace: "default",
    name,
  } as const;
};

describe("an RBAC rule allows", () => {
  const rule = { apiGroups: ["apps"], verbs: ["get"] };
  it.each([
    ["the resource it names", { ...rule, resources: ["deployments"] }, question("get", "deployments"), true],
    ["no other verb", { ...rule, resources: ["deployments"] }, question("list", "deployments"), false],
    ["no other group", { ...rule, apiGroups: [""], resources: ["*"] }, question("get", "deployments"), false],
    [
      "no subresource of it",
      { ...rule, resources: ["deployments"] },
      question("get", "deployments/scale"),
      false,
    ],
    [
      "a subresource by name",
      { ...rule, resources: ["deployments/scale"] },
      question("get", "deployments/scale"),
      true,
    ],
    [
      "a subresource of anything",
      { ...rule, resources: ["*/scale"] },
      question("get", "deployments/scale"),
      true,
    ],
    [
      "not a resource by that star",
      { ...rule, resources: ["*/scale"] },
      question("get", "deployments"),
      false,
    ],
    [
      "everything by a star",
      { apiGroups: ["*"], verbs: ["*"], resources: ["*"] },
      question("x", "a/b"),
      true,
    ],
    [
      "named objects",
      { ...rule, resources: ["*"], resourceNames: ["a"] },
      question("get", "deployments", "a"),
      true,
    ],
    [
      "no unnamed ones then",
      { ...rule, resources: ["*"], resourceNames: ["a"] },
      question("get", "deployments"),
      false,
    ],
    [
      "no star among names",
      { ...rule, resources: ["*"], resourceNames: ["*"] },
      question("get", "deployments", "a"),
      false,
    ],
    ["nothing without groups", { verbs: ["*"], resources: ["*"] }, question("get", "deployments"), false],
  ])("%s", (_, given, asked, allowed) => {
    expect(ruleAllows(given, asked)).toBe(allowed);
  });

  it("paths, exactly or up to a star at the end", () => {
    expect(coversPath("/healthz", "/healthz")).toBe(true);
    expect(coversPath("/healthz", "/healthz/etcd")).toBe(false);
    expect(coversPath("/healthz/*", "/healthz/etcd")).toBe(true);
    expect(coversPath("/a*b", "/a*b")).toBe(true);
    expect(coversPath("/a*b", "/axb")).toBe(false);
    expect(coversPath("*", "/anything")).toBe(true);
  });
});
