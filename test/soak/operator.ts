// The operator of the soak, in a process of its own: it copies every ConfigMap to another, and reports about itself as its parent asks.
import { readdirSync } from "node:fs";
import { ConfigMap } from "@kubewright/api";
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { defineController, defineManager, startManager } from "@kubewright/runtime";

/** A report of the operator. */
export interface OperatorReport {
  readonly reconciles: number;
  /** Reconciles that began while another of the same key was under way. */
  readonly duplicates: number;
  readonly errors: number;
  readonly heapBytes: number;
  /** Undefined where the system does not show them. */
  readonly descriptors: number | undefined;
}

const [, , kubeconfig = ""] = process.argv;
const inFlight = new Set<string>();
let [reconciles, duplicates, errors] = [0, 0, 0];
const controller = defineController(ConfigMap, {
  name: "copies",
  namespaces: ["default"],
  labelSelector: "soak=yes",
  owns: [ConfigMap],
  concurrency: 16,
  reconcile: async ({ metadata, data }, ctx) => {
    const name = metadata?.name ?? "";
    if (inFlight.has(name)) duplicates += 1;
    inFlight.add(name);
    reconciles += 1;
    try {
      const copy = {
        metadata: { name: `${name}-copy`, namespace: "default" },
        data: { count: data?.["count"] ?? "" },
      };
      await ctx.apply(ConfigMap, copy);
    } finally {
      inFlight.delete(name);
    }
  },
});
const client = clientFromKubeConfig(await loadKubeConfig({ env: { KUBECONFIG: kubeconfig } }));
const manager = await startManager(defineManager({ name: "soak", controllers: [controller] }), {
  client,
  namespace: "default",
  preflight: "off",
  onError: () => {
    errors += 1;
  },
});
process.on("message", (message) => {
  if (message === "stop") {
    void manager
      .close()
      .then(() => client.close())
      .then(() => process.disconnect());
    return;
  }
  (globalThis as { gc?: () => void }).gc?.();
  const report: OperatorReport = {
    reconciles,
    duplicates,
    errors,
    heapBytes: process.memoryUsage().heapUsed,
    descriptors: process.platform === "linux" ? readdirSync("/proc/self/fd").length : undefined,
  };
  process.send?.(report);
});
process.send?.("started");
