import type { CustomResourceDefinitionVersion, JSONSchemaProps } from "@kubewright/api";
import { factsFromSchema } from "@kubewright/api/facts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { conditions, kube } from "../kube/index.js";
import { defineResource } from "./define-resource.js";
import { exactlyOneOf } from "./one-of.js";
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

  it("gives its schema to whoever merges objects of the kind", () => {
    expect(ModelBox.schema).toBe(ModelBox.crd().spec.versions[0]?.schema?.openAPIV3Schema);
    const spec = factsFromSchema(ModelBox.schema).fields.get("spec")?.type;
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

  it("gives the status its subresource unless told otherwise", () => {
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

describe("columns", () => {
  const spec = z.object({
    count: z.int(),
    ratio: z.number(),
    on: z.boolean(),
    text: z.string(),
    since: kube.time(),
    port: kube.intOrString(),
    list: z.array(z.object({ name: z.string(), size: z.int() })),
    labels: z.record(z.string(), z.int()),
    any: z.unknown(),
    "odd-name": z.int(),
  });

  it.each([
    [".spec.count", "integer"],
    [".spec.ratio", "number"],
    [".spec.on", "boolean"],
    [".spec.text", "string"],
    [".spec.since", "date"],
    [".spec.port", "string"],
    [".spec.list", "string"],
    [".spec.list[0].size", "integer"],
    [".spec.list[*].name", "string"],
    ['.spec.list[?(@.name=="a")].size', "integer"],
    [".spec.labels.anything", "integer"],
    [".spec['odd-name']", "integer"],
    [".spec.any.deep.down", "string"],
    [".metadata.creationTimestamp", "date"],
    [".metadata.labels.app", "string"],
    [".kind", "string"],
  ])("%s is of type %s", (path, type) => {
    const [column] = versionOf({ spec, columns: { Title: path } })?.additionalPrinterColumns ?? [];
    expect(column).toEqual({ name: "Title", type, jsonPath: path });
  });

  it("take what a path cannot say, and an age unless it is declined", () => {
    const since = {
      path: ".spec.since",
      description: "when",
      priority: 1,
      format: "date",
      type: "string",
    } as const;
    expect(versionOf({ spec, columns: { Since: since, Age: false } })?.additionalPrinterColumns).toEqual([
      {
        name: "Since",
        type: "string",
        jsonPath: ".spec.since",
        description: "when",
        priority: 1,
        format: "date",
      },
    ]);
    const own = versionOf({ spec, columns: { Age: ".spec.since" } })?.additionalPrinterColumns;
    expect(own).toEqual([{ name: "Age", type: "date", jsonPath: ".spec.since" }]);
    expect(versionOf({ spec })?.additionalPrinterColumns).toBeUndefined();
  });
});

describe("versions", () => {
  const spec = z.object({ size: z.int() });
  const options = { group: "app.example.com", version: "v1", kind: "AppService", spec } as const;

  it("are listed with how each is served; the definition's own is stored", () => {
    const AppService = defineResource({
      ...options,
      versions: {
        v1beta1: { spec, deprecated: true },
        v1alpha1: { spec, served: false, deprecated: "app.example.com/v1alpha1 is gone soon; use v1" },
      },
    });
    expect(AppService.crd().spec.versions.map(({ schema: _schema, ...rest }) => rest)).toEqual([
      { name: "v1", served: true, storage: true },
      { name: "v1beta1", served: true, storage: false, deprecated: true },
      {
        name: "v1alpha1",
        served: false,
        storage: false,
        deprecated: true,
        deprecationWarning: "app.example.com/v1alpha1 is gone soon; use v1",
      },
    ]);
    expect(AppService.versions.v1alpha1).toMatchObject({
      apiVersion: "app.example.com/v1alpha1",
      kind: "AppService",
    });
    expect(AppService.versions.v1alpha1.crd()).toEqual(AppService.crd());
  });

  it("may be stored in another one", () => {
    const moved = defineResource({ ...options, versions: { v1beta1: { spec, storage: true } } });
    expect(moved.crd().spec.versions.map(({ name, storage }) => [name, storage])).toEqual([
      ["v1", false],
      ["v1beta1", true],
    ]);
  });

  it("convert by changing the name alone, or by the operator's webhook", () => {
    expect(defineResource(options).crd().spec.conversion).toBeUndefined();
    expect(defineResource({ ...options, conversion: "none" }).crd().spec.conversion).toEqual({
      strategy: "None",
    });
    const byWebhook = defineResource({ ...options, conversion: "webhook" });
    const webhook = (clientConfig: object) => ({
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig },
    });
    expect(byWebhook.crd().spec.conversion).toEqual(
      webhook({ service: { namespace: "system", name: "webhook-service", path: "/convert" } }),
    );
    const conversionWebhook = { url: "https://127.0.0.1:9443/convert", caBundle: "Cg==" };
    expect(byWebhook.crd({ conversionWebhook }).spec.conversion).toEqual(webhook(conversionWebhook));
  });
});

describe("a definition that cannot be is refused, naming the place", () => {
  const spec = z.object({ size: z.int(), name: z.string() });

  it.each<[string, VersionOptions, string]>([
    [
      "a schema",
      { spec: z.object({ at: z.date() }) },
      "Thing.a.example.com: spec.at: objects hold times as text",
    ],
    ["a status", { status: z.object({ at: z.date() }) }, "status.at: objects hold times as text"],
    [
      "a column",
      { spec, columns: { Version: ".status.version" } },
      "columns.Version: the path .status.version leads to no field",
    ],
    [
      "a column path",
      { spec, columns: { Size: "spec.size" } },
      "columns.Size: the path spec.size leads to no field",
    ],
    [
      "a scale path",
      { spec, scale: { spec: ".spec.replicas", status: ".spec.size" } },
      "scale.spec: the path .spec.replicas leads to no field",
    ],
    [
      "a scale type",
      { spec, scale: { spec: ".spec.name", status: ".spec.size" } },
      "scale.spec: the path .spec.name leads to a field of type string",
    ],
    [
      "a field all objects have",
      { fields: { metadata: z.object({}) } },
      "fields.metadata: every object has this field",
    ],
  ])("%s", (_name, options, message) => {
    expect(() => versionOf(options)).toThrow(message);
  });

  const names = { group: "a.example.com", version: "v1", kind: "Thing" };

  it.each<[string, object, string]>([
    [
      "a group",
      { group: "example" },
      'group: Invalid value: "example": should be a domain with at least one dot',
    ],
    ["a version", { version: "1" }, 'version: Invalid value: "1"'],
    ["a kind", { kind: "my thing" }, 'kind: Invalid value: "my thing"'],
    ["a plural", { plural: "Things" }, 'plural: Invalid value: "Things"'],
    ["a short name", { shortNames: ["T"] }, 'shortNames[0]: Invalid value: "T"'],
    ["labels", { labels: { "-": "x" } }, 'metadata.labels: Invalid value: "-"'],
    [
      "two stored versions",
      { storage: true, versions: { v2: { storage: true } } },
      "exactly one version marked as storage version",
    ],
    ["a version twice", { versions: { v1: {} } }, "must contain unique version names"],
    [
      "a conversion",
      { conversion: { strategy: "Magic" } },
      'spec.conversion.strategy: Unsupported value: "Magic"',
    ],
  ])("%s", (_name, options, message) => {
    expect(() => defineResource({ ...names, ...options })).toThrow(message);
  });

  it.each<[string, z.ZodType, string]>([
    ["a default that does not validate", z.int().min(3).default(1), "spec.it.default: Invalid value: 1"],
    [
      "a default of the wrong type",
      z.object({ a: z.int() }).prefault(JSON.parse('{"a":"x"}')),
      "spec.it.default.a: Invalid value",
    ],
    [
      "a prefault that lacks a field",
      z.object({ a: z.int() }).prefault(JSON.parse("{}")),
      "spec.it.default.a: Required value",
    ],
    [
      "a pattern that is no pattern for RE2",
      z.string().regex(/^a{1,1001}$/),
      "spec.it.pattern: Invalid value",
    ],
    [
      "a key that may be missing",
      kube.listMap(z.object({ name: z.string().optional() }), ["name"]),
      "spec.it[].name",
    ],
    [
      "a rule that does not parse",
      z.int().check(rule("self >")),
      "spec.it.x-kubernetes-validations[0].rule: Invalid value",
    ],
    ["a rule that does not type-check", z.int().check(rule("self == 'a'")), "found no matching overload"],
    [
      "a rule over a field that is not there",
      z.object({ a: z.int() }).check(rule("self.b > 0")),
      "undefined field 'b'",
    ],
    [
      "a rule that would cost too much",
      z.array(z.array(z.string())).check(rule("self.all(a, a.all(b, self.all(c, c.all(d, b == d))))")),
      "estimated rule cost",
    ],
    [
      "a transition rule where nothing is to compare",
      z.array(z.string().check(rule("self == oldSelf"))),
      "spec.it[].x-kubernetes-validations[0].rule",
    ],
    [
      "fields of which one is to be set",
      z.object({ a: z.int().optional() }).check(exactlyOneOf("a", "b")),
      "undefined field 'b'",
    ],
    [
      "a message with line breaks",
      z.int().check(rule("true", "a\nb")),
      "spec.it.x-kubernetes-validations[0].message",
    ],
    [
      "a path of a rule",
      z.object({ a: z.int() }).check(rule("true", { fieldPath: ".b" })),
      "spec.it.x-kubernetes-validations[0].fieldPath",
    ],
  ])("%s", (_name, it, message) => {
    expect(() => versionOf({ spec: z.object({ it }) })).toThrow(message);
  });

  it("in another version", () => {
    const versions = { v1beta1: { spec: z.object({ at: z.date() }) } };
    expect(() => defineResource({ group: "a.example.com", version: "v1", kind: "Thing", versions })).toThrow(
      "versions.v1beta1.spec.at: objects hold times as text",
    );
  });
});
