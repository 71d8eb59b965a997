// The root certificate controller: every namespace has the CA certificate of the API server in a ConfigMap, so that pods can
// verify the server.
import { ConfigMap, isAlreadyExists, Namespace } from "@kubewright/api";
import { keyOf } from "@kubewright/runtime";
import { isNamespaceTerminating } from "../../workload/create-pods.js";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";

const name = "kube-root-ca.crt";
const annotations = {
  "kubernetes.io/description":
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
};

export const rootCertificateController: BuiltInController = {
  name: "root-ca-certificate-publisher",
  async start(environment) {
    const { client, rootCertificate } = environment;
    const loop = new SyncLoop(environment, { name: "root-ca-certificate-publisher", sync });
    const namespaces = loop.watch(Namespace, ({ key, current }) => (current ? [key] : []));
    const maps = loop.watch(ConfigMap, ({ current, previous }) => {
      const { metadata } = current ?? previous ?? {};
      return metadata?.name === name ? [metadata.namespace ?? ""] : [];
    });
    const unsubscribe = environment.onRootCertificate?.(() => {
      for (const key of namespaces.keys()) loop.add(key);
    });
    const running = await loop.start();
    return {
      close: () => {
        unsubscribe?.();
        return running.close();
      },
    };

    async function sync(namespace: string): Promise<undefined> {
      if (namespaces.get(namespace)?.status?.phase !== "Active") return;
      const data = { "ca.crt": rootCertificate() };
      const found = maps.get(keyOf(name, namespace));
      if (found?.data?.["ca.crt"] === data["ca.crt"]) return;
      try {
        if (found) await client.update(ConfigMap, { ...found, data });
        else await client.create(ConfigMap, { metadata: { name, namespace, annotations }, data });
      } catch (error) {
        if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
      }
    }
  },
};
