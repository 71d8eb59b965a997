// An application reached through a Service: an image, how many of it, and its ports.
import type { ObjectOf } from "@kubewright/api";
import { defineResource, z } from "@kubewright/schema";
import { appServiceV1alpha1 } from "../v1alpha1/app-service.js";

export const AppService = defineResource({
  // Printer columns and the scale subresource are the same in both versions.
  ...appServiceV1alpha1,
  group: "app.example.com",
  version: "v1",
  kind: "AppService",
  shortNames: ["appsvc"],
  conversion: "webhook",
  spec: appServiceV1alpha1.spec
    .extend({
      serviceType: z
        .enum(["ClusterIP", "NodePort", "LoadBalancer", "Headless"])
        .optional()
        .describe("How the Service is reached; NodePort where a port names one, else ClusterIP"),
    })
    .describe("The desired pods and their Service"),
  versions: { v1alpha1: appServiceV1alpha1 },
});

export type AppService = ObjectOf<typeof AppService>;
export type AppServiceV1Alpha1 = ObjectOf<typeof AppService.versions.v1alpha1>;
