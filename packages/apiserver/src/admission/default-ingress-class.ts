// Ingresses that name no class get the default one.

import type { Ingress } from "@kubewright/api";
import { draftAs } from "@kubewright/kinds";

import type { AdmissionPlugin } from "./admission.js";
import { markedDefault } from "./marked-default.js";
import { written } from "./matches.js";

export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  resources: ["ingresses.networking.k8s.io"],
  mutate(request) {
    const object = written(request, "ingresses.networking.k8s.io", "CREATE");
    if (!object) return;
    const { metadata, spec } = draftAs<Ingress>(object);
    if (!spec || spec.ingressClassName !== undefined) return;
    if (metadata?.annotations?.["kubernetes.io/ingress.class"] !== undefined) return;
    const name = markedDefault(
      request.context.services.storage,
      "networking.k8s.io/ingressclasses",
      "ingressclass.kubernetes.io/is-default-class",
    );
    if (name !== undefined) spec.ingressClassName = name;
  },
};
