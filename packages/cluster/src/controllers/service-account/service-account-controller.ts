// Every namespace has a service account `default`.
import { isAlreadyExists, Namespace, ServiceAccount } from "@kubewright/api";
import { keyOf } from "@kubewright/runtime";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";

const name = "default";

export const serviceAccountController: BuiltInController = {
  name: "serviceaccount",
  async start(environment) {
    const loop = new SyncLoop(environment, { name: "serviceaccount", sync });
    const namespaces = loop.watch(Namespace, ({ key, current }) => (current ? [key] : []));
    const accounts = loop.watch(ServiceAccount, ({ current, previous }) =>
      !current && previous?.metadata?.name === name ? [previous.metadata.namespace ?? ""] : [],
    );
    await loop.start();
    // No pod can be created before its namespace has one: a cluster that has started takes pods.
    for (const namespace of namespaces.keys()) await sync(namespace);
    return loop;

    async function sync(namespace: string): Promise<undefined> {
      if (namespaces.get(namespace)?.status?.phase !== "Active" || accounts.get(keyOf(name, namespace)))
        return;
      try {
        await environment.client.create(ServiceAccount, { metadata: { name, namespace } });
      } catch (error) {
        if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
      }
    }
  },
};
