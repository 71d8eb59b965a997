import { describe, expect, it } from "vitest";
import { CelEvaluationError } from "../errors.js";
import { costOf, evaluate } from "../testing/evaluate.js";
import {
  authorizerType,
  type CelAccessCheck,
  celAuthorizer,
  celResourceCheck,
  resourceCheckType,
} from "./authorization.js";

const variables = { authorizer: authorizerType, "authorizer.requestResource": resourceCheckType };

/** Evaluates with an authorizer that allows reading, and remembers what it was asked. */
function ask(source: string) {
  const asked: CelAccessCheck[] = [];
  const decide = (check: CelAccessCheck) => {
    asked.push(check);
    const allowed = check.verb === "get";
    return { allowed, reason: allowed ? "readers read" : "", error: "" };
  };
  const bindings = {
    authorizer: celAuthorizer(decide),
    "authorizer.requestResource": celResourceCheck(decide, {
      group: "apps",
      resource: "deployments",
      name: "web",
    }),
  };
  return {
    asked,
    value: evaluate(source, { variables, bindings }),
    cost: costOf(source, { variables, bindings }),
  };
}

const fails = (source: string, message: string) =>
  expect(() => ask(source)).toThrow(new CelEvaluationError(message));

describe("CEL authorizer", () => {
  it.each([
    ["authorizer.path('/healthz').check('get').allowed()", true],
    ["authorizer.path('/healthz').check('post').allowed()", false],
    ["authorizer.group('').resource('pods').check('get').reason()", "readers read"],
    ["authorizer.group('').resource('pods').check('list').errored()", false],
    ["authorizer.group('').resource('pods').check('list').error()", ""],
    ["authorizer.requestResource.check('get').allowed()", true],
  ])("%s is %j", (source, value) => expect(ask(source).value).toBe(value));

  it("checks the resource, subresource and name that the expression spells out", () => {
    const { asked } = ask(
      "authorizer.serviceAccount('kube-system', 'default').group('apps').resource('deployments')" +
        ".subresource('scale').namespace('shop').name('web').fieldSelector('a=b').labelSelector('c=d').check('get').allowed()",
    );
    expect(asked[0]).toEqual({
      kind: "resource",
      serviceAccount: { namespace: "kube-system", name: "default" },
      group: "apps",
      resource: "deployments",
      subresource: "scale",
      namespace: "shop",
      name: "web",
      fieldSelector: "a=b",
      labelSelector: "c=d",
      verb: "get",
    });
  });

  it("checks the resource of the request with requestResource", () => {
    const { asked } = ask("authorizer.requestResource.subresource('status').check('update').allowed()");
    expect(asked[0]).toMatchObject({
      group: "apps",
      resource: "deployments",
      subresource: "status",
      name: "web",
    });
  });

  it.each([
    ["authorizer.path(' ').check('get').allowed()", "path must not be empty"],
    ["authorizer.group('apps').resource('').check('get').allowed()", "resource must not be empty"],
    [
      "authorizer.serviceAccount('default', 'No!').path('/').check('get').allowed()",
      "Invalid service account name",
    ],
    [
      "authorizer.serviceAccount('a.b', 'x').path('/').check('get').allowed()",
      "Invalid service account namespace",
    ],
  ])("%s fails: %s", fails);

  it("lets one expression make two checks within its cost budget, and no third", () => {
    const question = "authorizer.requestResource.check('list').allowed()";
    expect(ask(`${question} || ${question}`).cost).toBeGreaterThan(700_000);
    expect(() => ask([question, question, question].join(" || "))).toThrow("cost limit exceeded");
  });
});
