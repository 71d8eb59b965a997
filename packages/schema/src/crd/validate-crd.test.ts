import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  FieldError,
  JSONSchemaProps,
} from "@kubewright/api";
import { describe, expect, it } from "vitest";
import {
  crdWarnings,
  defaultCustomResourceDefinition,
  storedVersions,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatus,
} from "./index.js";

type Partial<T> = { readonly [K in keyof T]?: T[K] | undefined };

const object = (properties: JSONSchemaProps["properties"], more: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: "object",
  properties,
  ...more,
});
const string: JSONSchemaProps = { type: "string" };

function version(
  schema: JSONSchemaProps | undefined,
  more: Partial<CustomResourceDefinitionVersion> = {},
): CustomResourceDefinitionVersion {
  return {
    name: "v1",
    served: true,
    storage: true,
    ...(schema === undefined ? {} : { schema: { openAPIV3Schema: schema } }),
    ...more,
  } as CustomResourceDefinitionVersion;
}

function definition(
  spec: Partial<CustomResourceDefinitionSpec> = {},
  more: Partial<CustomResourceDefinition> = {},
): CustomResourceDefinition {
  return defaultCustomResourceDefinition({
    metadata: { name: "foos.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [version(object({ spec: object({ a: string }) }))],
      ...spec,
    },
    ...more,
  } as CustomResourceDefinition);
}

const text = ({ field, message }: FieldError): string => `${field}: ${message}`;
const errorsOf = (crd: CustomResourceDefinition, old?: CustomResourceDefinition): string[] =>
  validateCustomResourceDefinition(crd, old).map(text);

/** The errors of a schema for `spec.f`, with its own path left out. */
function fieldErrors(f: JSONSchemaProps): string[] {
  const crd = definition({ versions: [version(object({ spec: object({ f }) }))] });
  return errorsOf(crd).map((error) =>
    error.replaceAll("spec.validation.openAPIV3Schema.properties[spec].properties[f]", "f"),
  );
}

