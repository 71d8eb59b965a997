import { boolType, createBudget } from "@kubewright/cel";
import { describe, expect, it } from "vitest";
import { compileAdmissionExpression } from "./compile-admission-expression.js";
import { ComposedVariables } from "./composed-variables.js";
import { evaluateExpression, OutOfBudget } from "./evaluate-expression.js";

const object = { metadata: { name: "web" }, spec: { replicas: 3, list: [1, 2, 3] } };

function evaluate(variables: Record<string, string>, source: string, limit?: number) {
  const named = Object.entries(variables).map(([name, expression]) => ({ name, expression }));
  const composed = new ComposedVariables(named, {});
  const compiled = compileAdmissionExpression(source, { variables: composed.type }, []);
  const budget = createBudget(limit);
  return evaluateExpression(source, compiled, composed.bind({ object, oldObject: null }, budget), budget);
}

describe("variables of an admission policy", () => {
  it.each([
    [{ n: "object.spec.replicas" }, "variables.n == 3"],
    [{ n: "size(object.spec.list)", twice: "variables.n * 2" }, "variables.twice == 6"],
    [{ names: "['web', 'api']" }, "'web' in variables.names && variables.names.all(n, n.size() < 4)"],
    [{ none: "oldObject" }, "variables.none == null"],
    [{ q: "quantity('1Gi')" }, "variables.q.isGreaterThan(quantity('1Mi'))"],
    [{ m: "{'a': 1}" }, "variables.m.a == 1 && variables.m['a'] == 1"],
    [{ t: "timestamp('2026-01-01T00:00:00Z')" }, "variables.t.getFullYear() == 2026"],
    [{ __proto__x: "1", constructor: "2" }, "variables.constructor == 2"],
  ])("%j: %s", (variables, source) => expect(evaluate(variables, source)).toEqual({ value: true }));

  it("are not evaluated before they are needed", () => {
    expect(evaluate({ bad: "object.spec.missing == 1" }, "true || variables.bad")).toEqual({ value: true });
    expect(evaluate({ bad: "object.spec.missing == 1" }, "variables.bad || true")).toEqual({ value: true });
  });

  it("that fail make every expression that uses them fail, with their name", () => {
    expect(evaluate({ bad: "object.spec.missing == 1" }, "variables.bad")).toEqual({
      error:
        "expression 'variables.bad' resulted in error: composited variable \"bad\" fails to evaluate: no such key: missing",
    });
    expect(evaluate({ bad: "object.(" }, "variables.bad == 1").error).toMatch(
      /composited variable "bad" fails to compile: compilation failed: ERROR/,
    );
  });

  it("cannot use variables declared after them", () => {
    expect(evaluate({ a: "variables.b", b: "1" }, "variables.a == 1").error).toContain("undefined field 'b'");
  });

  it("share the budget of the expressions that use them", () => {
    const long = "[1,2,3,4,5,6,7,8,9].all(x, [1,2,3,4,5,6,7,8,9].all(y, x + y > 0))";
    expect(() => evaluate({ long }, "variables.long", 100)).toThrow(OutOfBudget);
    expect(evaluate({ long }, "variables.long && variables.long", 1_000)).toEqual({ value: true });
  });
});

it("an admission expression above its cost limit fails with an error instead of ending the evaluation", () => {
  const nested = Array.from({ length: 14 }).reduce<string>(
    (inner) => `object.spec.list.all(x, ${inner})`,
    "true",
  );
  const compiled = compileAdmissionExpression(nested, {}, [boolType]);
  expect(evaluateExpression("nested", compiled, { object }, createBudget()).error).toBe(
    "expression 'nested' resulted in error: operation cancelled: actual cost limit exceeded",
  );
});
