import { describe, expect, it } from "vitest";
import type { JSONSchemaProps } from "../generated/apiextensions-v1.js";
import { embeddedSchema } from "./embedded-schema.js";
import { openApiSchemaNames } from "./openapi-schema.js";

const quantity = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern: expect.stringMatching(/^\^\(\\\+\|-\)\?/),
  "x-kubernetes-int-or-string": true,
};

describe("embeddedSchema", () => {
  it("spells a type out", () => {
    expect(embeddedSchema("io.k8s.api.core.v1.ServicePort")).toEqual({
      type: "object",
      required: ["port"],
      properties: {
        appProtocol: { type: "string" },
        name: { type: "string" },
        nodePort: { type: "integer", format: "int32" },
        port: { type: "integer", format: "int32" },
        protocol: { type: "string", default: "TCP" },
        targetPort: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
      },
    });
  });

  it("follows references and keeps how they merge", () => {
    const { properties } = embeddedSchema("io.k8s.api.core.v1.EnvVar");
    expect(properties?.["valueFrom"]?.properties?.["configMapKeyRef"]).toEqual({
      type: "object",
      required: ["key"],
      properties: {
        key: { type: "string" },
        name: { type: "string", default: "" },
        optional: { type: "boolean" },
      },
      "x-kubernetes-map-type": "atomic",
    });
  });

  it("writes quantities as numbers or strings with a pattern", () => {
    expect(embeddedSchema("io.k8s.api.core.v1.ResourceRequirements")).toEqual({
      type: "object",
      properties: {
        claims: {
          type: "array",
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, request: { type: "string" } },
          },
          "x-kubernetes-list-map-keys": ["name"],
          "x-kubernetes-list-type": "map",
        },
        limits: { type: "object", additionalProperties: quantity },
        requests: { type: "object", additionalProperties: quantity },
      },
    });
  });

  it.each([
    "ConfigMapEnvSource",
    "SecretEnvSource",
    "ConfigMapVolumeSource",
    "ConfigMapProjection",
    "SecretProjection",
  ])("treats %s, which inlines a reference, as the atomic reference it is", (name) => {
    expect(embeddedSchema(`io.k8s.api.core.v1.${name}`)["x-kubernetes-map-type"]).toBe("atomic");
  });

  it.each([
    ["io.k8s.api.core.v1.ContainerPort", "TCP"],
    ["io.k8s.api.core.v1.ServicePort", "TCP"],
    ["io.k8s.api.networking.v1.NetworkPolicyPort", undefined],
    ["io.k8s.api.core.v1.EndpointPort", undefined],
    ["io.k8s.api.core.v1.PortStatus", undefined],
  ])("gives the protocol of %s the default %s", (type, expected) => {
    expect(embeddedSchema(type).properties?.["protocol"]?.default).toBe(expected);
  });

  it("keeps the metadata of a template", () => {
    const { properties } = embeddedSchema("io.k8s.api.core.v1.PodTemplateSpec");
    expect(Object.keys(properties?.["metadata"]?.properties ?? {})).toContain("labels");
  });

  it("limits conditions", () => {
    expect(embeddedSchema("io.k8s.apimachinery.pkg.apis.meta.v1.Condition").properties?.["status"]).toEqual({
      type: "string",
      enum: ["True", "False", "Unknown"],
    });
  });

  it("leaves a type inside itself open", () => {
    const props = embeddedSchema("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    expect(props.properties?.["not"]).toEqual({ "x-kubernetes-preserve-unknown-fields": true });
  });

  it.each([
    ["io.k8s.api.apps.v1.StatefulSetSpec", "serviceName"],
    ["io.k8s.api.core.v1.Container", "name"],
    ["io.k8s.api.core.v1.Container", "resources"],
  ])("takes no default from the zero value of %s.%s", (type, field) => {
    expect(embeddedSchema(type).properties?.[field]).not.toHaveProperty("default");
  });

  it("refuses a name that is no type", () => {
    expect(() => embeddedSchema("io.k8s.api.core.v1.Servicport")).toThrow(
      "io.k8s.api.core.v1.Servicport is not a built-in type",
    );
  });
});

describe("every embedded schema", () => {
  const breaches = openApiSchemaNames().flatMap((name) => check(embeddedSchema(name), name));

  it("is structural: a type everywhere, no references, no missing list keys", () => {
    expect(breaches).toEqual([]);
  });
});

function check(schema: JSONSchemaProps, path: string): string[] {
  const found: string[] = [];
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] || schema["x-kubernetes-int-or-string"];
  if (schema.type === undefined && !isOpen) found.push(`${path}: no type`);
  if (schema.$ref !== undefined || schema.allOf !== undefined) found.push(`${path}: refers`);
  if (schema["x-kubernetes-list-type"] !== undefined && schema.type !== "array")
    found.push(`${path}: no list`);
  const items = schema.items;
  if (items !== undefined && !Array.isArray(items))
    found.push(...checkItems(schema, items as JSONSchemaProps, path));
  if (typeof schema.additionalProperties === "object")
    found.push(...check(schema.additionalProperties, `${path}{}`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    found.push(...check(property, `${path}.${name}`));
  }
  return found;
}

function checkItems(list: JSONSchemaProps, item: JSONSchemaProps, path: string): string[] {
  const missing = (list["x-kubernetes-list-map-keys"] ?? []).filter(
    (key) => !item.required?.includes(key) && item.properties?.[key]?.default === undefined,
  );
  return [...missing.map((key) => `${path}: ${key} may be missing`), ...check(item, `${path}[]`)];
}
