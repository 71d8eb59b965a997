import { expect, it } from "vitest";
import { TurnQueue } from "../../request/turns.js";
import { CompiledPolicy } from "../policies/compiled-policy.js";
import { CompiledOnce } from "./compiled-once.js";

it("compiles once for all who wait, and for those who come later", async () => {
  let compilations = 0;
  const once = new CompiledOnce(function* () {
    compilations += 1;
    yield;
    return "compiled";
  });
  const queue = new TurnQueue();
  expect(await Promise.all([once.get(queue), once.get(queue)])).toEqual(["compiled", "compiled"]);
  expect(once.get(queue)).toBe("compiled");
  expect(compilations).toBe(1);
});

it("a policy pauses between its expressions", () => {
  const pausesFor = (count: number): number => {
    const each = { expression: "object.spec.replicas > 1", messageExpression: "'a'" };
    const steps = CompiledPolicy.compile({ validations: Array.from({ length: count }, () => each) });
    let pauses = 0;
    while (!steps.next().done) pauses += 1;
    return pauses;
  };
  expect(pausesFor(40)).toBeGreaterThanOrEqual(4 * pausesFor(5));
});
