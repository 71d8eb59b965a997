import { describe, expect, it } from "vitest";
import { z } from "zod";
import { conditions, kube } from "../kube/index.js";
import { defineResource } from "./define-resource.js";
import { rule } from "./rule.js";

describe("defineResource", () => {
  it("makes the CustomResourceDefinition of a ModelBox", () => {
    const ModelBox = defineResource({
      group: "model.github.com",
      version: "v1",
      kind: "ModelBox",
      shortNames: ["mb"],
      spec: z.object({
        image: z.string().min(1).describe("Container image to run"),
        replicas: z.int().min(0).default(1),
        rollingUpdate: z
          .string()
          .regex(/^[1-9]\d?%$/)
          .default("25%"),
        tier: z.enum(["small", "medium", "large", "custom"]).default("small"),
        resources: kube.schema<object>(() => ({ type: "object" })).optional(),
      }),
      rules: [rule("self.spec.tier != 'custom' || has(self.spec.resources)", "tier custom needs resources")],
      status: z.object({
        readyReplicas: z.int().optional(),
        selector: z.string().optional(),
        conditions: conditions(),
      }),
      scale: { spec: ".spec.replicas", status: ".status.readyReplicas", selector: ".status.selector" },
      columns: { Ready: ".status.readyReplicas", Image: ".spec.image" },
    });
    expect(ModelBox).toMatchObject({
      apiVersion: "model.github.com/v1",
      plural: "modelboxes",
      singular: "modelbox",
      scope: "Namespaced",
      subresources: ["status", "scale"],
    });
    expect(ModelBox.crd()).toMatchSnapshot();
  });
});
