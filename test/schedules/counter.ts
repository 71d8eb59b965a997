// Something to scale that costs nothing: a kind with a scale subresource that no controller looks at.
import { defineResource, z } from "@kubewright/schema";

export const Counter = defineResource({
  group: "test.example.com",
  version: "v1",
  kind: "Counter",
  spec: z.object({ count: z.int32().default(1) }),
  status: z.object({ count: z.int32().optional() }),
  scale: { spec: ".spec.count", status: ".status.count" },
});

export const counterTarget = (name: string) => ({ apiVersion: "test.example.com/v1", kind: "Counter", name });
