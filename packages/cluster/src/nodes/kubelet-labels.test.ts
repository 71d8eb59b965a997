import { expect, test } from "vitest";
import { splitLabels } from "./kubelet-labels.js";

test.each([
  ["disk", true],
  ["example.com/disk", true],
  ["kubernetes.io/hostname", true],
  ["topology.kubernetes.io/zone", true],
  ["node.kubernetes.io/anything", true],
  ["my.kubelet.kubernetes.io/anything", true],
  ["node-role.kubernetes.io/control-plane", false],
  ["node-restriction.kubernetes.io/tier", false],
  ["kubernetes.io/other", false],
  ["scheduling.k8s.io/pool", false],
  ["notkubernetes.io/pool", true],
])("a kubelet may label its node %s: %s", (key, isOwn) => {
  const labels = { [key]: "x" };
  expect(splitLabels(labels)).toEqual(isOwn ? { own: labels, others: {} } : { own: {}, others: labels });
});
