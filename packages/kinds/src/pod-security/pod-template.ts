// Finds the pod template in kinds that create pods.
import type { CronJob, Deployment, PodTemplate, PodTemplateSpec } from "@kubewright/api";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import type { PodLike } from "./check.js";

const ofSpec = (object: DraftObject): PodTemplateSpec | undefined =>
  draftAs<Deployment>(object).spec?.template;

const templates: Readonly<Record<string, (object: DraftObject) => PodTemplateSpec | undefined>> = {
  replicationcontrollers: ofSpec,
  podtemplates: (object) => draftAs<PodTemplate>(object).template,
  "replicasets.apps": ofSpec,
  "deployments.apps": ofSpec,
  "statefulsets.apps": ofSpec,
  "daemonsets.apps": ofSpec,
  "jobs.batch": ofSpec,
  "cronjobs.batch": (object) => draftAs<CronJob>(object).spec?.jobTemplate?.spec?.template,
};

/** The kinds that make pods. */
export const resourcesWithTemplates: readonly string[] = Object.keys(templates);

/** The pods an object would make; undefined for other kinds. */
export function podTemplateOf(resource: string, object: DraftObject): PodLike | undefined {
  if (!Object.hasOwn(templates, resource)) return undefined;
  const template = templates[resource]?.(object);
  return template?.spec ? { metadata: template.metadata ?? {}, spec: template.spec } : undefined;
}
