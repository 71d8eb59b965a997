// LimitRanger: default requests and limits of containers, and the minimum, maximum and ratio for pods and claims.

import {
  aggregateErrors,
  type Container,
  type Draft,
  type LimitRange,
  type LimitRangeItem,
  type PersistentVolumeClaim,
  type Pod,
  type Quantity,
} from "@kubewright/api";
import { aggregateResources, type DraftObject, draftAs, isPodLevel, storedAs } from "@kubewright/kinds";

import type { AdmissionRequest } from "../registry/admission-control.js";
import { ObjectTooLarge } from "../storage/index.js";
import type { AdmissionPlugin } from "./admission.js";
import { type Asked, claimProblems, limitProblems } from "./limit-checks.js";
import { refused } from "./refuse.js";

const annotation = "kubernetes.io/limit-ranger";

export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",
  resources: ["pods", "persistentvolumeclaims"],
  mutate(request) {
    const object = subject(request);
    if (!object || request.kind.plural !== "pods") return;
    const ranges = rangesFor(request);
    if (ranges.length === 0) return;
    giveDefaults(draftAs<Pod>(object), ranges);
  },
  validate(request) {
    const object = subject(request);
    const ranges = object ? rangesFor(request) : [];
    if (!object || ranges.length === 0) return;
    checkLimits(request, object, ranges);
  },
};

/** Containers times limits can be very many: a pod with more default amounts than this could never be stored. */
const mostAdded = 200_000;
/** Problems that are reported. */
const mostProblems = 10_000;

function giveDefaults(pod: Draft<Pod>, ranges: readonly LimitRange[]): void {
  const added = { count: 0 };
  for (const { spec } of ranges) giveContainerDefaults(pod, spec?.limits ?? [], added);
}

function checkLimits(request: AdmissionRequest, object: DraftObject, ranges: readonly LimitRange[]): void {
  for (const { spec } of ranges) {
    const problems: string[] = [];
    for (const limit of spec?.limits ?? []) findProblems(request, object, limit, problems);
    if (problems.length > 0) throw refused(request, aggregateErrors(problems));
  }
}

/** The object that limits apply to: a pod that is created or resized, or a claim. */
function subject({ kind, operation, subresource, object, oldObject }: AdmissionRequest) {
  if (kind.group !== "" || (operation !== "CREATE" && operation !== "UPDATE")) return undefined;
  if (oldObject?.metadata.deletionTimestamp) return undefined;
  const isPod = kind.plural === "pods" && subresource === (operation === "CREATE" ? undefined : "resize");
  const isClaim = kind.plural === "persistentvolumeclaims" && subresource === undefined;
  return isPod || isClaim ? object : undefined;
}

function rangesFor({ namespace, context }: AdmissionRequest): LimitRange[] {
  const { storage } = context.services;
  const prefix = `${namespace ?? ""}/`;
  if (storage.count("limitranges", { prefix }) === 0) return [];
  return [...storage.list("limitranges", { prefix })].map(storedAs<LimitRange>);
}

function giveContainerDefaults(
  pod: Draft<Pod>,
  limits: readonly LimitRangeItem[],
  added: { count: number },
): void {
  const own = limits.filter(({ type }) => type === "Container");
  const requests: Record<string, Quantity> = Object.assign({}, ...own.map((limit) => limit.defaultRequest));
  const most: Record<string, Quantity> = Object.assign({}, ...own.map((limit) => limit.default));
  const notes: string[] = [];
  for (const [containers, what] of [
    [pod.spec?.containers, "container"],
    [pod.spec?.initContainers, "init container"],
  ] as const)
    for (const container of containers ?? []) {
      for (const [names, kind] of fill(container, requests, most)) {
        added.count += names.length;
        notes.push(`${names.join(", ")} ${kind} for ${what} ${container.name}`);
      }
      if (added.count > mostAdded) throw new ObjectTooLarge();
    }
  if (notes.length === 0 || !pod.metadata) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${notes.join("; ")}`,
  };
}

/** Returns the names of the requests and of the limits that were filled in. */
function fill(
  container: Draft<Container>,
  requests: Readonly<Record<string, Quantity>>,
  limits: Readonly<Record<string, Quantity>>,
): (readonly [names: readonly string[], kind: string])[] {
  const lacking = (given: Readonly<Record<string, Quantity>>, own: object | undefined): string[] =>
    Object.keys(given)
      .filter((name) => !Object.hasOwn(own ?? {}, name))
      .sort();
  const newRequests = lacking(requests, container.resources?.requests);
  const newLimits = lacking(limits, container.resources?.limits);
  if (newRequests.length + newLimits.length === 0) return [];
  container.resources = {
    ...container.resources,
    ...(newLimits.length > 0 ? { limits: { ...limits, ...container.resources?.limits } } : {}),
    ...(newRequests.length > 0 ? { requests: { ...requests, ...container.resources?.requests } } : {}),
  };
  const note = (names: string[], kind: string) => (names.length > 0 ? [[names, kind] as const] : []);
  return [...note(newRequests, "request"), ...note(newLimits, "limit")];
}

/** Adds the constraints of a limit that the object breaks to the problems. */
function findProblems(
  request: AdmissionRequest,
  object: DraftObject,
  limit: LimitRangeItem,
  problems: string[],
): void {
  for (const asked of askedIn(request, object, limit)) {
    const isClaim = limit.type === "PersistentVolumeClaim";
    for (const problem of isClaim ? claimProblems(limit, asked) : limitProblems(limit, asked)) {
      if (problems.length >= mostProblems) return;
      problems.push(problem);
    }
  }
}

/** The requests and limits that a limit applies to. */
function askedIn(request: AdmissionRequest, object: DraftObject, { type }: LimitRangeItem): readonly Asked[] {
  if (request.kind.plural !== "pods") {
    const requests = draftAs<PersistentVolumeClaim>(object).spec?.resources?.requests ?? {};
    return type === "PersistentVolumeClaim" ? [{ requests, limits: {} }] : [];
  }
  const { spec } = draftAs<Pod>(object);
  if (!spec) return [];
  if (type === "Pod") return [wholePod(spec)];
  if (type !== "Container") return [];
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => ({
    requests: resources?.requests ?? {},
    limits: resources?.limits ?? {},
  }));
}

function wholePod(spec: NonNullable<Pod["spec"]>): Asked {
  const sum = (kind: "requests" | "limits"): Record<string, Quantity> => {
    const amounts = [...aggregateResources(spec, kind)].map(([name, amount]) => [name, amount.toString()]);
    const own = Object.entries(spec.resources?.[kind] ?? {}).filter(([name]) => isPodLevel(name));
    return Object.fromEntries([...amounts, ...own]);
  };
  return { requests: sum("requests"), limits: sum("limits") };
}
