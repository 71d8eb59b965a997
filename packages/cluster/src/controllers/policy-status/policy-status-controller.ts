// Says of every ValidatingAdmissionPolicy which generation of it is in force, and which of its expressions do not fit the
// kinds it is about.
import { CustomResourceDefinition, ValidatingAdmissionPolicy } from "@kubewright/api";
import { checkPolicyTypes } from "@kubewright/apiserver";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { typedKinds } from "./typed-kinds.js";

export const policyStatusController: BuiltInController = {
  name: "validatingadmissionpolicy-status",
  start(environment) {
    const loop = new SyncLoop(environment, { name: "validatingadmissionpolicy-status", sync });
    const policies = loop.watch(ValidatingAdmissionPolicy, ({ key, current }) => (current ? [key] : []));
    const definitions = loop.watch(CustomResourceDefinition, () => []);
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const policy = policies.get(key);
      const { generation, deletionTimestamp } = policy?.metadata ?? {};
      if (!policy || deletionTimestamp || policy.status?.observedGeneration === generation) return;
      const expressionWarnings = checkPolicyTypes(policy.spec ?? {}, typedKinds(definitions.list()));
      const typeChecking = expressionWarnings.length > 0 ? { expressionWarnings } : {};
      const status = { ...policy.status, observedGeneration: generation, typeChecking };
      await environment.client.update(
        ValidatingAdmissionPolicy,
        { ...policy, status },
        { subresource: "status" },
      );
    }
  },
};
