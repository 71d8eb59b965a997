// Defaults of Services.
import type { Service } from "@kubewright/api";
import type { DraftObject } from "../../objects.js";
import { draftAs } from "../../objects.js";
import { isExternallyAccessible } from "./service-traits.js";

const affinitySeconds = 10_800;

export function defaultService(object: DraftObject): void {
  const service = draftAs<Service>(object);
  service.spec ??= {};
  const { spec } = service;
  defaultAffinity(spec);
  spec.type ??= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ??= "TCP";
    if (!port.targetPort) port.targetPort = port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= "Cluster";
  if (["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of service.status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= "VIP";
}

type SpecDraft = NonNullable<ReturnType<typeof draftAs<Service>>["spec"]>;

function defaultAffinity(spec: SpecDraft): void {
  spec.sessionAffinity ??= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== "ClientIP") return;
  if (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
}
