// `/resize`: changes what the containers of a running pod may use, and nothing else of it.
import {
  type Container,
  deepEqual,
  type FieldError,
  fieldError,
  type Pod,
  type PodSpec,
  type Quantity,
  type ResourceRequirements,
} from "@kubewright/api";
import { bumpGeneration } from "../../registry/status-strategy.js";
import type { Strategy } from "../../registry/strategy.js";
import { cloneJson, type Draft, type DraftObject } from "../../request/draft.js";
import type { StoredObject } from "../../storage/index.js";
import { draftAs, storedAs } from "../as-kind.js";
import { defaultPod } from "./default-pod.js";
import { keepPodMetadata } from "./pod-metadata.js";
import { qosClassOf } from "./pod-qos.js";
import { isSidecar } from "./pod-resources.js";
import { specOf, validatePod } from "./validate-pod.js";
import { mirrorAnnotation } from "./validate-pod-annotations.js";

/** The rules of the subresource. */
export const resize: Strategy = {
  applyDefaults: defaultPod,
  resetFields: ["status"],
  prepareForUpdate: onlyResources,
  validateUpdate: (object, old) => validateChange(draftAs<Pod>(object), storedAs<Pod>(old)),
};

/** Containers that were added, removed or renamed stay, so that validation can refuse them. */
function onlyResources(object: DraftObject, old: StoredObject): void {
  const pod = draftAs<Pod>(object);
  const before = specOf(storedAs<Pod>(old));
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

function validateChange(pod: Pod, old: Pod): FieldError[] {
  const before = specOf(old);
  const annotations = old.metadata?.annotations;
  if (annotations && Object.hasOwn(annotations, mirrorAnnotation))
    return [fieldError.forbidden("", "static pods cannot be resized")];
  if (before.os?.name === "windows") return [fieldError.forbidden("", "windows pods cannot be resized")];
  const now = specOf(pod);
  const errors = validatePod(pod);
  if (qosClassOf(now) !== (old.status?.qosClass ?? qosClassOf(before))) {
    const text = "Pod QOS Class may not change as a result of resizing";
    errors.push(fieldError.invalid("spec", old.status?.qosClass ?? "", text));
  }
  const running = (old.status?.containerStatuses ?? []).find(({ state }) => state?.running);
  if (running && !running.resources)
    errors.push(fieldError.forbidden("spec", "Pod running on node without support for resize"));
  errors.push(...listErrors(now, before));
  return errors.length > 0 ? errors : restErrors(now, before);
}

function listErrors(now: PodSpec, before: PodSpec): FieldError[] {
  return [
    ...(before.initContainers ?? []).flatMap((old, index) =>
      isSidecar(old)
        ? containerErrors(now.initContainers?.[index], old, `spec.initContainers[${index}]`)
        : [],
    ),
    ...before.containers.flatMap((old, index) =>
      containerErrors(now.containers[index], old, `spec.containers[${index}]`),
    ),
    ...before.containers
      .filter((old, index) => !sameButCpuAndMemory(now.containers[index], old))
      .map(() => fieldError.forbidden("spec", "only cpu and memory resources are mutable")),
    ...(before.initContainers ?? []).flatMap((old, index) => {
      const next = now.initContainers?.[index];
      if (isSidecar(old)) {
        const text = "only cpu and memory resources for sidecar containers are mutable";
        return sameButCpuAndMemory(next, old) ? [] : [fieldError.forbidden("spec", text)];
      }
      const text = "resources for non-sidecar init containers are immutable";
      return deepEqual(next, old) ? [] : [fieldError.forbidden("spec", text)];
    }),
  ];
}

/** Nothing may be taken away. */
function containerErrors(now: Container | undefined, old: Container, field: string): FieldError[] {
  const at = `${field}.resources`;
  const errors: FieldError[] = [];
  if (lost(now?.resources?.requests, old.resources?.requests))
    errors.push(fieldError.forbidden(`${at}.requests`, "resource requests cannot be removed"));
  if (lost(now?.resources?.limits, old.resources?.limits))
    errors.push(fieldError.forbidden(`${at}.limits`, "resource limits cannot be removed"));
  return errors;
}

type ResourceList = Readonly<Record<string, Quantity>> | undefined;

const lost = (now: ResourceList, before: ResourceList): boolean =>
  Object.keys(before ?? {}).some((name) => !Object.hasOwn(now ?? {}, name));

function sameButCpuAndMemory(now: Container | undefined, old: Container): boolean {
  if (!now) return false;
  const strip = (container: Container): Container => ({
    ...container,
    resizePolicy: undefined,
    resources: {
      limits: others(container.resources, "limits"),
      requests: others(container.resources, "requests"),
    },
  });
  return deepEqual(strip(now), strip(old));
}

function others(
  resources: ResourceRequirements | undefined,
  kind: "limits" | "requests",
): Record<string, Quantity> {
  const { cpu: _cpu, memory: _memory, ...rest } = resources?.[kind] ?? {};
  return rest;
}

function restErrors(now: PodSpec, before: PodSpec): FieldError[] {
  const strip = (spec: PodSpec): PodSpec => ({
    ...spec,
    containers: [],
    initContainers: [],
    resources: undefined,
  });
  return deepEqual(strip(now), strip(before))
    ? []
    : [fieldError.forbidden("spec", "only cpu and memory resources are mutable")];
}
