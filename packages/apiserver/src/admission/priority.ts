// Priority: sets a pod's priority from its PriorityClass, refuses other values, and allows one default class.

import type { Draft, Pod, PriorityClass } from "@kubewright/api";
import { draftAs, storedAs } from "@kubewright/kinds";

import type { AdmissionRequest } from "../registry/admission-control.js";
import type { AdmissionPlugin } from "./admission.js";
import { written } from "./matches.js";
import { refused } from "./refuse.js";

const table = "scheduling.k8s.io/priorityclasses";
const preempt = "PreemptLowerPriority";

type PodSpecDraft = NonNullable<Draft<Pod>["spec"]>;

export const priority: AdmissionPlugin = {
  name: "Priority",
  resources: ["pods", "priorityclasses.scheduling.k8s.io"],
  mutate(request) {
    if (request.operation === "DELETE") return keepSystemClasses(request);
    const object = written(request, "pods", "CREATE", "UPDATE");
    const spec = object && draftAs<Pod>(object).spec;
    if (!spec) return;
    if (request.oldObject) keepPriority(spec, storedAs<Pod>(request.oldObject));
    else givePriority(request, spec);
  },
  validate(request) {
    const object = written(request, "priorityclasses.scheduling.k8s.io", "CREATE", "UPDATE");
    if (!object || !draftAs<PriorityClass>(object).globalDefault) return;
    const other = defaultClass(request)?.metadata?.name;
    if (other === undefined || (request.operation === "UPDATE" && other === request.name)) return;
    throw refused(request, `PriorityClass ${other} is already marked as default. Only one default can exist`);
  },
};

function keepSystemClasses(request: AdmissionRequest): void {
  const { kind, name } = request;
  if (kind.plural !== "priorityclasses" || kind.group !== "scheduling.k8s.io") return;
  if (name === "system-node-critical" || name === "system-cluster-critical")
    throw refused(request, "this is a system priority class and cannot be deleted");
}

/** A PUT without the fields keeps them. */
function keepPriority(spec: PodSpecDraft, { spec: before }: Pod): void {
  if (before?.priority !== undefined) spec.priority ??= before.priority;
  if (before?.preemptionPolicy !== undefined) spec.preemptionPolicy ??= before.preemptionPolicy;
}

function givePriority(request: AdmissionRequest, spec: PodSpecDraft): void {
  const found = spec.priorityClassName ? classOf(request, spec.priorityClassName) : defaultClass(request);
  if (found?.metadata?.name) spec.priorityClassName = found.metadata.name;
  const value = found?.value ?? 0;
  const policy = found?.preemptionPolicy ?? preempt;
  const computed = "must not be provided in pod spec; priority admission controller computed";
  if (spec.priority !== undefined && spec.priority !== value) {
    const text = `the integer value of priority (${spec.priority}) ${computed} ${value} from the given PriorityClass name`;
    throw refused(request, text);
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    const text = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${computed} ${policy} from the given PriorityClass name`;
    throw refused(request, text);
  }
  spec.priority = value;
  spec.preemptionPolicy = policy;
}

function classOf(request: AdmissionRequest, name: string): PriorityClass {
  const found = request.context.services.storage.get(table, name);
  if (!found) throw refused(request, `no PriorityClass with name ${name} was found`);
  return storedAs<PriorityClass>(found);
}

/** Should there be several, the one with the lowest value. */
function defaultClass({ context }: AdmissionRequest): PriorityClass | undefined {
  const all = [...context.services.storage.list(table, { prefix: "" })].map(storedAs<PriorityClass>);
  return all.filter(({ globalDefault }) => globalDefault).sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}
