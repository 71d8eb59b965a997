// Says of every ValidatingAdmissionPolicy which generation of it is in force.
import { ValidatingAdmissionPolicy } from "@kubewright/api";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";

export const policyStatusController: BuiltInController = {
  name: "validatingadmissionpolicy-status",
  start(environment) {
    const loop = new SyncLoop(environment, { name: "validatingadmissionpolicy-status", sync });
    const policies = loop.watch(ValidatingAdmissionPolicy, ({ key, current }) => (current ? [key] : []));
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const policy = policies.get(key);
      const { generation, deletionTimestamp } = policy?.metadata ?? {};
      if (!policy || deletionTimestamp || policy.status?.observedGeneration === generation) return;
      const status = { ...policy.status, observedGeneration: generation, typeChecking: {} };
      await environment.client.update(
        ValidatingAdmissionPolicy,
        { ...policy, status },
        { subresource: "status" },
      );
    }
  },
};
