// ResourceQuota: refuses writes that would exceed a quota of the namespace. Usage is the status of the quota, which the quota controller
// keeps, plus the writes in flight. A write is added to the status in the same step in which its object is stored, so that status and
// objects always agree.

import { Amount, type ResourceQuota, type ResourceQuotaSpec } from "@kubewright/api";
import { type StoredObject, storedAs, type Transaction } from "@kubewright/kinds";

import {
  claimMeasure,
  countMeasure,
  deviceMeasure,
  podMeasure,
  type QuotaMeasure,
  serviceMeasure,
  sumUsage,
  type Usage,
  zero,
} from "../quota/index.js";
import type { AdmissionRequest } from "../registry/admission-control.js";
import { type ResourceKind, resourceId } from "../registry/resource-kind.js";
import type { Storage } from "../storage/index.js";
import type { AdmissionPlugin } from "./admission.js";
import { refused } from "./refuse.js";

const table = "resourcequotas";
/** Kinds that quotas do not count. */
const uncounted = new Set(["events", "events.events.k8s.io", "bindings"]);

/** A quota that a write would use up in part. */
interface Charge {
  readonly key: string;
  readonly usage: Usage;
}

export class ResourceQuotas implements AdmissionPlugin {
  readonly name = "ResourceQuota";
  /** The usage of writes in flight, by the key of the quota. */
  readonly #pending = new Map<string, Usage[]>();

  validate(request: AdmissionRequest): Transaction | undefined {
    const { operation, namespace, kind, context } = request;
    if (!namespace || (operation !== "CREATE" && operation !== "UPDATE")) return undefined;
    const { storage } = context.services;
    if (storage.count(table, { prefix: `${namespace}/` }) === 0) return undefined;
    if (kind.review || uncounted.has(resourceId(kind))) return undefined;
    const measure = measureOf(kind);
    if (!measure.handles(request)) return undefined;
    const charges = this.#charges(request, measure, namespace);
    if (charges.length === 0 || request.dryRun) return undefined;
    return this.#take(storage, charges);
  }

  /** The usage that the write adds to each quota; throws when one would be exceeded. */
  #charges(request: AdmissionRequest, measure: QuotaMeasure<unknown>, namespace: string): Charge[] {
    const { object, oldObject, context } = request;
    const { storage, clock } = context.services;
    const quotas = [...storage.list(table, { prefix: `${namespace}/` })].map(storedAs<ResourceQuota>);
    const concerned = quotas.filter((quota) => isConcerned(request, measure, quota));
    if (concerned.length === 0) return [];
    const usage = measure.usage(object, clock.now());
    checkSigns(request, usage);
    const before = oldObject && measure.usage(oldObject, clock.now());
    return concerned.flatMap((quota): Charge[] => {
      const counted = oldObject && measure.covers(quota.spec ?? {}, oldObject) ? before : undefined;
      const added = additions(usage, counted, quota.status?.hard ?? {});
      if (added.size === 0) return [];
      const key = `${namespace}/${quota.metadata?.name ?? ""}`;
      if (request.subresource !== "status") checkLimit(request, quota, added, this.#pending.get(key) ?? []);
      return [{ key, usage: added }];
    });
  }

  #take(storage: Storage, charges: readonly Charge[]): Transaction {
    for (const { key, usage } of charges) this.#pending.set(key, [...(this.#pending.get(key) ?? []), usage]);
    return {
      commit: () => {
        this.#release(charges);
        for (const { key, usage } of charges) addToStatus(storage, key, usage);
      },
      revert: () => this.#release(charges),
    };
  }

  #release(charges: readonly Charge[]): void {
    for (const { key, usage } of charges) {
      const rest = (this.#pending.get(key) ?? []).filter((other) => other !== usage);
      if (rest.length > 0) this.#pending.set(key, rest);
      else this.#pending.delete(key);
    }
  }
}

