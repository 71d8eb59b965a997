// The quota usage of a ResourceClaim: the object, and the devices of each class that it may be allocated.
import { Amount, type DeviceRequest, type ResourceClaim } from "@kubewright/api";
import { one, type Usage } from "./usage.js";

const count = "count/resourceclaims.resource.k8s.io";
const suffix = ".deviceclass.resource.k8s.io/devices";
/** A request for all devices counts as many as an allocation can hold. */
const mostDevices = 32;

interface Wanted {
  readonly deviceClassName: string;
  readonly allocationMode?: string | undefined;
  readonly count?: number | undefined;
}

/** The usage of a ResourceClaim. */
export function deviceUsage({ spec }: ResourceClaim): Usage {
  const usage = new Map([[count, one]]);
  for (const request of spec?.devices?.requests ?? [])
    for (const [className, devices] of mostByClass(request)) {
      const name = `${className}${suffix}`;
      const amount = Amount.of(devices);
      usage.set(name, usage.get(name)?.add(amount) ?? amount);
    }
  return usage;
}

/** Whether a quota's resource name applies to ResourceClaims. */
export const isDeviceResource = (name: string): boolean => name === count || name.endsWith(suffix);

/** Of alternatives the largest counts, for each class. */
function mostByClass({ exactly, firstAvailable = [] }: DeviceRequest): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  const wanted: readonly Wanted[] = firstAvailable.length > 0 ? firstAvailable : exactly ? [exactly] : [];
  for (const one of wanted)
    most.set(one.deviceClassName, Math.max(most.get(one.deviceClassName) ?? 0, devicesOf(one)));
  return most;
}

function devicesOf({ allocationMode, count: devices = 0 }: Wanted): number {
  if (allocationMode === "All") return mostDevices;
  return allocationMode === "ExactCount" ? devices : 0;
}
