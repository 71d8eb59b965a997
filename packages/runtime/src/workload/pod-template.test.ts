import type { PodTemplateSpec } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { mergePodTemplate, type PodTemplate } from "./pod-template.js";

const labels = { app: "web" };
const template: PodTemplateSpec = {
  metadata: { labels },
  spec: {
    containers: [
      {
        name: "app",
        image: "web:1",
        env: [{ name: "A", value: "1" }],
        readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 },
      },
    ],
    volumes: [{ name: "data", emptyDir: {} }],
  },
};
const mergedSpec = (spec: PodTemplate["spec"]) => mergePodTemplate(template, { spec }).spec;

describe("the pod template of an object's spec", () => {
  test("changes nothing when there is none, or an empty one", () => {
    expect(mergePodTemplate(template, undefined)).toBe(template);
    expect(mergePodTemplate(template, {})).toEqual(template);
    expect(mergePodTemplate(template, { metadata: {}, spec: {} })).toEqual(template);
  });

  test("adds labels and annotations, and cannot change those that select", () => {
    const given = { metadata: { labels: { app: "other", team: "a" }, annotations: { note: "x" } } };
    expect(mergePodTemplate(template, given).metadata).toEqual({
      labels: { app: "web", team: "a" },
      annotations: { note: "x" },
    });
  });

  test("sets what the pod has not: service account, affinity, tolerations, security context", () => {
    const given = {
      serviceAccountName: "web",
      affinity: { nodeAffinity: {} },
      tolerations: [{ key: "gpu", operator: "Exists" as const }],
      securityContext: { runAsNonRoot: true },
    };
    expect(mergedSpec(given)).toEqual({ ...template.spec, ...given });
  });

  test("merges containers and their variables by name, and adds others", () => {
    const given = {
      containers: [
        {
          name: "app",
          env: [{ name: "B", value: "2" }],
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
        { name: "proxy", image: "proxy:1" },
      ],
    };
    expect(mergedSpec(given)?.containers).toEqual([
      {
        ...template.spec?.containers[0],
        env: [
          { name: "A", value: "1" },
          { name: "B", value: "2" },
        ],
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      },
      { name: "proxy", image: "proxy:1" },
    ]);
  });

  test("replaces what can have one form only: volumes and probes", () => {
    const readinessProbe = { httpGet: { path: "/ready", port: 80 } };
    const given = {
      containers: [{ name: "app", readinessProbe }],
      volumes: [{ name: "data", configMap: { name: "data" } }],
    };
    const spec = mergedSpec(given);
    expect(spec?.containers[0]?.readinessProbe).toEqual(readinessProbe);
    expect(spec?.volumes).toEqual(given.volumes);
  });
});
