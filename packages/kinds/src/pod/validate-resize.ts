// The resize of a pod: it may change cpu and memory of containers and of the pod as a whole. No request or limit may be
// removed, and the QoS class of the pod stays.
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
import { qosClassOf } from "./pod-qos.js";
import { podSpecOf, validatePod } from "./validate-pod.js";
import { mirrorAnnotation } from "./validate-pod-annotations.js";

const onlyCpuAndMemory = "only cpu and memory resources are mutable";

/** The rules for a resized pod beside those of every pod. */
export function validateResize(pod: Pod, old: Pod): FieldError[] {
  const before = podSpecOf(old);
  const annotations = old.metadata?.annotations;
  if (annotations && Object.hasOwn(annotations, mirrorAnnotation))
    return [fieldError.forbidden("", "static pods cannot be resized")];
  if (before.os?.name === "windows") return [fieldError.forbidden("", "windows pods cannot be resized")];
  const now = podSpecOf(pod);
  const errors = validatePod(pod);
  if (qosClassOf(now) !== (old.status?.qosClass ?? qosClassOf(before))) {
    const text = "Pod QOS Class may not change as a result of resizing";
    errors.push(fieldError.invalid("spec", old.status?.qosClass ?? "", text));
  }
  const running = (old.status?.containerStatuses ?? []).find(({ state }) => state?.running);
  if (running && !running.resources)
    errors.push(fieldError.forbidden("spec", "Pod running on node without support for resize"));
  errors.push(...podLevelErrors(now.resources, before.resources));
  const moved = (["containers", "initContainers"] as const).flatMap((list) =>
    orderErrors(now[list] ?? [], before[list] ?? [], list),
  );
  if (moved.length > 0) return [...errors, ...moved];
  errors.push(...removalErrors(now, before), ...containerErrors(now, before), ...initErrors(now, before));
  if (errors.length > 0 || deepEqual(withoutSizes(now), withoutSizes(before))) return errors;
  return [fieldError.forbidden("spec", onlyCpuAndMemory)];
}

function podLevelErrors(
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
): FieldError[] {
  if (!asksForSomething(now) && !asksForSomething(before)) return [];
  if (before && !now)
    return [fieldError.forbidden("spec.resources", "pod-level resources cannot be removed")];
  const errors: FieldError[] = [];
  for (const list of ["requests", "limits"] as const) {
    if (lost(now?.[list], before?.[list]))
      errors.push(
        fieldError.forbidden(`spec.resources.${list}`, `pod-level resource ${list} cannot be removed`),
      );
  }
  if (!deepEqual(otherResources(now), otherResources(before)) || !deepEqual(now?.claims, before?.claims))
    errors.push(fieldError.forbidden("spec", `${onlyCpuAndMemory} at pod-level`));
  return errors;
}

const asksForSomething = (resources: ResourceRequirements | undefined): boolean =>
  Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0;

function orderErrors(now: readonly Container[], before: readonly Container[], list: string): FieldError[] {
  if (now.length !== before.length)
    return [fieldError.forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return before.flatMap(({ name }, index) =>
    now[index]?.name === name
      ? []
      : [
          fieldError.forbidden(
            `spec.${list}[${index}].name`,
            `${list} may not be renamed or reordered on resize`,
          ),
        ],
  );
}

const removalErrors = (now: PodSpec, before: PodSpec): FieldError[] =>
  (["initContainers", "containers"] as const).flatMap((list) =>
    (before[list] ?? []).flatMap((old, index) => {
      const next = now[list]?.[index]?.resources;
      const at = `spec.${list}[${index}].resources`;
      return (["requests", "limits"] as const)
        .filter((kind) => lost(next?.[kind], old.resources?.[kind]))
        .map((kind) => fieldError.forbidden(`${at}.${kind}`, `resource ${kind} cannot be removed`));
    }),
  );

const containerErrors = (now: PodSpec, before: PodSpec): FieldError[] =>
  before.containers
    .filter((old, index) => !onlySizesDiffer(now.containers[index], old))
    .map(() => fieldError.forbidden("spec", onlyCpuAndMemory));

const initErrors = (now: PodSpec, before: PodSpec): FieldError[] =>
  (before.initContainers ?? []).flatMap((old, index) => {
    const next = now.initContainers?.[index];
    const at = `spec.initContainers[${index}]`;
    const text = "only cpu and memory resources for init or sidecar containers are mutable";
    return onlySizesDiffer(next, old) ? [] : [fieldError.forbidden(at, text)];
  });

type ResourceList = Readonly<Record<string, Quantity>> | undefined;

const lost = (now: ResourceList, before: ResourceList): boolean =>
  Object.keys(before ?? {}).some((name) => !Object.hasOwn(now ?? {}, name));

/**
 * kube-apiserver compares with a copy of the new container that has forgotten its claims, so a container
 * that has some can never be resized.
 */
function onlySizesDiffer(now: Container | undefined, old: Container): boolean {
  if (!now || (old.resources?.claims ?? []).length > 0) return false;
  const strip = (container: Container) => ({ ...container, resources: otherResources(container.resources) });
  return deepEqual(strip(now), strip(old));
}

function otherResources(resources: ResourceRequirements | undefined): Record<string, object> {
  const others = (list: ResourceList) => {
    const { cpu: _cpu, memory: _memory, ...rest } = list ?? {};
    return rest;
  };
  return { limits: others(resources?.limits), requests: others(resources?.requests) };
}

const withoutSizes = (spec: PodSpec): PodSpec => ({
  ...spec,
  containers: [],
  initContainers: [],
  resources: undefined,
});
