// The operator of docs/tutorials/outside-systems.md.
import { channel, defineController, interval } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";

export const DnsRecord = defineResource({
  group: "example.com",
  version: "v1",
  kind: "DnsRecord",
  spec: z.object({ host: z.string().min(1), address: z.string().min(1) }),
  status: z.object({ address: z.string().optional() }),
});

/** A DNS zone, as its provider serves it. */
export interface Zone {
  lookup(host: string, signal: AbortSignal): Promise<string | undefined>;
  put(host: string, address: string, signal: AbortSignal): Promise<void>;
  remove(host: string, signal: AbortSignal): Promise<void>;
}

/** Sent to by whatever learns of a change: a webhook of the provider, a consumer of its queue. */
export const zoneChanges = channel("zone changes");

export const recordController = (zone: Zone) =>
  defineController(DnsRecord, {
    sources: [interval(10 * 60_000), zoneChanges],
    async reconcile(record, ctx) {
      const { host, address } = record.spec;
      const current = await zone.lookup(host, ctx.signal);
      if (current !== address) {
        await zone.put(host, address, ctx.signal);
        if (current !== undefined) ctx.event({ reason: "Corrected", note: `${host} had another address` });
      }
      ctx.status({ address });
    },
    async finalize(record, ctx) {
      await zone.remove(record.spec.host, ctx.signal);
      return undefined;
    },
  });

/** A zone in memory, for tests. */
export class FakeZone implements Zone {
  readonly records = new Map<string, string>();

  async lookup(host: string) {
    return this.records.get(host);
  }

  async put(host: string, address: string) {
    this.records.set(host, address);
  }

  async remove(host: string) {
    this.records.delete(host);
  }
}
