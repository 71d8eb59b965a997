// A lock that is released after its time: small enough that the tests beside it are the point.
import { Lease } from "@kubewright/api";
import { defineController, defineManager } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";

export const Lock = defineResource({
  group: "examples.kubewright.dev",
  version: "v1",
  kind: "Lock",
  spec: z.object({ holder: z.string().min(1), minutes: z.int().min(1).max(1440).default(60) }),
  status: z.object({ phase: z.enum(["Held", "Expired"]).optional() }),
  columns: { Holder: ".spec.holder", Phase: ".status.phase" },
});

/** Keeps a Lease while the lock is held, and deletes it when its time is over. */
export const lockController = defineController(Lock, {
  owns: [Lease],
  async reconcile({ metadata, spec }, ctx) {
    const name = metadata.name ?? "";
    const expires = Date.parse(metadata.creationTimestamp ?? "") + spec.minutes * 60_000;
    if (ctx.now() >= expires) {
      await ctx.delete(Lease, name);
      return ctx.status({ phase: "Expired" });
    }
    ctx.requeueAt(expires);
    await ctx.apply(Lease, { metadata: { name }, spec: { holderIdentity: spec.holder } });
    return ctx.status({ phase: "Held" });
  },
});

export default defineManager({ name: "lock", controllers: [lockController] });
