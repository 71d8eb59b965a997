import { expect, test } from "vitest";
import { containerPolicy, initPolicy, isToRestart } from "./restart-policy.js";

const pod = (restartPolicy: "Always" | "OnFailure" | "Never") => ({
  spec: { restartPolicy, containers: [] },
});
const onFortyTwo = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];
const notOnZero = [{ action: "Restart", exitCodes: { operator: "NotIn", values: [0] } }];

test.each([
  ["Always", {}, 0, true],
  ["OnFailure", {}, 0, false],
  ["OnFailure", {}, 1, true],
  ["Never", {}, 1, false],
  ["Never", { restartPolicy: "Always" }, 0, true],
  ["Never", { restartPolicyRules: onFortyTwo }, 42, true],
  ["Never", { restartPolicyRules: onFortyTwo }, 1, false],
  ["Never", { restartPolicyRules: notOnZero }, 3, true],
] as const)(
  "restart policy: pod %s, container %j, exit code %d: restarted %s",
  (policy, own, exitCode, isAgain) => {
    const container = { name: "c", ...own };
    expect(isToRestart(containerPolicy(pod(policy), container), container, exitCode)).toBe(isAgain);
  },
);

test.each([
  ["Always", {}, "OnFailure"],
  ["Never", {}, "Never"],
  ["Never", { restartPolicy: "Always" }, "Always"],
] as const)("restart policy: init container of a pod %s, with %j: %s", (policy, own, expected) => {
  expect(initPolicy(pod(policy), { name: "i", ...own })).toBe(expected);
});
