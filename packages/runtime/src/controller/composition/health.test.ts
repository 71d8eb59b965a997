import type { KubeObject } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { healthOf } from "./health.js";

type Body = Readonly<Record<string, unknown>>;

const object = (apiVersion: string, kind: string, body: Body, generation = 1): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: "a", generation },
  ...body,
});
const condition = (type: string, status: string, message = "") => ({
  conditions: [{ type, status, message }],
});

describe("healthOf reports the health of", () => {
  test.each<[string, KubeObject, string, string?]>([
    [
      "a new Deployment",
      object("apps/v1", "Deployment", { spec: { replicas: 2 } }),
      "progressing",
      "0 of 2 updatedReplicas",
    ],
    [
      "a Deployment that rolls out",
      object("apps/v1", "Deployment", {
        spec: { replicas: 2 },
        status: { updatedReplicas: 2, availableReplicas: 1 },
      }),
      "progressing",
      "1 of 2 availableReplicas",
    ],
    [
      "a Deployment that is up",
      object("apps/v1", "Deployment", {
        spec: { replicas: 2 },
        status: { updatedReplicas: 2, availableReplicas: 2 },
      }),
      "ready",
    ],
    [
      "a Deployment whose latest spec was not looked at",
      object("apps/v1", "Deployment", { spec: { replicas: 0 }, status: { observedGeneration: 1 } }, 2),
      "progressing",
      "its latest spec has not been looked at yet",
    ],
    [
      "a Deployment that gave up",
      object("apps/v1", "Deployment", { spec: {}, status: condition("Progressing", "False", "too slow") }),
      "failed",
      "too slow",
    ],
    ["a Deployment of nothing", object("apps/v1", "Deployment", { spec: { replicas: 0 } }), "ready"],
    [
      "a StatefulSet between revisions",
      object("apps/v1", "StatefulSet", {
        spec: {},
        status: { readyReplicas: 1, updateRevision: "b", currentRevision: "a" },
      }),
      "progressing",
      "an update is rolling out",
    ],
    [
      "a DaemonSet without nodes",
      object("apps/v1", "DaemonSet", { spec: {}, status: { desiredNumberScheduled: 0 } }),
      "ready",
    ],
    [
      "a Job that runs",
      object("batch/v1", "Job", { status: { active: 1 } }),
      "progressing",
      "it has not completed",
    ],
    ["a Job that is done", object("batch/v1", "Job", { status: condition("Complete", "True") }), "ready"],
    [
      "a Job that failed",
      object("batch/v1", "Job", { status: condition("Failed", "True", "backoff") }),
      "failed",
      "backoff",
    ],
    [
      "a Pod that starts",
      object("v1", "Pod", { status: { phase: "Pending" } }),
      "progressing",
      "it is Pending",
    ],
    [
      "a Pod that is ready",
      object("v1", "Pod", { status: { phase: "Running", ...condition("Ready", "True") } }),
      "ready",
    ],
    [
      "a Pod that failed",
      object("v1", "Pod", { status: { phase: "Failed", message: "evicted" } }),
      "failed",
      "evicted",
    ],
    ["a claim", object("v1", "PersistentVolumeClaim", { status: { phase: "Bound" } }), "ready"],
    ["a Service", object("v1", "Service", { spec: { type: "ClusterIP" } }), "ready"],
    [
      "a load balancer",
      object("v1", "Service", { spec: { type: "LoadBalancer" } }),
      "progressing",
      "it has no address yet",
    ],
    ["a ConfigMap", object("v1", "ConfigMap", { data: {} }), "ready"],
    [
      "a custom object that is ready",
      object("x.io/v1", "Thing", { status: condition("Ready", "True") }),
      "ready",
    ],
    [
      "a custom object that is not",
      object("x.io/v1", "Thing", { status: condition("Available", "False", "no quorum") }),
      "progressing",
      "no quorum",
    ],
    [
      "a custom object in trouble",
      object("x.io/v1", "Thing", { status: condition("Degraded", "True", "disk full") }),
      "failed",
      "disk full",
    ],
    ["a kind of the same name in another group", object("x.io/v1", "Job", { status: {} }), "ready"],
  ])("%s", (_, subject, state, message) => {
    expect(healthOf(subject)).toEqual(message === undefined ? { state } : { state, message });
  });
});
