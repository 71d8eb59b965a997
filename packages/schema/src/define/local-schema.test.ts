import type { FieldError } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { kube } from "../kube/index.js";
import { defineResource } from "./define-resource.js";
import { immutable } from "./immutable.js";
import { exactlyOneOf } from "./one-of.js";
import { rule } from "./rule.js";

const Box = defineResource({
  group: "a.example.com",
  version: "v1",
  kind: "Box",
  spec: z.object({
    image: z.string().min(1),
    replicas: z.int().min(0).default(1),
    ports: kube.listMap(kube.ServicePort, ["port", "protocol"]).optional(),
  }),
});
const smallest = { spec: { image: "nginx" } };
const fields = (errors: readonly FieldError[]) => errors.map((error) => error.field);

describe("local validation", () => {
  it("accepts an object without its defaulted fields", () => {
    expect(Box.validate(smallest)).toEqual([]);
    expect(Box.validate({ ...smallest, apiVersion: "a.example.com/v1", kind: "Box" })).toEqual([]);
  });

  it("reports the errors that the API server reports", () => {
    expect(Box.validate({ spec: { image: "", replicas: -1, ports: [{ port: 80 }, { port: 80 }] } })).toEqual([
      {
        field: "spec.image",
        reason: "FieldValueInvalid",
        message: 'Invalid value: "": spec.image in body should be at least 1 chars long',
      },
      {
        field: "spec.replicas",
        reason: "FieldValueInvalid",
        message: "Invalid value: -1: spec.replicas in body should be greater than or equal to 0",
      },
      {
        field: "spec.ports[1]",
        reason: "FieldValueDuplicate",
        message: 'Duplicate value: {"port":80,"protocol":"TCP"}',
      },
    ]);
  });

  it("accepts invalid values that an update does not change", () => {
    const old = { spec: { image: "nginx", replicas: -1 } };
    expect(fields(Box.validate(old))).toEqual(["spec.replicas"]);
    expect(Box.validate({ spec: { image: "httpd", replicas: -1 } }, old)).toEqual([]);
    expect(fields(Box.validate({ spec: { image: "", replicas: -1 } }, old))).toEqual(["spec.image"]);
  });

  it("runs CEL rules, and transition rules on update", () => {
    const Ruled = defineResource({
      group: "a.example.com",
      version: "v1",
      kind: "Ruled",
      spec: z
        .object({
          min: z.int().default(1),
          max: z.int(),
          name: z.string().check(immutable()),
          zone: z.string().optional().check(immutable()),
        })
        .check(rule("self.min <= self.max", { message: "min must not exceed max", fieldPath: ".min" })),
    });
    const spec = { max: 3, name: "a" };
    expect(Ruled.validate({ spec })).toEqual([]);
    expect(Ruled.validate({ spec: { ...spec, max: 0 } })).toEqual([
      {
        field: "spec.min",
        reason: "FieldValueInvalid",
        message: expect.stringContaining("min must not exceed max"),
      },
    ]);
    expect(fields(Ruled.validate({ spec: { ...spec, name: "b" } }, { spec }))).toEqual(["spec.name"]);
    expect(fields(Ruled.validate({ spec: { ...spec, zone: "b" } }, { spec }))).toEqual(["spec"]);
    expect(fields(Ruled.validate({ spec }, { spec: { ...spec, zone: "b" } }))).toEqual(["spec"]);
    expect(Ruled.validate({ spec: { ...spec, max: 9 } }, { spec })).toEqual([]);
  });

  it("validates a union against the option that was chosen", () => {
    const Backup = defineResource({
      group: "a.example.com",
      version: "v1",
      kind: "Backup",
      spec: z.object({
        to: z.discriminatedUnion("type", [
          z.object({ type: z.literal("s3"), bucket: z.string() }),
          z.object({ type: z.literal("disk"), "mount-path": z.string(), size: z.int().optional() }),
        ]),
        from: z
          .object({ secret: z.string().optional(), configMap: z.string().optional() })
          .check(exactlyOneOf("secret", "configMap"))
          .optional(),
      }),
    });
    const errors = (to: object, from?: object) =>
      Backup.validate({ spec: { to, from } }).map(({ field, reason, message }) => [field, reason, message]);
    expect(errors({ type: "s3", bucket: "b" })).toEqual([]);
    expect(errors({ type: "disk", "mount-path": "/", size: 1 }, { secret: "a" })).toEqual([]);
    expect(errors({ type: "disk", bucket: "b" })).toEqual([
      ["spec.to.bucket", "FieldValueForbidden", "Forbidden: bucket may only be set when type is s3"],
      [
        "spec.to.mount-path",
        "FieldValueRequired",
        "Required value: mount-path is required when type is disk",
      ],
    ]);
    const both = expect.stringContaining("exactly one of the fields in [secret configMap] must be set");
    expect(errors({ type: "s3", bucket: "b" }, {})).toEqual([["spec.from", "FieldValueInvalid", both]]);
  });

  it.each<[string, unknown, string]>([
    ["no object", "nginx", ""],
    ["nothing", undefined, ""],
    ["another kind", { ...smallest, kind: "Bin" }, "kind"],
    ["another version", { ...smallest, apiVersion: "a.example.com/v2" }, "apiVersion"],
  ])("refuses %s", (_name, object, field) => {
    expect(fields(Box.validate(object))).toEqual([field]);
  });

  it("refuses an object that contains itself", () => {
    const object: { spec: { image: string }; self?: unknown } = { spec: { image: "x" } };
    object.self = object;
    expect(Box.validate(object)[0]?.message).toContain("must not be nested deeper than");
  });
});

describe("local defaulting and parsing", () => {
  it("fills in defaults and names in a copy", () => {
    const object = Object.freeze({ metadata: { name: "web" }, spec: Object.freeze({ image: "nginx" }) });
    expect(Box.default(object)).toEqual({
      apiVersion: "a.example.com/v1",
      kind: "Box",
      metadata: { name: "web" },
      spec: { image: "nginx", replicas: 1 },
    });
    expect(object).toEqual({ metadata: { name: "web" }, spec: { image: "nginx" } });
  });

  it("prunes fields that the schema does not declare", () => {
    expect(Box.parse({ spec: { image: "nginx", foo: 1 } }).spec).toEqual({ image: "nginx", replicas: 1 });
  });

  it("names the invalid object and its fields", () => {
    const object = { metadata: { namespace: "shop", name: "web" }, spec: {} };
    expect(() => Box.parse(object)).toThrow("Box shop/web: spec.image: Required value");
  });
});
