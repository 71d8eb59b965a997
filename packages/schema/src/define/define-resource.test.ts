import type { CustomResourceDefinitionVersion, JSONSchemaProps } from "@kubewright/api";
import { typeInfoFromSchema } from "@kubewright/api/type-info";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { conditions, kube } from "../kube/index.js";
import { defineResource } from "./define-resource.js";
import type { VersionOptions } from "./resource-options.js";
import { rule } from "./rule.js";

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
    ports: kube.listMap(kube.ServicePort, ["port", "protocol"]).min(1),
    tier: z.enum(["small", "medium", "large", "custom"]).default("small"),
    resources: kube.ResourceRequirements.optional(),
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

const quantities: JSONSchemaProps = {
  type: "object",
  additionalProperties: expect.objectContaining({ "x-kubernetes-int-or-string": true }),
};

/** The version of a kind that has only these options. */
function versionOf(options: VersionOptions): CustomResourceDefinitionVersion | undefined {
  const definition = defineResource({ group: "a.example.com", version: "v1", kind: "Thing", ...options });
  return definition.crd().spec.versions[0];
}

describe("defineResource", () => {
  it("describes the kind to clients", () => {
    expect(ModelBox).toMatchObject({
      group: "model.github.com",
      version: "v1",
      kind: "ModelBox",
      apiVersion: "model.github.com/v1",
      plural: "modelboxes",
      singular: "modelbox",
      shortNames: ["mb"],
      categories: [],
      scope: "Namespaced",
      subresources: ["status", "scale"],
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    });
  });

  it("makes the CustomResourceDefinition of a ModelBox", () => {
    const crd = ModelBox.crd();
    expect(crd).toMatchObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "modelboxes.model.github.com" },
      spec: {
        group: "model.github.com",
        scope: "Namespaced",
        names: {
          kind: "ModelBox",
          listKind: "ModelBoxList",
          plural: "modelboxes",
          singular: "modelbox",
          shortNames: ["mb"],
        },
      },
    });
    expect(crd.spec.versions).toEqual([
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.readyReplicas",
            labelSelectorPath: ".status.selector",
          },
        },
        additionalPrinterColumns: [
          { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
          { name: "Image", type: "string", jsonPath: ".spec.image" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            "x-kubernetes-validations": [
              {
                rule: "self.spec.tier != 'custom' || has(self.spec.resources)",
                message: "tier custom needs resources",
              },
            ],
            properties: {
              spec: {
                type: "object",
                required: ["image", "ports"],
                properties: {
                  image: { type: "string", minLength: 1, description: "Container image to run" },
                  replicas: { type: "integer", minimum: 0, default: 1 },
                  rollingUpdate: { type: "string", pattern: "^[1-9]\\d?%$", default: "25%" },
                  ports: {
                    type: "array",
                    minItems: 1,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["port", "protocol"],
                    items: {
                      type: "object",
                      required: ["port"],
                      properties: {
                        appProtocol: { type: "string" },
                        name: { type: "string" },
                        nodePort: { type: "integer", format: "int32" },
                        port: { type: "integer", format: "int32" },
                        protocol: { type: "string", default: "TCP" },
                        targetPort: {
                          anyOf: [{ type: "integer" }, { type: "string" }],
                          "x-kubernetes-int-or-string": true,
                        },
                      },
                    },
                  },
                  tier: { type: "string", enum: ["small", "medium", "large", "custom"], default: "small" },
                  resources: {
                    type: "object",
                    properties: {
                      claims: {
                        type: "array",
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"],
                        items: {
                          type: "object",
                          required: ["name"],
                          properties: { name: { type: "string" }, request: { type: "string" } },
                        },
                      },
                      limits: quantities,
                      requests: quantities,
                    },
                  },
                },
              },
              status: {
                type: "object",
                properties: {
                  readyReplicas: { type: "integer" },
                  selector: { type: "string" },
                  conditions: {
                    description: "The state of the object, one aspect in each condition",
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    items: expect.objectContaining({
                      required: ["lastTransitionTime", "message", "reason", "status", "type"],
                    }),
                  },
                },
              },
            },
          },
        },
      },
    ]);
  });

  it("has the schema that merges of objects use", () => {
    expect(ModelBox.schema).toBe(ModelBox.crd().spec.versions[0]?.schema?.openAPIV3Schema);
    const spec = typeInfoFromSchema(ModelBox.schema).fields.get("spec")?.type;
    const ports = spec?.kind === "struct" ? spec.fields.get("ports")?.type : undefined;
    expect(ports).toMatchObject({ kind: "list", listType: "map", keys: ["port", "protocol"] });
  });

  it("says a CronTab as the Kubernetes documentation writes it by hand", () => {
    const CronTab = defineResource({
      group: "stable.example.com",
      version: "v1",
      kind: "CronTab",
      listKind: "CronTabList",
      shortNames: ["ct"],
      spec: z
        .object({
          cronSpec: z.string().optional(),
          image: z.string().optional(),
          replicas: z.int().optional(),
        })
        .optional(),
    });
    expect(CronTab.crd()).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "crontabs.stable.example.com" },
      spec: {
        group: "stable.example.com",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    properties: {
                      cronSpec: { type: "string" },
                      image: { type: "string" },
                      replicas: { type: "integer" },
                    },
                  },
                },
              },
            },
          },
        ],
        scope: "Namespaced",
        names: {
          plural: "crontabs",
          singular: "crontab",
          kind: "CronTab",
          listKind: "CronTabList",
          shortNames: ["ct"],
        },
      },
    });
  });

  it("takes names, scope, labels and annotations as given", () => {
    const definition = defineResource({
      group: "a.example.com",
      version: "v1",
      kind: "Chaos",
      plural: "chaos",
      singular: "chao",
      scope: "Cluster",
      categories: ["all"],
      labels: { team: "a" },
      annotations: { "a.example.com/note": "x" },
    });
    expect(definition).toMatchObject({
      plural: "chaos",
      singular: "chao",
      scope: "Cluster",
      categories: ["all"],
    });
    expect(definition.crd()).toMatchObject({
      metadata: {
        name: "chaos.a.example.com",
        labels: { team: "a" },
        annotations: { "a.example.com/note": "x" },
      },
      spec: { scope: "Cluster", names: { plural: "chaos", singular: "chao", categories: ["all"] } },
    });
  });

  it("has the status subresource by default", () => {
    const status = z.object({ ready: z.boolean().optional() });
    expect(versionOf({ status })?.subresources).toEqual({ status: {} });
    expect(versionOf({ status, statusSubresource: false })?.subresources).toBeUndefined();
    expect(versionOf({})?.subresources).toBeUndefined();
    expect(versionOf({ statusSubresource: true })?.subresources).toEqual({ status: {} });
  });

  it("holds selectable fields and the description of the kind", () => {
    const version = versionOf({
      description: "A thing.",
      spec: z.object({ color: z.string() }),
      selectableFields: [".spec.color"],
    });
    expect(version?.selectableFields).toEqual([{ jsonPath: ".spec.color" }]);
    expect(version?.schema?.openAPIV3Schema?.description).toBe("A thing.");
  });
});