/** Admission hands every measure objects of its own kind. */
function measureOf(kind: ResourceKind): QuotaMeasure<unknown> {
  switch (resourceId(kind)) {
    case "pods":
      return podMeasure as QuotaMeasure<unknown>;
    case "services":
      return serviceMeasure as QuotaMeasure<unknown>;
    case "persistentvolumeclaims":
      return claimMeasure as QuotaMeasure<unknown>;
    case "resourceclaims.resource.k8s.io":
      return deviceMeasure as QuotaMeasure<unknown>;
    default:
      return countMeasure(kind);
  }
}

/** Whether the quota limits the write; throws when its status is not known yet, or the object lacks a required request. */
function isConcerned(
  request: AdmissionRequest,
  measure: QuotaMeasure<unknown>,
  { metadata, spec, status }: ResourceQuota,
): boolean {
  const names = Object.keys(status?.hard ?? {}).filter((name) => measure.concerns(name));
  const scope: ResourceQuotaSpec = spec ?? {};
  if (names.length === 0 || !measure.covers(scope, request.object)) return false;
  const missing = measure.missing?.(names, request.object);
  if (missing !== undefined) throw refused(request, `failed quota: ${metadata?.name}: ${missing}`);
  if (names.some((name) => status?.used?.[name] === undefined)) {
    const text = `status unknown for quota: ${metadata?.name}, resources: ${names.sort().join(",")}`;
    throw refused(request, text);
  }
  return true;
}

function checkSigns(request: AdmissionRequest, usage: Usage): void {
  const negative = [...usage].filter(([, amount]) => amount.sign() < 0).map(([name]) => name);
  if (negative.length === 0) return;
  throw refused(request, `quota usage is negative for resource(s): ${negative.sort().join(",")}`);
}

/** The additional usage of the names that the quota limits. */
function additions(usage: Usage, before: Usage | undefined, hard: object): Map<string, Amount> {
  const added = new Map<string, Amount>();
  for (const [name, amount] of usage) {
    if (!Object.hasOwn(hard, name)) continue;
    const counted = before?.get(name);
    const more = counted ? amount.subtract(counted) : amount;
    if (more.sign() > 0) added.set(name, more);
  }
  return added;
}

function checkLimit(
  request: AdmissionRequest,
  { metadata, status }: ResourceQuota,
  added: Usage,
  pending: readonly Usage[],
): void {
  const underWay = sumUsage(pending);
  const used = (name: string): Amount =>
    Amount.parse(status?.used?.[name] ?? "0").add(underWay.get(name) ?? zero);
  const limit = (name: string): Amount => Amount.parse(status?.hard?.[name] ?? "0");
  const amountOf = (name: string): Amount => added.get(name) ?? zero;
  const exceeded = [...added.keys()]
    .filter((name) => used(name).add(amountOf(name)).compare(limit(name)) > 0)
    .sort();
  if (exceeded.length === 0) return;
  const shown = (value: (name: string) => Amount): string =>
    exceeded.map((name) => `${name}=${value(name)}`).join(",");
  const text = `exceeded quota: ${metadata?.name}, requested: ${shown(amountOf)}, used: ${shown(used)}, limited: ${shown(limit)}`;
  throw refused(request, text);
}

/** A quota that has gone meanwhile limits nothing. */
function addToStatus(storage: Storage, key: string, usage: Usage): void {
  const stored: StoredObject | undefined = storage.get(table, key);
  if (!stored) return;
  const { status } = storedAs<ResourceQuota>(stored);
  const used: Record<string, unknown> = { ...status?.used };
  for (const [name, amount] of usage) {
    if (!Object.hasOwn(status?.hard ?? {}, name)) continue;
    used[name] = Amount.parse(status?.used?.[name] ?? "0")
      .add(amount)
      .toString();
  }
  storage.put(
    table,
    key,
    { ...stored, status: { ...status, used } },
    { revision: stored.metadata.resourceVersion },
  );
}
