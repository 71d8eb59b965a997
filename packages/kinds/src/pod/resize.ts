// `/resize`: changes what the containers of a running pod may use, and nothing else of it.
import { type Container, cloneJson, type Draft, deepEqual, type Pod } from "@kubewright/api";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { bumpGeneration } from "../status-strategy.js";
import type { Strategy } from "../strategy.js";
import { defaultPod } from "./default-pod.js";
import { keepPodMetadata } from "./pod-metadata.js";
import { podSpecOf } from "./validate-pod.js";
import { validateResize } from "./validate-resize.js";

/** The rules of the subresource. */
export const resize: Strategy = {
  applyDefaults: defaultPod,
  resetFields: ["status"],
  metadata: { onUpdate: ["object"] },
  prepareForUpdate: onlyResources,
  validateUpdate: (object, old) => validateResize(draftAs<Pod>(object), storedAs<Pod>(old)),
};

/** Containers that were added, removed or renamed stay, so that validation can refuse them. */
function onlyResources(object: DraftObject, old: StoredObject): void {
  const pod = draftAs<Pod>(object);
  const before = podSpecOf(storedAs<Pod>(old));
  const containers = merged(pod.spec?.containers, before.containers);
  const initContainers = merged(pod.spec?.initContainers, before.initContainers);
  const sameLength =
    (pod.spec?.containers ?? []).length === before.containers.length &&
    (pod.spec?.initContainers ?? []).length === (before.initContainers ?? []).length;
  if (sameLength) {
    const resources = pod.spec?.resources;
    pod.spec = { ...cloneJson(before), containers: containers ?? [] };
    if (initContainers) pod.spec.initContainers = initContainers;
    if (resources) pod.spec.resources = resources;
    else delete pod.spec.resources;
    object["status"] = cloneJson(old["status"]);
    keepPodMetadata(object, old);
  }
  if (!deepEqual(object["spec"], old["spec"])) bumpGeneration(object, old);
}

function merged(
  now: Draft<Container>[] | undefined,
  before: readonly Container[] | undefined,
): Draft<Container>[] | undefined {
  if (!now || now.some(({ name }, index) => before?.[index]?.name !== name)) return now;
  return now.map(({ resources, resizePolicy }, index) => {
    const { resizePolicy: _old, ...container } = cloneJson(before?.[index] ?? { name: "" });
    return {
      ...container,
      ...(resources ? { resources } : {}),
      ...(resizePolicy ? { resizePolicy } : {}),
    };
  });
}
