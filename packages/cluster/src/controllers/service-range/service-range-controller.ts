// Makes ranges of cluster addresses ready for use, and keeps those that were deleted for as long as Services have addresses that
// no other range has.
import {
  addFinalizer,
  findCondition,
  formatTime,
  hasFinalizer,
  IPAddress,
  removeFinalizer,
  ServiceCIDR,
} from "@kubewright/api";
import type { BuiltInController } from "../controller.js";
import { isAllocated } from "../service-address/address-object.js";
import { SyncLoop } from "../sync-loop.js";
import { mayGo } from "./range-release.js";

const name = "service-cidr-controller";
const finalizer = "networking.k8s.io/service-cidr-finalizer";
/** After this time allocators have noticed that the range is terminating. */
const deletionGrace = 10_000;

const ready = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" } as const;
const inUse = {
  status: "False",
  reason: "Terminating",
  message:
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
} as const;

export const serviceRangeController: BuiltInController = {
  name,
  start(environment) {
    const { client, clock } = environment;
    const loop = new SyncLoop(environment, { name, sync });
    const ranges = loop.cache(ServiceCIDR);
    const terminating = (): Iterable<string> =>
      [...ranges.entries()].filter(([, range]) => range.metadata?.deletionTimestamp).map(([key]) => key);
    const addresses = loop.watch(IPAddress, ({ current }) => (current ? [] : terminating()));
    loop.watch(ServiceCIDR, ({ key, current }) => (current ? [key, ...terminating()] : terminating()));
    return loop.start();

    async function sync(key: string): Promise<number | undefined> {
      const range = ranges.get(key);
      if (!range) return undefined;
      if (range.metadata?.deletionTimestamp) return release(range);
      const kept = hasFinalizer(range, finalizer)
        ? range
        : await client.update(ServiceCIDR, addFinalizer(range, finalizer));
      await report(kept, ready);
      return undefined;
    }

    async function release(range: ServiceCIDR): Promise<number | undefined> {
      if (!hasFinalizer(range, finalizer)) return undefined;
      if (!mayGo(range, ranges.values(), taken())) {
        await report(range, inUse);
        return undefined;
      }
      const deleted = Date.parse(range.metadata?.deletionTimestamp ?? "");
      const left = deleted + deletionGrace - clock.now();
      if (left > 0) return left;
      await client.update(ServiceCIDR, removeFinalizer(range, finalizer));
      return undefined;
    }

    function* taken(): Iterable<string> {
      for (const address of addresses.values()) if (isAllocated(address)) yield address.metadata?.name ?? "";
    }

    async function report(range: ServiceCIDR, text: typeof ready | typeof inUse): Promise<void> {
      const known = findCondition(range.status?.conditions, "Ready");
      if (known?.status === text.status && known.message === text.message) return;
      const since = known?.status === text.status ? known.lastTransitionTime : formatTime(clock.now());
      const condition = { type: "Ready", ...text, lastTransitionTime: since };
      const others = (range.status?.conditions ?? []).filter(({ type }) => type !== "Ready");
      await loop.writeStatus(ServiceCIDR, range, { ...range.status, conditions: [...others, condition] });
    }
  },
};
