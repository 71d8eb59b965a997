import type { FieldError, JSONSchemaProps } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { createResourceSchema } from "./resource-schema.js";

const schema: JSONSchemaProps = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        min: { type: "integer", default: 1 },
        max: { type: "integer", maximum: 100 },
        name: {
          type: "string",
          maxLength: 5,
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is immutable" }],
        },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
      "x-kubernetes-validations": [
        { rule: "!has(self.max) || self.min <= self.max", message: "min must not exceed max" },
      ],
    },
  },
};
const widgets = createResourceSchema(schema);
const text = ({ field, message }: FieldError): string => `${field}: ${message}`;
const admit = (spec: object, old?: object) => {
  const object = { spec };
  const { errors, ...rest } = widgets.admit(object, old === undefined ? {} : { old: { spec: old } });
  return { ...rest, object, errors: errors.map(text) };
};

describe("resource schema: admitting an object", () => {
  it("applies defaults, prunes unknown fields and accepts a valid object", () => {
    const { object, errors, unknownFields } = admit({ max: 5, odd: 1 });
    expect(object).toEqual({ spec: { min: 1, max: 5 } });
    expect(errors).toEqual([]);
    expect(unknownFields).toEqual(["spec.odd"]);
  });

  it("runs rules on the defaulted object", () => {
    expect(admit({ max: 0 }).errors).toEqual(["spec: Invalid value: min must not exceed max"]);
  });

  it("runs rules beside errors that do not disturb them", () => {
    expect(admit({ min: 200, max: 150 }).errors).toEqual([
      "spec.max: Invalid value: 150: spec.max in body should be less than or equal to 100",
      "spec: Invalid value: min must not exceed max",
    ]);
  });

  it("skips rules where types or sizes are wrong, and reports that it did", () => {
    expect(admit({ min: "x", max: 0 }).errors).toEqual([
      'spec.min: Invalid value: "string": spec.min in body must be of type integer: "string"',
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ]);
  });

  it("runs transition rules on updates only", () => {
    expect(admit({ name: "a" }).errors).toEqual([]);
    expect(admit({ name: "b" }, { name: "a" }).errors).toEqual([
      'spec.name: Invalid value: "b": is immutable',
    ]);
  });

  it("accepts unchanged values that break a rule, with a warning", () => {
    const old = { min: 5, max: 1 };
    expect(admit({ min: 5, max: 1 }, old).errors).toEqual([]);
    const ratcheted = (spec: object): string[] => {
      const passed: string[] = [];
      const onRatcheted = (error: FieldError): void => void passed.push(text(error));
      widgets.validate({ spec }, { old: { spec: old }, onRatcheted });
      return passed;
    };
    expect(ratcheted(old)).toEqual(["spec: Invalid value: min must not exceed max"]);
    expect(ratcheted({ min: 6, max: 1 })).toEqual([]);
    expect(admit({ min: 6, max: 1 }, old).errors).toEqual(["spec: Invalid value: min must not exceed max"]);
  });

  it("refuses an object that cannot be decoded, without validating it", () => {
    const { error, errors } = admit({ max: 0, template: { kind: 5 } });
    expect(error && text(error)).toBe("spec.template.kind: Invalid value: 5: must be a string");
    expect(errors).toEqual([]);
  });

  it("refuses an embedded object that is nested beyond reason", () => {
    let metadata: object = {};
    for (let i = 0; i < 5000; i++) metadata = { labels: metadata };
    const { error } = admit({ template: { metadata } });
    expect(error && text(error)).toBe('<nil>: Invalid value: "": must not be nested deeper than 1000 levels');
  });
});

describe("resource schema: a kind with status and scale", () => {
  const scaled = createResourceSchema(
    {
      type: "object",
      properties: {
        spec: { type: "object", properties: { replicas: { type: "integer", minimum: 0 } } },
        status: {
          type: "object",
          properties: { replicas: { type: "integer" }, selector: { type: "string" } },
        },
      },
    },
    {
      scale: {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.selector",
      },
    },
  );

  it("validates replicas as a scale does", () => {
    expect(scaled.validate({ spec: { replicas: -2 } }).map(text)).toEqual([
      "spec.replicas: Invalid value: -2: spec.replicas in body should be greater than or equal to 0",
      ".spec.replicas: Invalid value: -2: should be a non-negative integer",
    ]);
    expect(scaled.validate({ spec: { replicas: 3_000_000_000 } }).map(text)).toEqual([
      ".spec.replicas: Invalid value: 3000000000: should be less than or equal to 2147483647",
    ]);
    expect(scaled.validate({ spec: {} })).toEqual([]);
  });

  it("validates writes to status by the status alone", () => {
    const object = { spec: { replicas: -2 }, status: { replicas: "x" } };
    expect(scaled.validate(object, { subresource: "status" }).map(text)).toEqual([
      'status.replicas: Invalid value: "string": replicas in body must be of type integer: "string"',
      ".status.replicas: Invalid value: 0: .status.replicas accessor error: x is of the type string, expected int64",
    ]);
  });

  it("accepts an invalid status that stays unchanged", () => {
    const object = { status: { selector: 5 } };
    const errors = scaled.validate(object, { subresource: "status", old: structuredClone(object) });
    expect(errors.map(text)).toEqual([
      '.status.selector: Invalid value: "": .status.selector accessor error: 5 is of the type int64, expected string',
    ]);
  });
});

describe("resource schema: rules that do not compile", () => {
  it("reports the rule and its path", () => {
    const broken = createResourceSchema(
      { type: "object", "x-kubernetes-validations": [{ rule: "self.x > 1" }] },
      { path: "spec.validation.openAPIV3Schema" },
    );
    expect(broken.ruleErrors.map(({ field }) => field)).toEqual([
      "spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule",
    ]);
    expect(widgets.ruleErrors).toEqual([]);
  });
});
