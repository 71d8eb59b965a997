// Kinds people write first: what the suites that check generated definitions share.
import { defineResource, z } from "@kubewright/schema";
import { ModelBox } from "../operators/modelbox/src/api/v1/model-box.js";

export const CronTab = defineResource({
  group: "stable.example.com",
  version: "v1",
  kind: "CronTab",
  shortNames: ["ct"],
  spec: z.object({ cronSpec: z.string(), image: z.string(), replicas: z.int().min(0).optional() }),
});

export const seedKinds = [
  { name: "modelboxes.model.github.com", resource: ModelBox },
  { name: "crontabs.stable.example.com", resource: CronTab },
];
