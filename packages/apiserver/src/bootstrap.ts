// What is there before the first request: the namespaces every cluster has.
import { formatTime } from "@kubewright/api";
import type { Services } from "./request/context.js";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Creates what is missing; an existing store is left as it is. */
export function bootstrap({ storage, clock, newUid }: Services): void {
  for (const name of namespaces) {
    if (storage.get("namespaces", name)) continue;
    const metadata = {
      name,
      uid: newUid(),
      creationTimestamp: formatTime(clock.now()),
      labels: { "kubernetes.io/metadata.name": name },
    };
    const object = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata,
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    };
    storage.put("namespaces", name, object, "absent");
  }
}
