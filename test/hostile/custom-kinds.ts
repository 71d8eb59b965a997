// Custom kinds that are always served while a campaign runs: some with everything a schema can say, some made up from the seed. Their
// objects fit them before anything is changed, so that what is changed meets defaults, pruning, rules and kinds of lists.
import type { Sample } from "../robustness/samples.js";
import { longContents, longSchema } from "./long-objects.js";
import { madeShape } from "./made-shapes.js";
import { varied } from "./mutate.js";
import { Random } from "./random.js";

/** A kind with a definition of its own. */
export interface CustomKind {
  readonly definition: Sample;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly versions: readonly string[];
  /** Contents that fit the schema. */
  readonly contents: object;
  /** Other contents, most of which fit. */
  make(random: Random): object;
}

/** How many are made up. */
const madeUp = 5;
const definitionPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const group = "standing.example.com";

/** The kinds of a campaign. */
export const customKindsOf = (seed: number): readonly CustomKind[] => [
  ...written,
  ...Array.from({ length: madeUp }, (_, index) => made(seed, index)),
];

/** The collection of a kind. */
export const collectionOf = ({ plural, isNamespaced }: CustomKind, version: string): string =>
  `/apis/${group}/${version}/${isNamespaced ? "namespaces/default/" : ""}${plural}`;

/** An object of a kind. */
export const objectOf = ({ kind }: CustomKind, version: string, name: string, contents: object): object => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: { name, labels: { app: "web" } },
  ...contents,
});

/** What there is of each kind. */
export function sampleOf(kind: CustomKind): Sample {
  const object = objectOf(kind, "v1", "sample", kind.contents) as Sample["object"];
  return { path: collectionOf(kind, "v1"), object, subresources: ["status", "scale"] };
}

const list = (items: object, more: object): object => ({ type: "array", maxItems: 50, items, ...more });
const text = { type: "string", maxLength: 100 };
const entry = {
  type: "object",
  required: ["name"],
  properties: {
    name: text,
    protocol: { ...text, enum: ["TCP", "UDP"], default: "TCP" },
    port: { "x-kubernetes-int-or-string": true },
    when: { type: "string", format: "date-time" },
  },
};

const everything = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 0, maximum: 100, default: 3 },
    ratio: { type: "number", multipleOf: 0.5 },
    name: { ...text, pattern: "^[a-z][a-z0-9-]*$", default: "abc" },
    mode: { ...text, enum: ["Fast", "Slow"], default: "Fast" },
    ports: list(entry, {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "protocol"],
    }),
    tags: list(text, { "x-kubernetes-list-type": "set" }),
    plain: list({ type: "object", properties: { a: { type: "integer", default: 1 } } }, {}),
    limits: {
      type: "object",
      maxProperties: 20,
      additionalProperties: { "x-kubernetes-int-or-string": true },
    },
    pinned: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: text, b: text } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    template: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    maybe: { type: "object", nullable: true, properties: { a: { ...text, default: "x" } } },
    one: {
      type: "object",
      properties: { a: text, b: text },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    key: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is never changed" }] },
  },
  "x-kubernetes-validations": [
    { rule: "self.size < 10 || has(self.name)", message: "large ones need names" },
    { rule: "!has(self.ports) || self.ports.all(p, p.name.size() < 60)" },
    { rule: "!has(self.tags) || self.tags.exists_one(t, t == 'a') || self.tags.size() != 1" },
    {
      rule: "self.size >= oldSelf.size - 50",
      messageExpression: "'not ' + self.mode + (self.size > 1 ? ' or more' : '')",
    },
    { rule: "!has(self.limits) || self.limits.all(k, k.matches('^[a-z.]+$'))", fieldPath: ".limits" },
  ],
};

const contents = {
  spec: {
    size: 5,
    ratio: 1.5,
    name: "abc",
    ports: [
      { name: "a", port: 80 },
      { name: "b", protocol: "UDP", port: "x", when: "2026-01-01T00:00:00Z" },
    ],
    tags: ["a", "b"],
    plain: [{ a: 2 }, {}],
    limits: { cpu: 1, memory: "1Gi" },
    pinned: { a: "x" },
    free: { a: [1, { b: null }] },
    template: { apiVersion: "v1", kind: "Pod", metadata: { name: "x", labels: { a: "b" } }, spec: {} },
    maybe: null,
    one: { a: "x" },
    key: "k",
  },
};

const status = { type: "object", properties: { phase: text, size: { type: "integer" } } };

function defined(kind: string, isNamespaced: boolean, spec: object, versions: readonly string[]): Sample {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const metadata = { name: `${plural}.${group}` };
  const served = versions.map((name, index) => ({
    name,
    served: true,
    storage: index === 0,
    schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
    subresources: {
      status: {},
      scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
    },
    additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
    selectableFields: [{ jsonPath: ".status.phase" }],
  }));
  const object = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata,
    spec: {
      group,
      scope: isNamespaced ? "Namespaced" : "Cluster",
      names: { plural, singular, kind, listKind: `${kind}List` },
      versions: served,
    },
  };
  return { path: definitionPath, object };
}

type Contents = Pick<CustomKind, "contents" | "make">;

function kindOf(
  kind: string,
  isNamespaced: boolean,
  spec: object,
  versions: readonly string[],
  { contents, make }: Contents,
): CustomKind {
  const definition = defined(kind, isNamespaced, spec, versions);
  const plural = `${kind.toLowerCase()}s`;
  return { definition, group, kind, plural, isNamespaced, versions, contents, make };
}

const usual: Contents = { contents, make: (random) => varied(random, contents) as object };

/** Objects that are long by far are sent apart, and seldom. */
const short: Contents = {
  contents: { spec: { size: 1, ...longContents["keyed items"]?.(0.0001) } },
  make: (random) => ({ spec: { size: 1, ...random.pick(Object.values(longContents))(0.001) } }),
};

/** The kind of those. */
export const longKind: CustomKind = kindOf("Long", true, longSchema, ["v1"], short);

const written: readonly CustomKind[] = [
  longKind,
  kindOf("Whole", true, everything, ["v1"], usual),
  kindOf("Twofold", true, everything, ["v1", "v2"], usual),
  kindOf("Wide", false, everything, ["v1", "v1beta1"], usual),
];

function made(seed: number, index: number): CustomKind {
  const random = Random.of(seed ^ 0x5eed, index);
  const { schema, make } = madeShape(random);
  const versions = random.chance(0.5) ? ["v1"] : ["v1", "v2"];
  const { properties } = schema as { readonly properties: object };
  // The one field the subresource for scale needs.
  const spec = { ...schema, properties: { ...properties, size: { type: "integer", minimum: 0 } } };
  const filled = (each: Random): object => ({ spec: { ...(make(each) as object), size: each.below(9) } });
  const contents = filled(random);
  return kindOf(`Made${index}`, random.chance(0.7), spec, versions, { contents, make: filled });
}
