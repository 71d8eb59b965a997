// Defaults of pods only: a template stays as its author wrote it, the pods made from it are complete.
import {
  type Container,
  type Draft,
  type Pod,
  type PodSpec,
  type PodStatus,
  type ResourceRequirements,
  setOwn,
} from "@kubewright/api";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import { mergeResources, roundResources } from "../resource-lists.js";
import { defaultPodSpec } from "./default-pod-spec.js";
import { aggregateResources, isSidecar } from "./pod-resources.js";
import { allowsOvercommit, isHugePages, isPodLevel } from "./resource-names.js";

type Resources = Draft<ResourceRequirements>;

/** Fills in a pod. */
export function defaultPod(object: DraftObject): void {
  const pod = draftAs<Pod>(object);
  pod.spec ??= { containers: [] };
  const { spec } = pod;
  defaultPodSpec(spec);
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    requestWhatIsLimited(container);
  }
  if (spec.resources) defaultPodResources(spec, spec.resources);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) {
    defaultHostPorts(spec.containers);
    defaultHostPorts(spec.initContainers);
  }
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  if (!pod.status) return;
  agreeOnAddresses(pod.status);
  roundReported(pod.status);
}

/** Rounds reported resources up, as requested ones are. */
function roundReported(status: Draft<PodStatus>): void {
  const reports = [
    status,
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  for (const { allocatedResources, resources } of reports) {
    roundResources(allocatedResources);
    roundResources(resources?.limits);
    roundResources(resources?.requests);
  }
}

/** A limit without a request is a request of the same amount. */
function requestWhatIsLimited({ resources }: Draft<Container>): void {
  if (!resources?.limits || isEmpty(resources.limits)) return;
  const requests = mergeResources(resources.limits, resources.requests);
  if (requests) resources.requests = requests;
}

function isEmpty(list: object): boolean {
  for (const _name in list) return false;
  return true;
}

/** On the network of the host, a container port is a host port. */
function defaultHostPorts(containers: Draft<Container>[] | undefined): void {
  for (const { ports } of containers ?? []) {
    for (const port of ports ?? []) port.hostPort ||= port.containerPort;
  }
}

/** Requests and limits of the pod as a whole, from those of its containers and from each other. */
function defaultPodResources(spec: Draft<PodSpec>, resources: Resources): void {
  if (count(resources.limits) + count(resources.requests) === 0) return;
  const limits = aggregateResources(spec, "limits");
  const hadLimits = count(resources.limits) > 0;
  for (const [name, amount] of limits) {
    if (isHugePages(name) && !has(resources.requests, name))
      setMissing(resources, "limits", name, amount.toString());
  }
  if (count(resources.limits) > 0) defaultPodRequests(spec, resources);
  if (hadLimits || count(resources.limits) > 0) return;
  for (const [name, amount] of limits) {
    if (isPodLevel(name) && allowsOvercommit(name) && allLimited(spec, name))
      setMissing(resources, "limits", name, amount.toString());
  }
}

function defaultPodRequests(spec: Draft<PodSpec>, resources: Resources): void {
  for (const [name, amount] of aggregateResources(spec, "requests")) {
    if (isPodLevel(name) && allowsOvercommit(name))
      setMissing(resources, "requests", name, amount.toString());
  }
  const { limits = {} } = resources;
  for (const name of Object.keys(limits)) {
    if (isPodLevel(name)) setMissing(resources, "requests", name, limits[name] ?? 0);
  }
}

const count = (list: object | undefined): number => Object.keys(list ?? {}).length;
const has = (list: object | undefined, name: string): boolean =>
  list !== undefined && Object.hasOwn(list, name);

function setMissing(
  resources: Resources,
  kind: "limits" | "requests",
  name: string,
  quantity: string | number,
): void {
  const list = resources[kind] ?? {};
  resources[kind] = list;
  if (!has(list, name)) setOwn(list, name, quantity);
}

const allLimited = (spec: Draft<PodSpec>, name: string): boolean =>
  [...(spec.containers ?? []), ...(spec.initContainers ?? []).filter(isSidecar)].every(({ resources }) =>
    has(resources?.limits, name),
  );

/** The first of the addresses has a field of its own, and it wins where they differ. */
function agreeOnAddresses(status: Draft<PodStatus>): void {
  const { podIP, podIPs } = status;
  if (podIP && podIPs?.[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  else if (!podIP && podIPs?.[0]?.ip) status.podIP = podIPs[0].ip;
}
