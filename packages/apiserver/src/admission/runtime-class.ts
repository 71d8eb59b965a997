// RuntimeClass: sets the overhead of pods, and schedules them to the nodes that have the runtime.

import {
  cloneJson,
  type Draft,
  deepEqual,
  type Pod,
  type RuntimeClass,
  type Toleration,
} from "@kubewright/api";
import { draftAs, storedAs } from "@kubewright/kinds";
import { emptyFieldsOf } from "@kubewright/machinery";

import type { AdmissionRequest } from "../registry/admission-control.js";
import type { AdmissionPlugin } from "./admission.js";
import { written } from "./matches.js";
import { refused } from "./refuse.js";

type PodSpecDraft = NonNullable<Draft<Pod>["spec"]>;

export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",
  resources: ["pods"],
  mutate(request) {
    const object = written(request, "pods", "CREATE");
    const spec = object && draftAs<Pod>(object).spec;
    if (!spec?.runtimeClassName) return;
    const found = classOf(request, spec.runtimeClassName);
    setOverhead(request, spec, found);
    setScheduling(request, spec, found);
  },
  validate(request) {
    const object = written(request, "pods", "CREATE");
    const spec = object && draftAs<Pod>(object).spec;
    if (!object || !spec || !(spec.overhead || emptyFieldsOf(object).has("spec.overhead"))) return;
    const found = spec.runtimeClassName ? classOf(request, spec.runtimeClassName) : undefined;
    if (found?.overhead?.podFixed) return;
    throw refused(
      request,
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    );
  },
};

function classOf(request: AdmissionRequest, name: string): RuntimeClass {
  const found = request.context.services.storage.get("node.k8s.io/runtimeclasses", name);
  if (!found) throw refused(request, `pod rejected: RuntimeClass "${name}" not found`);
  return storedAs<RuntimeClass>(found);
}

function setOverhead(request: AdmissionRequest, spec: PodSpecDraft, { overhead }: RuntimeClass): void {
  const fixed = overhead?.podFixed;
  if (!fixed) return;
  if (spec.overhead && !deepEqual(spec.overhead, fixed)) {
    throw refused(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  spec.overhead = cloneJson(fixed);
}

function setScheduling(request: AdmissionRequest, spec: PodSpecDraft, { scheduling }: RuntimeClass): void {
  if (!scheduling) return;
  const wanted = scheduling.nodeSelector ?? {};
  for (const [key, value] of Object.entries(wanted)) {
    const own = spec.nodeSelector?.[key];
    if (own === undefined || own === value) continue;
    const text = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
    throw refused(request, text);
  }
  if (Object.keys(wanted).length > 0) spec.nodeSelector = { ...spec.nodeSelector, ...wanted };
  const tolerations: Draft<Toleration>[] = spec.tolerations ?? [];
  for (const toleration of scheduling.tolerations ?? []) {
    if (!tolerations.some((own) => deepEqual(own, toleration))) tolerations.push(cloneJson(toleration));
  }
  if (tolerations.length > 0) spec.tolerations = tolerations;
}
