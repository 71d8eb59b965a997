// Removes finished Jobs when their time has come.
import { findCondition, isNotFound, Job } from "@kubewright/api";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";

export const timeToLiveController: BuiltInController = {
  name: "ttl-after-finished",
  start(environment) {
    const loop = new SyncLoop(environment, { name: "ttl-after-finished", sync });
    const jobs = loop.watch(Job, ({ key, current }) =>
      current && expiry(current) !== undefined ? [key] : [],
    );
    return loop.start();

    async function sync(key: string): Promise<number | undefined> {
      const job = jobs.get(key);
      const at = job && expiry(job);
      if (at === undefined || job?.metadata?.deletionTimestamp) return undefined;
      const left = at - environment.clock.now();
      if (left > 0) return left;
      const { name = "", namespace, uid } = job?.metadata ?? {};
      try {
        const propagationPolicy = "Foreground";
        await environment.client.delete(Job, name, { namespace, preconditions: { uid }, propagationPolicy });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      return undefined;
    }
  },
};

/** When the Job is to go, in milliseconds since 1970; undefined while it has no end or no time. */
function expiry({ spec, status }: Job): number | undefined {
  const ttl = spec?.ttlSecondsAfterFinished;
  const end = ["Complete", "Failed"]
    .map((type) => findCondition(status?.conditions, type))
    .find((condition) => condition?.status === "True");
  if (ttl === undefined || !end) return undefined;
  return Date.parse(end.lastTransitionTime ?? "") + ttl * 1000;
}
