import { ConfigMap, type KubeObject, Namespace, Pod, type ResourceDescriptor } from "@kubewright/api";
import { metadataOnly } from "@kubewright/client";
import { expect, test } from "vitest";
import { isFinal } from "./final-answer.js";

const deletionTimestamp = "2026-01-01T00:00:00Z";
const going = { deletionTimestamp };

const answers: [string, boolean, ResourceDescriptor, KubeObject & Record<string, unknown>][] = [
  ["an object without a deletionTimestamp stays", false, ConfigMap, { metadata: {} }],
  ["the last finalizer was removed", true, ConfigMap, { metadata: { ...going, finalizers: [] } }],
  ["a finalizer is left", false, ConfigMap, { metadata: { ...going, finalizers: ["example.com/x"] } }],
  ["a pod has time to shut down", false, Pod, { metadata: { ...going, deletionGracePeriodSeconds: 30 } }],
  ["a pod has no time left", true, Pod, { metadata: { ...going, deletionGracePeriodSeconds: 0 } }],
  ["a namespace is emptied", false, Namespace, { metadata: going, spec: { finalizers: ["kubernetes"] } }],
  ["a namespace is finalized", true, Namespace, { metadata: going, spec: { finalizers: [] } }],
  ["a namespace has no finalizers at all", true, Namespace, { metadata: going, spec: {} }],
  ["of a namespace only metadata is known", false, metadataOnly(Namespace), { metadata: going }],
  [
    "of a custom kind, finalizers in the spec mean nothing",
    true,
    ConfigMap,
    { metadata: going, spec: { finalizers: ["x"] } },
  ],
];

test.each(answers)("isFinal of %s is %s", (_what, expected, resource, object) => {
  expect(isFinal(resource, object)).toBe(expected);
});