describe("a CRD", () => {
  it("is accepted without errors when it is valid", () => {
    expect(errorsOf(definition())).toEqual([]);
  });

  const cases: readonly [what: string, crd: CustomResourceDefinition, errors: readonly string[]][] = [
    [
      "has a name made of its plural and group",
      definition({}, { metadata: { name: "bars.example.com" } }),
      ['metadata.name: Invalid value: "bars.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      "has a group",
      definition({ group: "" }, { metadata: { name: "foos." } }),
      [
        expect.stringMatching(/^metadata\.name: Invalid value: "foos\.": a lowercase RFC 1123/),
        "spec.group: Required value",
      ],
    ],
    [
      "has a group with a dot",
      definition({ group: "example" }, { metadata: { name: "foos.example" } }),
      ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
    ],
    ["has a scope", definition({ scope: "" }), ["spec.scope: Required value"]],
    [
      "has a known scope",
      definition({ scope: "Galaxy" }),
      ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
    ],
    [
      "has different names for kind and list",
      definition({ names: { plural: "foos", kind: "Foo", listKind: "Foo" } }),
      ['spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same'],
    ],
    [
      "has short names and categories that are DNS labels",
      definition({ names: { plural: "foos", kind: "Foo", shortNames: ["A"], categories: ["all", "-"] } }),
      [
        expect.stringMatching(/^spec\.names\.shortNames\[0\]: Invalid value: "A": a DNS-1035 label/),
        expect.stringMatching(/^spec\.names\.categories\[1\]: Invalid value: "-": a DNS-1035 label/),
      ],
    ],
    [
      "has a kind that is a DNS label but for case",
      definition({ names: { plural: "foos", kind: "F oo" } }),
      [
        expect.stringMatching(/^spec\.names\.singular/),
        expect.stringMatching(
          /^spec\.names\.kind: Invalid value: "F oo": may have mixed case, but should otherwise match: a DNS-1035 label/,
        ),
        expect.stringMatching(/^spec\.names\.listKind/),
      ],
    ],
    [
      "has a version",
      definition({ versions: [] }),
      [
        "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
        "status.storedVersions: Invalid value: null: must have at least one stored version",
      ],
    ],
    [
      "has a schema",
      definition({ versions: [version(undefined)] }),
      ["spec.versions[0].schema.openAPIV3Schema: Required value"],
    ],
    [
      "warns of deprecation only where it is deprecated",
      definition({ versions: [version(object({}), { deprecationWarning: "old" })] }),
      ['spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
    ],
    [
      "warns of deprecation in printable characters",
      definition({ versions: [version(object({}), { deprecated: true, deprecationWarning: "ä\n" })] }),
      [
        'spec.versions[0].deprecationWarning: Invalid value: "ä\\n": must only contain printable UTF-8 characters; non-printable character found at index 2',
      ],
    ],
    [
      "names errors by version where versions differ",
      definition({
        versions: [
          version(object({ a: { type: "text" } })),
          version(object({ a: string }), { name: "v2", storage: false }),
        ],
      }),
      [
        'spec.versions[0].schema.openAPIV3Schema.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [
      "names errors once where versions say the same",
      definition({
        versions: [
          version(object({ a: { type: "text" } })),
          version(object({ a: { type: "text" } }), { name: "v2", storage: false }),
        ],
      }),
      [
        'spec.validation.openAPIV3Schema.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [
      "has printer columns with a name, a type and a path",
      definition({
        versions: [
          version(object({}), {
            additionalPrinterColumns: [{ name: "", type: "", jsonPath: "", format: "odd" }],
          }),
        ],
      }),
      [
        "spec.additionalPrinterColumns[0].name: Required value",
        "spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string",
        'spec.additionalPrinterColumns[0].format: Invalid value: "odd": must be one of byte,date,date-time,double,float,int32,int64,password',
        "spec.additionalPrinterColumns[0].JSONPath: Required value",
      ],
    ],
    [
      "scales by paths under spec and status",
      definition({
        versions: [
          version(object({}), {
            subresources: {
              scale: {
                specReplicasPath: "spec.x",
                statusReplicasPath: ".status.x",
                labelSelectorPath: ".metadata.x",
              },
            },
          }),
        ],
      }),
      [
        'spec.subresources.scale.specReplicasPath: Invalid value: "spec.x": must be a simple json path starting with .',
        'spec.subresources.scale.labelSelectorPath: Invalid value: ".metadata.x": should be a json path under either .spec or .status',
      ],
    ],
    [
      "selects by scalar fields that exist, outside of metadata, each once",
      definition({
        versions: [
          version(
            object({ metadata: object({ name: string }), spec: object({ a: string, o: object({}) }) }),
            {
              selectableFields: [
                { jsonPath: ".spec.a" },
                { jsonPath: ".spec.a" },
                { jsonPath: ".spec.o" },
                { jsonPath: ".spec.b" },
                { jsonPath: ".metadata.name" },
                { jsonPath: ".spec['a']" },
                { jsonPath: "spec.a" },
                { jsonPath: "" },
              ],
            },
          ),
        ],
      }),
      [
        'spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"',
        'spec.selectableFields[2].jsonPath: Invalid value: ".spec.o": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        'spec.selectableFields[3].jsonPath: Invalid value: ".spec.b": is an invalid path: does not refer to a valid field',
        'spec.selectableFields[4].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata',
        `spec.selectableFields[5].jsonPath: Invalid value: ".spec['a']": is an invalid path: array notation is not allowed`,
        'spec.selectableFields[6].jsonPath: Invalid value: "spec.a": is an invalid path: expected [ or . but got: spec',
        "spec.selectableFields[7].jsonPath: Required value",
      ],
    ],
    [
      "says little at the root of a schema with a status subresource",
      definition({ versions: [version(object({}, { maxProperties: 5 }), { subresources: { status: {} } })] }),
      [
        expect.stringMatching(
          /^spec\.validation\.openAPIV3Schema: Invalid value: \{"ID":"",.*"MaxProperties":5,.*\}: only \[Description Type .* XValidations\] fields are allowed at the root of the schema if the status subresource is enabled$/,
        ),
      ],
    ],
    [
      "is not nullable",
      definition({ versions: [version(object({}, { nullable: true }))] }),
      ["spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root"],
    ],
    [
      "has no additional properties at the root",
      definition({ versions: [version({ type: "object", additionalProperties: string })] }),
      ["spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root"],
    ],
    [
      "has string kinds",
      definition({ versions: [version(object({ kind: { type: "integer" } }))] }),
      ['spec.validation.openAPIV3Schema.properties[kind].type: Invalid value: "integer": must be string'],
    ],
    [
      "may restrict the name",
      definition({
        versions: [version(object({ metadata: object({ name: { ...string, maxLength: 5 } }) }))],
      }),
      [],
    ],
    [
      "may not restrict more of the metadata, nor default it",
      definition({
        versions: [
          version(object({ metadata: object({ name: { ...string, default: "x" } }, { description: "x" }) })),
        ],
      }),
      [
        "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
        "spec.validation.openAPIV3Schema.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata",
      ],
    ],
    [
      "has no $schema",
      definition({ versions: [version({ ...object({}), $schema: "x" })] }),
      [`spec.validation.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
    ],
    [
      "converts by a webhook that can be reached",
      definition({
        conversion: {
          strategy: "Webhook",
          webhook: { conversionReviewVersions: ["v2", "v2"], clientConfig: { url: "http://u@/x?y#z" } },
        },
      }),
      [
        `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
        'spec.conversion.webhookClientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
        'spec.conversion.webhookClientConfig.url: Invalid value: "u": user information is not permitted in the URL',
        'spec.conversion.webhookClientConfig.url: Invalid value: "z": fragments are not permitted in the URL',
        'spec.conversion.webhookClientConfig.url: Invalid value: "y": query parameters are not permitted in the URL',
        'spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
        'spec.conversion.conversionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      "converts by a service",
      definition({
        conversion: {
          strategy: "Webhook",
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: { service: { name: "a", namespace: "b", path: "/x//Y", port: 0 } },
          },
        },
      }),
      [
        "spec.conversion.webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
        'spec.conversion.webhookClientConfig.service.path: Invalid value: "/x//Y": segment[1] may not be empty',
        expect.stringMatching(
          /^spec\.conversion\.webhookClientConfig\.service\.path: Invalid value: "\/x\/\/Y": segment\[2\]: a lowercase RFC 1123 subdomain/,
        ),
      ],
    ],
    [
      "converts by url or service",
      definition({
        conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig: {} } },
      }),
      ["spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required"],
    ],
    [
      "has a webhook only to convert",
      definition({
        conversion: {
          strategy: "None",
          webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://a" } },
        },
      }),
      [
        "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
        "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
      ],
    ],
    [
      "in a protected group says who approved it",
      definition(
        { group: "x.k8s.io" },
        { metadata: { name: "foos.x.k8s.io", annotations: { "api-approved.kubernetes.io": "me" } } },
      ),
      [
        'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "me": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
    [
      "in a protected group may be annotated as unapproved",
      definition(
        { group: "x.k8s.io" },
        {
          metadata: {
            name: "foos.x.k8s.io",
            annotations: { "api-approved.kubernetes.io": "unapproved, test" },
          },
        },
      ),
      [],
    ],
  ];

  it.each(cases)("%s", (_what, crd, errors) => {
    expect(errorsOf(crd)).toEqual(errors);
  });
});

describe("the schema of a CRD", () => {
  const listMap = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] } as const;
  const embedded = { "x-kubernetes-embedded-resource": true } as const;
  const preserve = { "x-kubernetes-preserve-unknown-fields": true } as const;
  const cases: readonly [what: string, f: JSONSchemaProps, errors: readonly string[]][] = [
    ["of any type with preserved content", preserve, []],
    [
      "that is int-or-string, spelled out",
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }], pattern: "^x" },
      [],
    ],
    [
      "that is int-or-string, with more",
      {
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { minimum: 1 }],
      },
      [],
    ],
    [
      "that is int-or-string and keeps content",
      { "x-kubernetes-int-or-string": true, ...preserve },
      [
        "f.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
      ],
    ],
    [
      "whose alternatives restrict values",
      object(
        { a: { type: "integer" } },
        { anyOf: [{ required: ["a"] }, { properties: { a: { minimum: 1 } } }], not: { maxProperties: 0 } },
      ),
      [],
    ],
    [
      "whose alternatives declare structure",
      {
        ...string,
        allOf: [
          {
            type: "string",
            default: "x",
            title: "t",
            description: "d",
            nullable: true,
            "x-kubernetes-list-type": "set",
          },
        ],
      },
      [
        "f.allOf[0].default: Forbidden: must be undefined to be structural",
        "f.allOf[0].description: Forbidden: must be empty to be structural",
        "f.allOf[0].nullable: Forbidden: must be false to be structural",
        "f.allOf[0].title: Forbidden: must be empty to be structural",
        "f.allOf[0].type: Forbidden: must be empty to be structural",
        "f.allOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural",
        'f.allOf[0].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
      ],
    ],
    [
      "whose alternatives contain metadata",
      object({ metadata: object({}) }, { not: { properties: { metadata: {} } } }),
      ["f.not.properties[metadata]: Forbidden: must not be specified in a nested context"],
    ],
    [
      "of an embedded object of another type",
      { type: "string", ...embedded, ...preserve },
      ['f.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true'],
    ],
    [
      "of an embedded object with any field",
      { type: "object", additionalProperties: string, ...embedded, ...preserve },
      ["f.additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set"],
    ],
    [
      "with a pattern that does not compile",
      { ...string, pattern: "a(?=b)" },
      [
        'f.pattern: Invalid value: "a(?=b)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      ],
    ],
    [
      "with keywords of other dialects",
      {
        ...string,
        id: "x",
        definitions: { a: string },
        patternProperties: { a: string },
        additionalItems: true,
        dependencies: {},
      },
      [
        "f.id: Forbidden: id is not supported",
        "f.additionalItems: Forbidden: additionalItems is not supported",
        "f.patternProperties: Forbidden: patternProperties is not supported",
        "f.definitions: Forbidden: definitions is not supported",
        "f.dependencies: Forbidden: dependencies is not supported",
      ],
    ],
    [
      "with a map type on something else",
      { ...string, "x-kubernetes-map-type": "odd" },
      [
        'f.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified',
        'f.x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular"',
      ],
    ],
    [
      "with a list type on something else",
      { ...string, "x-kubernetes-list-type": "set" },
      ['f.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified'],
    ],
    [
      "with map keys on another list",
      { type: "array", items: string, "x-kubernetes-list-map-keys": ["k"] },
      ["f.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty"],
    ],
    [
      "of a map list of scalars",
      { type: "array", items: string, ...listMap },
      [
        'f.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
      ],
    ],
    [
      "of a map list with bad keys",
      {
        type: "array",
        items: object({ k: { type: "array", items: string, nullable: true } }, { nullable: true }),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k", "k"],
      },
      [
        'f.items.properties[k].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
        'f.items.properties[k].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
        'f.x-kubernetes-list-map-keys: Invalid value: ["k","k"]: must not contain duplicate entries',
        "f.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map",
        "f.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        "f.items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
        "f.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        "f.items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
      ],
    ],
    [
      "of a map list with a defaulted key",
      { type: "array", items: object({ k: { ...string, default: "x" } }), ...listMap },
      [],
    ],
    [
      "of a set of sets",
      {
        type: "array",
        items: { type: "array", items: string, "x-kubernetes-list-type": "set" },
        "x-kubernetes-list-type": "set",
      },
      [
        'f.items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
    ["with a valid default", object({ a: { type: "integer", minimum: 1 } }, { default: { a: 1 } }), []],
    [
      "with a default that is invalid further down",
      object({ a: { type: "integer", minimum: 1 } }, { default: { a: 0, b: 1 } }),
      [
        'f.default: Invalid value: {"a":0,"b":1}: must not have unknown fields',
        "f.default.a: Invalid value: 0: a in body should be greater than or equal to 1",
      ],
    ],
    [
      "with a default for a map, named with a leading dot",
      { type: "object", additionalProperties: { type: "integer" }, default: { x: "y" } },
      ['f.default.x: Invalid value: "string": .x in body must be of type integer: "string"'],
    ],
    [
      "with a default for an embedded object",
      { type: "object", ...embedded, ...preserve, default: { kind: "Pod" } },
      ["f.default.apiVersion: Required value"],
    ],
    [
      "with a default for embedded metadata",
      {
        ...object({
          metadata: object({
            labels: { type: "object", additionalProperties: string, default: { a: "b c" } },
          }),
        }),
        ...embedded,
      },
      [
        expect.stringMatching(
          /^f\.properties\[metadata\]\.properties\[labels\]\.default: Invalid value: \{"a":"b c"\}: must result in valid metadata: metadata\.labels: Invalid value: "b c": a valid label/,
        ),
      ],
    ],
    [
      "with a default in additional embedded metadata",
      {
        ...object({
          metadata: object({ labels: { type: "object", additionalProperties: { ...string, default: "x" } } }),
        }),
        ...embedded,
      },
      [
        "f.properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata",
      ],
    ],
    [
      "with rules that lack what they need",
      object(
        { a: string },
        {
          "x-kubernetes-validations": [
            { rule: " " },
            { rule: "true", message: " " },
            { rule: "true\n&& true" },
            { rule: "true", message: "a\nb", messageExpression: " ", fieldPath: ".b" },
          ],
        },
      ),
      [
        "f.x-kubernetes-validations[0].rule: Required value: rule is not specified",
        'f.x-kubernetes-validations[1].message: Invalid value: " ": must be non-empty if specified',
        "f.x-kubernetes-validations[2].message: Required value: message must be specified if rule contains line breaks",
        'f.x-kubernetes-validations[3].message: Invalid value: "a\\nb": must not contain line breaks',
        "f.x-kubernetes-validations[3].messageExpression: Required value: messageExpression must be non-empty if specified",
        'f.x-kubernetes-validations[3].fieldPath: Invalid value: ".b": must be a valid path',
      ],
    ],
  ];

  it.each(cases)("%s", (_what, f, errors) => {
    expect(fieldErrors(f)).toEqual(errors);
  });

  it("may not restrict fields or items that its root does not declare", () => {
    const root = object(
      { a: string },
      { anyOf: [{ properties: { x: { minimum: 1 } } }], not: { items: { minimum: 1 } } },
    );
    const path = "spec.validation.openAPIV3Schema";
    expect(errorsOf(definition({ versions: [version(root)] }))).toEqual([
      `${path}.items: Required value: because it is defined in ${path}.not.items`,
      `${path}.properties[x]: Required value: because it is defined in ${path}.anyOf[0].properties[x]`,
    ]);
  });

  it("nested beyond reason is refused, not followed", () => {
    let nested: JSONSchemaProps = string;
    for (let i = 0; i < 5000; i++) nested = object({ a: nested });
    expect(errorsOf(definition({ versions: [version(nested)] }))).toEqual([
      "spec.validation.openAPIV3Schema: Forbidden: must not be nested deeper than 500 levels",
    ]);
  });
});

describe("an update of a CRD", () => {
  const established = (crd: CustomResourceDefinition): CustomResourceDefinition => ({
    ...crd,
    status: { ...crd.status, conditions: [{ type: "Established", status: "True" }] },
  });
  const two = (storage: "v1" | "v2"): CustomResourceDefinitionSpec["versions"] => [
    version(object({ a: string }), { storage: storage === "v1" }),
    version(object({ b: string }), { name: "v2", storage: storage === "v2" }),
  ];

  it("may move the storage version, which then counts as stored", () => {
    const old = established(definition({ versions: two("v1") }));
    const crd = definition({ versions: two("v2") });
    expect(errorsOf(crd, old)).toEqual([]);
    expect(storedVersions(crd, old)).toEqual(["v1", "v2"]);
  });

  it("may rename a definition that is not established", () => {
    const crd = definition({ scope: "Cluster", names: { plural: "foos", kind: "Bar" } });
    expect(errorsOf(crd, definition())).toEqual([]);
    expect(errorsOf(crd, established(definition()))).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Bar": field is immutable',
    ]);
  });

  it("is not held to a rule that was broken before", () => {
    const sets = (more: JSONSchemaProps): CustomResourceDefinition =>
      definition({
        versions: [
          version(
            object({
              s: { type: "array", items: object({ a: string }), "x-kubernetes-list-type": "set" },
              ...more.properties,
            }),
          ),
        ],
      });
    const broken = sets({});
    expect(errorsOf(sets({ properties: { b: string } }), broken)).toEqual([]);
    expect(errorsOf(broken, definition())).toEqual([
      "spec.validation.openAPIV3Schema.properties[s].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
    ]);
  });

  it("of an established webhook needs a bundle with certificates", () => {
    const withBundle = (caBundle: string): CustomResourceDefinition =>
      definition({
        conversion: {
          strategy: "Webhook",
          webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://a", caBundle } },
        },
      });
    const good = Buffer.from("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n").toString(
      "base64",
    );
    expect(errorsOf(withBundle("eHg="))).toEqual([]);
    expect(errorsOf(withBundle("eHg="), withBundle(good))).toEqual([]);
    expect(errorsOf(withBundle("eHg="), established(withBundle(good)))).toEqual([
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "eHg=": unable to load root certificates: unable to parse bytes as PEM block',
    ]);
    expect(errorsOf(withBundle("eHk="), established(withBundle("eHg=")))).toEqual([]);
  });
});

