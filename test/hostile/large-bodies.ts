// Bodies as large as the server takes, each with a great many of something.
import type { Random } from "./random.js";

const configMaps = "/api/v1/namespaces/default/configmaps";
const gadgets = "/apis/robust.example.com/v1/namespaces/default/gadgets";

/** What a large request is about, apart from its name. */
interface Large {
  readonly method: "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly type: string;
  readonly bytes: string;
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const entries = (count: number, text: string): object =>
  Object.fromEntries(many(count, (index) => [`key-${index}`, text]));
const meta = (name: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...more },
});
const gadget = (free: string): string =>
  `{"apiVersion":"robust.example.com/v1","kind":"Gadget","metadata":{"name":"sample"},"spec":{"size":1,"free":${free}}}`;
const containers = (count: number): object[] => many(count, (index) => ({ name: `c-${index}`, image: "i" }));
const deployment = (count: number): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "large" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: containers(count) } },
  },
});
const json = "application/json";
const post = (path: string, bytes: string, type = json): Large => ({ method: "POST", path, bytes, type });
const patch = (path: string, bytes: string, type: string): Large => ({ method: "PATCH", path, bytes, type });
const apply = "application/apply-patch+yaml";
const jsonPatch = "application/json-patch+json";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
/** Fields nobody knows, and the most of them there is room for. */
const strange = (size: number): string => many(240_000 * size, (index) => `"k${index}":1`).join() || '"k":1';
const pods = "/api/v1/namespaces/default/pods";
const deployments = "/apis/apps/v1/namespaces/default/deployments";

