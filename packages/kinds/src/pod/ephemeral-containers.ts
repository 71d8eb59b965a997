// `/ephemeralcontainers`: adds containers to a running pod, and changes nothing else of it.
import { cloneJson, deepEqual, type FieldError, fieldError, type Pod } from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { firstByName } from "../first-by-name.js";
import { diffOfJson } from "../json-diff.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { bumpGeneration } from "../status-strategy.js";
import type { Strategy } from "../strategy.js";
import { defaultPod } from "./default-pod.js";
import { internalItem } from "./internal-value.js";
import { keepPodMetadata } from "./pod-metadata.js";
import { podSpecOf, validatePod } from "./validate-pod.js";
import { mirrorAnnotation, validateAnnotationChange } from "./validate-pod-annotations.js";

/** The rules of the subresource. */
export const ephemeralContainers: Strategy = {
  applyDefaults: defaultPod,
  resetFields: ["status"],
  metadata: { onUpdate: ["update", "object"] },
  prepareForUpdate: onlyEphemeralContainers,
  validateUpdate: (object, old) => validateChange(draftAs<Pod>(object), storedAs<Pod>(old)),
};

function onlyEphemeralContainers(object: DraftObject, old: StoredObject): void {
  const pod = draftAs<Pod>(object);
  const added = pod.spec?.ephemeralContainers;
  pod.spec = cloneJson(podSpecOf(storedAs<Pod>(old)));
  if (added) pod.spec.ephemeralContainers = added;
  else delete pod.spec.ephemeralContainers;
  object["status"] = cloneJson(old["status"]);
  keepPodMetadata(object, old);
  if (!deepEqual(object["spec"], old["spec"])) bumpGeneration(object, old);
}

function validateChange(pod: Pod, old: Pod): FieldError[] {
  const before = old.metadata?.annotations;
  if (before && Object.hasOwn(before, mirrorAnnotation))
    return [fieldError.forbidden("", "static pods do not support ephemeral containers")];
  const now = podSpecOf(pod).ephemeralContainers ?? [];
  const named = firstByName(now);
  const field = "spec.ephemeralContainers";
  const changes = checkEach(podSpecOf(old).ephemeralContainers ?? [], (container) => {
    const next = named.get(container.name);
    if (next && deepEqual(next, container)) return [];
    const subject = `existing ephemeral containers "${container.name}" may not be`;
    if (!next) return [fieldError.forbidden(field, `${subject} removed\n`)];
    const [before, after] = [container, next].map((item) => internalItem("ephemeralContainers", item));
    return [fieldError.forbidden(field, `${subject} changed\n${diffOfJson(before, after)}`)];
  });
  return [
    ...validatePod(pod),
    ...validateAnnotationChange(pod.metadata?.annotations, before, "metadata.annotations"),
    ...changes,
  ];
}
