// Cache, imported from crd.yaml. Edit it as your own, or import it again with --force.
import type { ObjectOf } from "@kubewright/api";
import { defineResource, kube, z } from "@kubewright/schema";

export const Cache = defineResource({
  group: "cache.example.com",
  version: "v1",
  kind: "Cache",
  plural: "caches",
  description: "Cache is the Schema for the caches API",
  spec: z
    .object({
      size: z.int32().min(1).max(5).describe("Size is the number of pods"),
      port: z
        .int()
        .check(kube.keywords({ format: "int32" }))
        .default(11211)
        .describe("Port is where the pods listen"),
    })
    .optional()
    .describe("CacheSpec defines the desired state of Cache"),
  status: z
    .object({ nodes: z.array(z.string()).optional().describe("Nodes are the names of the pods") })
    .describe("CacheStatus defines the observed state of Cache"),
});

export type Cache = ObjectOf<typeof Cache>;
