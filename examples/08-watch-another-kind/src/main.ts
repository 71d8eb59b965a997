// An object that depends on another that it does not own: pods are rolled when a ConfigMap changes.
import { createHash } from "node:crypto";
import { ConfigMap, Deployment, type ObjectOf } from "@kubewright/api";
import { defineController, defineManager, watch } from "@kubewright/runtime";
import { conditions, defineResource, z } from "@kubewright/schema";

export const Gateway = defineResource({
  group: "examples.kubewright.dev",
  version: "v1",
  kind: "Gateway",
  spec: z.object({ image: z.string().default("envoyproxy/envoy:v1.33.0"), configMap: z.string().min(1) }),
  status: z.object({ conditions: conditions() }),
  columns: { Ready: ".status.conditions[?(@.type=='Ready')].status", Config: ".spec.configMap" },
});
type Gateway = ObjectOf<typeof Gateway>;

const gatewayController = defineController(Gateway, {
  owns: [Deployment],
  /** Answers "which Gateways use this ConfigMap?" without looking at every Gateway. */
  indexes: { configMap: ({ metadata, spec }) => [`${metadata.namespace}/${spec.configMap}`] },
  watches: [
    watch(ConfigMap, {
      targets: ({ metadata }, gateways) =>
        gateways.byIndex("configMap", `${metadata?.namespace}/${metadata?.name}`),
    }),
  ],
  async reconcile(gateway, ctx) {
    const config = await ctx.get(ConfigMap, gateway.spec.configMap); // from the cache of the watch: no request
    if (!config) {
      // No error and no requeue: the watch calls reconcile again when the ConfigMap appears.
      const message = `there is no ConfigMap ${gateway.spec.configMap}`;
      return ctx.status({
        conditions: [{ type: "Ready", status: "False", reason: "ConfigMissing", message }],
      });
    }
    const { status } = await ctx.apply(Deployment, deploymentFor(gateway, hashOf(config)));
    const isReady = (status?.readyReplicas ?? 0) > 0;
    return ctx.status({
      conditions: [
        { type: "Ready", status: isReady ? "True" : "False", reason: isReady ? "Serving" : "Starting" },
      ],
    });
  },
});

const hashOf = ({ data = {} }: ConfigMap) =>
  createHash("sha256")
    .update(JSON.stringify(Object.entries(data).sort()))
    .digest("hex")
    .slice(0, 12);

/** The hash is part of the pod template, so a changed ConfigMap is a rollout. */
function deploymentFor({ metadata: { name = "" }, spec }: Gateway, hash: string) {
  const labels = { gateway: name };
  const containers = [
    { name: "envoy", image: spec.image, envFrom: [{ configMapRef: { name: spec.configMap } }] },
  ];
  const annotations = { "examples.kubewright.dev/config": hash };
  return {
    metadata: { name, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { containers } },
    },
  };
}

export default defineManager({ name: "gateway", controllers: [gatewayController] });
