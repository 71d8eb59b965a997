import { boolType, nullType, stringType } from "@kubewright/cel";
import { describe, expect, it } from "vitest";
import { compileAdmissionExpression } from "./compile-admission-expression.js";

const everything = { params: true, authorizer: true };

describe("an admission CEL expression", () => {
  it.each([
    "object.metadata.name == oldObject.metadata.name",
    "request.userInfo.groups.exists(g, g == 'system:masters') && request.kind.kind == 'Pod'",
    "namespaceObject.metadata.labels['team'] == 'a' && namespaceObject.status.phase == 'Active'",
    "int(params.data.max) > 3",
    "authorizer.requestResource.check('create').allowed()",
    "has(request.options.dryRun) || request.dryRun",
  ])("compiles: %s", (source) => {
    expect(compileAdmissionExpression(source, everything, [boolType]).error).toBeUndefined();
  });

  it.each([
    ["1 + 1", [boolType], "must evaluate to bool but got int"],
    ["object.spec.on", [boolType], "must evaluate to bool but got dyn"],
    ["[1]", [stringType, nullType], "must evaluate to one of [string null_type] but got list(int)"],
    [
      "timestamp('2026-01-01T00:00:00Z')",
      [boolType],
      "must evaluate to bool but got google.protobuf.Timestamp",
    ],
  ])("%s of a wrong result type is refused", (source, returns, error) => {
    expect(compileAdmissionExpression(source, everything, returns).error).toBe(error);
  });

  it.each([
    ["params.x == 1", "undeclared reference to 'params'"],
    ["authorizer.path('/').check('get').allowed()", "undeclared reference to 'authorizer'"],
    ["request.uid == ''", "undefined field 'uid'"],
    ["variables.x == 1", "undeclared reference to 'variables'"],
    ["object. == 1", "Syntax error"],
  ])("is refused with an undeclared variable or a syntax error: %s", (source, why) => {
    const { error } = compileAdmissionExpression(source, {}, [boolType]);
    expect(error).toMatch(/^compilation failed: ERROR: <input>:1:/);
    expect(error).toContain(why);
  });
});
