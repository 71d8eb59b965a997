import type { Services } from "../registry/request-context.js";
import { createMissing } from "./create-missing.js";

const names = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** The namespaces every cluster has. */
export function createNamespaces(services: Services): void {
  for (const name of names) {
    createMissing(services, "namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  }
}
