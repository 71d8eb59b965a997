// LimitRanges: what containers get when they say nothing, and how much or little pods and claims may ask for.
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
  Quantity,
} from "@kubewright/api";
import { draftAs, storedAs } from "../kinds/as-kind.js";
import { aggregateResources } from "../kinds/pod/pod-resources.js";
import { isPodLevel } from "../kinds/pod/resource-names.js";
import type { Draft, DraftObject } from "../request/draft.js";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.js";
import { type Asked, claimProblems, limitProblems } from "./limit-checks.js";
import { refused } from "./refuse.js";

const annotation = "kubernetes.io/limit-ranger";

export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",
  resources: ["pods", "persistentvolumeclaims"],
  mutate(request) {
    const object = subject(request);
    if (!object || request.kind.plural !== "pods") return;
    for (const { spec } of rangesFor(request)) giveDefaults(draftAs<Pod>(object), spec?.limits ?? []);
  },
  validate(request) {
    const object = subject(request);
    if (!object) return;
    for (const { spec } of rangesFor(request)) {
      const problems = (spec?.limits ?? []).flatMap((limit) => problemsWith(request, object, limit));
      if (problems.length > 0) throw refused(request, aggregate(problems));
    }
  },
};

/** What limits are about: pods when they are made or resized, and claims. */
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
  if (storage.count("limitranges", prefix) === 0) return [];
  return [...storage.list("limitranges", { prefix })].map(storedAs<LimitRange>);
}

function giveDefaults(pod: Draft<Pod>, limits: readonly LimitRangeItem[]): void {
  const own = limits.filter(({ type }) => type === "Container");
  const requests: Record<string, Quantity> = Object.assign({}, ...own.map((limit) => limit.defaultRequest));
  const most: Record<string, Quantity> = Object.assign({}, ...own.map((limit) => limit.default));
  const notes = [
    ...(pod.spec?.containers ?? []).flatMap((one) => fill(one, requests, most, "container")),
    ...(pod.spec?.initContainers ?? []).flatMap((one) => fill(one, requests, most, "init container")),
  ];
  if (notes.length === 0 || !pod.metadata) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${notes.join("; ")}`,
  };
}

/** Says what was filled in. */
function fill(
  container: Draft<Container>,
  requests: Readonly<Record<string, Quantity>>,
  limits: Readonly<Record<string, Quantity>>,
  what: string,
): string[] {
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
  const note = (names: string[], kind: string): string[] =>
    names.length > 0 ? [`${names.join(", ")} ${kind} for ${what} ${container.name}`] : [];
  return [...note(newRequests, "request"), ...note(newLimits, "limit")];
}

function problemsWith(request: AdmissionRequest, object: DraftObject, limit: LimitRangeItem): string[] {
  if (request.kind.plural === "pods") return podProblems(draftAs<Pod>(object), limit);
  if (limit.type !== "PersistentVolumeClaim") return [];
  return claimProblems(limit, draftAs<PersistentVolumeClaim>(object).spec?.resources?.requests ?? {});
}

function podProblems({ spec }: Draft<Pod>, limit: LimitRangeItem): string[] {
  if (!spec) return [];
  if (limit.type === "Pod") return limitProblems(limit, wholePod(spec));
  if (limit.type !== "Container") return [];
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
    limitProblems(limit, { requests: resources?.requests ?? {}, limits: resources?.limits ?? {} }),
  );
}

function wholePod(spec: NonNullable<Pod["spec"]>): Asked {
  const sum = (kind: "requests" | "limits"): Record<string, Quantity> => {
    const amounts = [...aggregateResources(spec, kind)].map(([name, amount]) => [name, amount.toString()]);
    const own = Object.entries(spec.resources?.[kind] ?? {}).filter(([name]) => isPodLevel(name));
    return Object.fromEntries([...amounts, ...own]);
  };
  return { requests: sum("requests"), limits: sum("limits") };
}

/** Several problems in one text, as Go prints them: each once. */
function aggregate(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
