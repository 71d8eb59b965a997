// The quota evaluators: for each kind the usage of an object, the quotas that count it, and the writes that can change its usage.
import type { PersistentVolumeClaim, Pod, ResourceClaim, ResourceQuotaSpec, Service } from "@kubewright/api";
import { deviceUsage, isDeviceResource } from "./device-usage.js";
import { claimUsage, isClaimResource, serviceUsage } from "./object-usage.js";
import { isPodResource, missingResources, podUsage } from "./pod-usage.js";
import { coversClaim, coversPod, isScoped, isTerminating } from "./quota-scope.js";
import { countName, one, plainlyCounted, type Usage } from "./usage.js";

/** A write that may have to be measured. */
export interface MeasuredWrite<T> {
  readonly operation: string;
  readonly subresource: string | undefined;
  readonly object: T;
  readonly oldObject: T | undefined;
}

/** Measures objects of type T. */
export interface QuotaMeasure<T> {
  /** Whether such a write can use more than was used before. */
  handles(write: MeasuredWrite<T>): boolean;
  usage(object: T, now: number): Usage;
  /** Whether the scopes of a quota let it count the object. */
  covers(spec: ResourceQuotaSpec, object: T): boolean;
  /** Whether a name in a quota is about this kind. */
  concerns(name: string): boolean;
  /** The resources of a quota that the object must set and does not. */
  missing?(names: readonly string[], object: T): string | undefined;
}

/** Measures pods. */
export const podMeasure: QuotaMeasure<Pod> = {
  handles({ operation, subresource, object, oldObject }) {
    if (subresource === "resize") return operation === "UPDATE";
    if (subresource !== undefined) return false;
    const changesScope = oldObject !== undefined && isTerminating(oldObject) !== isTerminating(object);
    return operation === "CREATE" || changesScope;
  },
  usage: podUsage,
  covers: coversPod,
  concerns: isPodResource,
  missing: missingResources,
};

/** Measures Services, whose type can change. */
export const serviceMeasure: QuotaMeasure<Service> = {
  handles: ({ subresource }) => subresource === undefined,
  usage: serviceUsage,
  covers: (spec) => !isScoped(spec),
  concerns: (name) =>
    ["count/services", "services", "services.nodeports", "services.loadbalancers"].includes(name),
};

/** Measures claims, which can grow, or turn out larger than asked for. */
export const claimMeasure: QuotaMeasure<PersistentVolumeClaim> = {
  handles: ({ operation, subresource }) =>
    subresource === undefined || (subresource === "status" && operation === "UPDATE"),
  usage: claimUsage,
  covers: coversClaim,
  concerns: isClaimResource,
};

/** Measures ResourceClaims. */
export const deviceMeasure: QuotaMeasure<ResourceClaim> = {
  handles: ({ subresource }) => subresource === undefined,
  usage: deviceUsage,
  covers: (spec) => !isScoped(spec),
  concerns: isDeviceResource,
};

/** Counts objects of any other kind. */
export function countMeasure(kind: {
  readonly group: string;
  readonly plural: string;
}): QuotaMeasure<unknown> {
  const names = [countName(kind)];
  if (kind.group === "" && plainlyCounted.has(kind.plural)) names.push(kind.plural);
  const usage = new Map(names.map((name) => [name, one]));
  return {
    handles: ({ operation, subresource }) => operation === "CREATE" && subresource === undefined,
    usage: () => usage,
    covers: (spec) => !isScoped(spec),
    concerns: (name) => names.includes(name),
  };
}