describe("the status of a CRD", () => {
  it("may hold only valid accepted names", () => {
    const accepted = (plural: string): CustomResourceDefinition =>
      definition({}, { status: { acceptedNames: { plural, kind: "Foo" } } });
    expect(validateCustomResourceDefinitionStatus(accepted("foos"))).toEqual([]);
    expect(validateCustomResourceDefinitionStatus(accepted("Foos")).map(({ field }) => field)).toEqual([
      "status.acceptedNames.plural",
    ]);
    expect(validateCustomResourceDefinitionStatus(definition())).toEqual([]);
  });
});

describe("defaults of a CRD", () => {
  it("fill in names, conversion and stored versions", () => {
    const { spec, status } = definition();
    expect(spec.names).toEqual({ plural: "foos", kind: "Foo", singular: "foo", listKind: "FooList" });
    expect(spec.conversion).toEqual({ strategy: "None" });
    expect(status).toEqual({ storedVersions: ["v1"] });
  });

  it("do not overwrite fields that are set", () => {
    const names = { plural: "foos", kind: "Foo", singular: "f", listKind: "Fs" };
    expect(definition({ names }).spec.names).toEqual(names);
  });

  it("fill in the port of a webhook service", () => {
    const webhook = {
      conversionReviewVersions: ["v1"],
      clientConfig: { service: { name: "a", namespace: "b" } },
    };
    const { conversion } = definition({ conversion: { strategy: "Webhook", webhook } }).spec;
    expect(conversion?.webhook?.clientConfig?.service?.port).toBe(443);
  });
});

describe("warnings about a CRD", () => {
  const formats = (...names: string[]): CustomResourceDefinition =>
    definition({
      versions: [version(object(Object.fromEntries(names.map((format) => [format, { ...string, format }]))))],
    });

  it("name formats that are not validated", () => {
    expect(crdWarnings(formats("date", "fancy", "int-or-string"))).toEqual([
      'unrecognized format "fancy"',
      'unrecognized format "int-or-string"',
    ]);
  });

  it("name only new formats on update", () => {
    expect(crdWarnings(formats("fancy", "odd"), formats("fancy"))).toEqual(['unrecognized format "odd"']);
  });
});
