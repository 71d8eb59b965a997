// The operator of docs/tutorials/torture.md, before and after it was tortured.
import { apiVersionOf, Secret } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { objectsScenario, torture } from "@kubewright/testing";

export const Desk = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Desk",
  spec: z.object({ owner: z.string().min(1).max(40) }),
  status: z.object({ keySecret: z.string().optional() }),
});

export const deskController = defineController(Desk, {
  name: "desk",
  owns: [Secret],
  async reconcile(desk, ctx) {
    if (desk.status?.keySecret) return;
    const secret = await ctx.create(Secret, { metadata: { generateName: `${desk.metadata.name}-key-` } });
    ctx.status({ keySecret: secret.metadata?.name });
  },
});

export const carefulController = defineController(Desk, {
  name: "desk",
  owns: [Secret],
  async reconcile(desk, ctx) {
    const name = `${desk.metadata.name}-key-`;
    const secret = await ctx.create(Secret, { metadata: { generateName: name } }, { once: "key" });
    ctx.status({ keySecret: secret.metadata?.name });
  },
});

const desk = {
  apiVersion: apiVersionOf(Desk),
  kind: "Desk",
  metadata: { name: "mine" },
  spec: { owner: "ada" },
};

export const tortureDesk = (controller: typeof deskController) =>
  torture({
    resources: [Desk],
    controllers: [controller],
    scenario: objectsScenario([desk]),
    modes: ["crashes"],
  });