/** Ways to be large, by name; each is given how large, from 0 to 1. */
export const largeBodies: Readonly<Record<string, (size: number) => Large>> = {
  fields: (size) =>
    post(configMaps, JSON.stringify({ ...meta("large"), data: entries(15_000 * size, "v".repeat(40)) })),
  "fields, applied": (size) =>
    patch(
      `${configMaps}/large?fieldManager=a`,
      JSON.stringify({ ...meta("large"), data: entries(15_000 * size, "v".repeat(40)) }),
      apply,
    ),
  "fields, merged": (size) =>
    patch(`${configMaps}/large`, JSON.stringify({ data: entries(15_000 * size, "w".repeat(40)) }), merge),
  items: (size) =>
    post(
      gadgets,
      gadget(JSON.stringify(many(60_000 * size, (index) => ({ name: `item-${index}`, value: index })))),
    ),
  "empty objects": (size) => post(gadgets, gadget(`[${"{},".repeat(900_000 * size)}{}]`)),
  "empty lists": (size) => post(gadgets, gadget(`[${"[[]],".repeat(500_000 * size)}[]]`)),
  floats: (size) => post(gadgets, gadget(`[${"1.00e0,".repeat(350_000 * size)}1]`)),
  duplicates: (size) => post(gadgets, gadget(`{${'"a":1,'.repeat(400_000 * size)}"b":1}`)),
  "broken at the end": (size) => post(gadgets, `${gadget(`[${"1,".repeat(1_000_000 * size)}1]`)}x`),
  escapes: (size) => post(gadgets, gadget(`"${"\\u0001".repeat(450_000 * size)}"`)),
  "unknown fields": (size) =>
    post(configMaps, JSON.stringify({ ...meta("large"), ...entries(60_000 * size, "") })),
  "bad keys": (size) =>
    post(
      configMaps,
      JSON.stringify({
        ...meta("large"),
        data: Object.fromEntries(many(15_000 * size, (index) => [`!${index}`, ""])),
      }),
    ),
  "tiny bad keys": (size) =>
    post(
      configMaps,
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large"},"data":{${many(230_000 * size, (index) => `"!${index}":""`).join()}}}`,
    ),
  "tiny containers": (size) =>
    post(
      deployments,
      `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"large"},"spec":{"template":{"spec":{"containers":[${"{},".repeat(900_000 * size)}{}]}}}}`,
    ),
  labels: (size) => post(configMaps, JSON.stringify(meta("large", { labels: entries(30_000 * size, "a") }))),
  "bad annotations": (size) =>
    post(
      configMaps,
      JSON.stringify(
        meta("large", {
          annotations: Object.fromEntries(many(60_000 * size, (index) => [`!${index}`, "1"])),
        }),
      ),
    ),
  owners: (size) =>
    post(
      configMaps,
      JSON.stringify(
        meta("large", {
          ownerReferences: many(20_000 * size, (index) => ({
            apiVersion: "v1",
            kind: "Pod",
            name: "x",
            uid: `u${index}`,
          })),
        }),
      ),
    ),
  finalizers: (size) =>
    post(
      configMaps,
      JSON.stringify(meta("large", { finalizers: many(100_000 * size, (index) => `a.b/c${index}`) })),
    ),
  managers: (size) =>
    post(
      configMaps,
      JSON.stringify(
        meta("large", {
          managedFields: many(10_000 * size, (index) => ({
            manager: `m${index}`,
            operation: "Apply",
            apiVersion: "v1",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:data": { [`f:k${index}`]: {} } },
          })),
        }),
      ),
    ),
  containers: (size) => post(deployments, JSON.stringify(deployment(15_000 * size))),
  "containers, applied": (size) =>
    patch(`${deployments}/large?fieldManager=a`, JSON.stringify(deployment(4000 * size)), apply),
  "containers, merged": (size) =>
    patch(
      `${deployments}/sample`,
      JSON.stringify({ spec: { template: { spec: { containers: containers(3000 * size) } } } }),
      strategic,
    ),
  operations: (size) =>
    patch(
      `${gadgets}/sample`,
      JSON.stringify(
        many(10_000 * size, (index) => ({ op: "add", path: `/spec/free/k${index}`, value: index })),
      ),
      jsonPatch,
    ),
  copies: (size) =>
    patch(
      `${gadgets}/sample`,
      JSON.stringify(
        many(10_000 * size, (index) => ({ op: "copy", from: "/spec/list", path: `/spec/free/k${index}` })),
      ),
      jsonPatch,
    ),
  "options of a deletion": (size) => ({
    ...post(`${configMaps}/large`, `{"dryRun":["All"],${strange(size)}}`),
    method: "DELETE",
  }),
  "conditions of a deletion": (size) => ({
    ...post(`${configMaps}/large`, `{"dryRun":["All"],"preconditions":{${strange(size)}}}`),
    method: "DELETE",
  }),
  eviction: (size) =>
    post(
      `${pods}/sample/eviction?dryRun=All`,
      `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"sample"},${strange(size)}}`,
    ),
  binding: (size) =>
    post(
      `${pods}/sample/binding?dryRun=All`,
      `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"sample"},"target":{"name":"a"},${strange(size)}}`,
    ),
  "token request": (size) =>
    post(
      "/api/v1/namespaces/default/serviceaccounts/default/token",
      `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{},${strange(size)}}`,
    ),
  "a wide value, added": (size) =>
    patch(
      `${gadgets}/sample?dryRun=All`,
      `[{"op":"add","path":"/spec/free","value":{${strange(size * 0.5)}}}]`,
      jsonPatch,
    ),
  "a wide value, tested": (size) =>
    patch(`${gadgets}/sample`, `[{"op":"test","path":"/spec","value":{${strange(size)}}}]`, jsonPatch),
  "an operation of many fields": (size) =>
    patch(`${gadgets}/sample`, `[{"op":"test","path":"/kind","value":"Gadget",${strange(size)}}]`, jsonPatch),
  "a wide value that does not fit": (size) =>
    patch(`${configMaps}/large`, `[{"op":"add","path":"/data","value":{${strange(size)}}}]`, jsonPatch),
  "a path of many parts": (size) =>
    patch(
      `${gadgets}/sample`,
      JSON.stringify([{ op: "add", path: "/~1a".repeat(700_000 * size), value: 1 }]),
      jsonPatch,
    ),
  "inserts at the head": (size) =>
    patch(
      `${gadgets}/sample?dryRun=All`,
      JSON.stringify([
        { op: "add", path: "/spec/free", value: { list: many(50_000 * size, () => 0) } },
        ...many(9_999 * size, (index) => ({ op: "add", path: "/spec/free/list/0", value: index })),
      ]),
      jsonPatch,
    ),
  "fields, taken away": (size) =>
    patch(
      `${configMaps}/large?dryRun=All`,
      JSON.stringify({ data: Object.fromEntries(many(60_000 * size, (index) => [`key-${index}`, null])) }),
      merge,
    ),
  "fields, merged by a strategy": (size) =>
    patch(
      `${configMaps}/large?dryRun=All`,
      JSON.stringify({ data: { $patch: "replace", ...entries(30_000 * size, "x") } }),
      strategic,
    ),
  "containers in an order": (size) =>
    patch(
      `${deployments}/sample?dryRun=All`,
      JSON.stringify({
        spec: {
          template: {
            spec: {
              "$setElementOrder/containers": containers(8_000 * size).toReversed(),
              containers: containers(8_000 * size).toReversed(),
            },
          },
        },
      }),
      strategic,
    ),
  "finalizers of a set": (size) =>
    patch(
      `${configMaps}/large?dryRun=All`,
      JSON.stringify({ metadata: { finalizers: many(60_000 * size, (index) => `a.b/c${index}`) } }),
      strategic,
    ),
  yaml: (size) =>
    post(
      configMaps,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata:\n${many(10_000 * size, (index) => `  key-${index}: ${"v".repeat(40)}\n`).join("")}`,
      "application/yaml",
    ),
  "yaml in flow": (size) =>
    post(
      configMaps,
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: large}, data: {${many(30_000 * size, (index) => `k${index}: "v"`).join(", ")}}}`,
      "application/yaml",
    ),
  "a yaml text": (size) =>
    post(
      configMaps,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata:\n  a: |\n${"    line of text\n".repeat(160_000 * size)}`,
      "application/yaml",
    ),
  "a yaml text of many lines": (size) =>
    post(
      configMaps,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata:\n  a: ${"b c\n   ".repeat(400_000 * size)}`,
      "application/yaml",
    ),
  "yaml of nothing": (size) =>
    post(configMaps, `apiVersion: v1\n${"\n".repeat(2_900_000 * size)}`, "application/yaml"),
};

/** One of them, of any size up to the largest. */
export function largeBody(random: Random): Large & { readonly name: string } {
  const [name, make] = random.pick(Object.entries(largeBodies));
  return { name, ...make(random.pick([0.1, 0.3, 1])) };
}
