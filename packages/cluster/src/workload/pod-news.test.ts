import type { Pod } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { isPodNews } from "./pod-news.js";

const ready = (status: string, lastTransitionTime = "2026-01-01T00:00:00Z") => [
  { type: "Ready", status, lastTransitionTime },
];

const pod: Pod = {
  metadata: { name: "a", uid: "1", labels: { app: "web" }, resourceVersion: "1" },
  spec: { containers: [{ name: "c" }] },
  status: { phase: "Pending", conditions: ready("False") },
};

const changed = (metadata: Pod["metadata"], status: Pod["status"]): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, resourceVersion: "2", ...metadata },
  status: { ...pod.status, ...status },
});

describe("pod events for controllers that count pods", () => {
  it.each<[string, Pod | undefined, Pod | undefined]>([
    ["comes", undefined, pod],
    ["goes", pod, undefined],
    ["begins to go", pod, changed({ deletionTimestamp: "2026-01-01T00:00:00Z" }, {})],
    ["is labelled anew", pod, changed({ labels: {} }, {})],
    ["is released", pod, changed({ ownerReferences: [] }, {})],
    ["loses a finalizer", changed({ finalizers: ["x/y"] }, {}), pod],
    ["runs", pod, changed({}, { phase: "Running" })],
    ["is ready", pod, changed({}, { conditions: ready("True") })],
    ["was not ready for a moment", pod, changed({}, { conditions: ready("False", "2026-01-02T00:00:00Z") })],
    [
      "starts again",
      pod,
      changed(
        {},
        { containerStatuses: [{ name: "c", image: "", imageID: "", ready: false, restartCount: 1 }] },
      ),
    ],
  ])("include a pod that %s", (_, previous, current) => {
    expect(isPodNews({ previous, current })).toBe(true);
  });

  it.each<[string, Pod]>([
    ["is placed", { ...changed({}, {}), spec: { containers: [{ name: "c" }], nodeName: "node-1" } }],
    [
      "waits for its containers",
      changed({}, { conditions: [{ type: "Initialized", status: "True" }, ...ready("False")] }),
    ],
    ["has an address", changed({}, { podIP: "10.0.0.1" })],
  ])("leave out a pod that %s", (_, current) => {
    expect(isPodNews({ previous: pod, current })).toBe(false);
  });
});
