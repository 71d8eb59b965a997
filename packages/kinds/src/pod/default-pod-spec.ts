// Defaults of a pod spec, in a pod or in the template of a workload.
import type { Draft, PodSpec, PodTemplateSpec } from "@kubewright/api";
import { roundResources } from "../resource-lists.js";
import { defaultContainer } from "./default-container.js";
import { defaultVolume } from "./default-volume.js";

/** Fills in a pod spec and everything below it. */
export function defaultPodSpec(spec: Draft<PodSpec>): void {
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= "default-scheduler";
  nameServiceAccount(spec);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of spec.initContainers ?? []) defaultContainer(container);
  for (const container of spec.containers ?? []) defaultContainer(container);
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container);
  roundResources(spec.overhead);
  roundResources(spec.resources?.limits);
  roundResources(spec.resources?.requests);
}

/** The service account has an old name too; both are always printed, and the new one wins. */
function nameServiceAccount(spec: Draft<PodSpec>): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  if (spec.serviceAccountName !== name) spec.serviceAccountName = name;
  if (spec.serviceAccount !== name) spec.serviceAccount = name;
}

/** Fills in the template of a workload. */
export function defaultPodTemplate(template: Draft<PodTemplateSpec> | null | undefined): void {
  if (!template) return;
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec);
}
