// The operations of a resource as OpenAPI paths: what kubectl reads to learn which parameters the server understands.
import { apiVersionOf } from "@kubewright/api";
import type { ResourceKind } from "../registry/resource-kind.js";

type PathItem = Record<string, unknown>;

interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly required?: boolean;
  readonly schema: object;
}

interface Operation {
  readonly parameters: readonly Parameter[];
}

const text = { type: "string", uniqueItems: true };
const flag = { type: "boolean", uniqueItems: true };
const number = { type: "integer", uniqueItems: true };
const inQuery = (name: string, schema: object): Parameter => ({ name, in: "query", schema });
const inPath = (name: string): Parameter => ({ name, in: "path", required: true, schema: text });

const pretty = inQuery("pretty", text);
const writeParameters = [
  inQuery("dryRun", text),
  inQuery("fieldManager", text),
  inQuery("fieldValidation", text),
];
const listParameters = [
  ...["continue", "fieldSelector", "labelSelector", "resourceVersion", "resourceVersionMatch"].map((name) =>
    inQuery(name, text),
  ),
  ...["allowWatchBookmarks", "sendInitialEvents", "watch"].map((name) => inQuery(name, flag)),
  ...["limit", "timeoutSeconds"].map((name) => inQuery(name, number)),
];
const deleteParameters = [
  inQuery("dryRun", text),
  inQuery("gracePeriodSeconds", number),
  inQuery("orphanDependents", flag),
  inQuery("propagationPolicy", text),
];

interface Verb {
  readonly method: string;
  readonly action: string;
  readonly parameters: readonly Parameter[];
}

const onCollection: Readonly<Record<string, Verb>> = {
  list: { method: "get", action: "list", parameters: listParameters },
  create: { method: "post", action: "post", parameters: writeParameters },
  deletecollection: {
    method: "delete",
    action: "deletecollection",
    parameters: [...listParameters, ...deleteParameters],
  },
};
const onObject: Readonly<Record<string, Verb>> = {
  get: { method: "get", action: "get", parameters: [] },
  update: { method: "put", action: "put", parameters: writeParameters },
  patch: { method: "patch", action: "patch", parameters: [...writeParameters, inQuery("force", flag)] },
  delete: { method: "delete", action: "delete", parameters: deleteParameters },
};

/** All paths of a kind, with its subresources; Swagger 2.0 writes parameters in its own way. */
export function pathsOf(kind: ResourceKind, form: "v3" | "swagger" = "v3"): Record<string, PathItem> {
  const paths = itemsOf(kind);
  return form === "v3" ? paths : Object.fromEntries(Object.entries(paths).map(asSwagger));
}

function asSwagger([path, item]: [string, PathItem]): [string, PathItem] {
  const fields = Object.entries(item).map(([name, value]) => {
    if (name === "parameters") return [name, swaggerParameters(value)];
    const operation = { ...(value as Operation) };
    return [name, { ...operation, parameters: swaggerParameters(operation.parameters) }];
  });
  return [path, Object.fromEntries(fields)];
}

function swaggerParameters(parameters: unknown): unknown {
  if (!Array.isArray(parameters)) return parameters;
  return parameters.map(({ schema, ...parameter }: Parameter) => ({ ...parameter, ...schema }));
}

function itemsOf(kind: ResourceKind): Record<string, PathItem> {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${apiVersionOf(kind)}`;
  const namespaced = kind.scope === "Namespaced";
  const base = namespaced ? `${root}/namespaces/{namespace}/${kind.plural}` : `${root}/${kind.plural}`;
  const shared = namespaced ? [inPath("namespace"), pretty] : [pretty];
  const paths: Record<string, PathItem> = {
    [base]: { ...operations(kind, kind, kind.verbs, onCollection), parameters: shared },
    [`${base}/{name}`]: {
      ...operations(kind, kind, kind.verbs, onObject),
      parameters: [inPath("name"), ...shared],
    },
  };
  if (namespaced)
    paths[`${root}/${kind.plural}`] = operations(
      kind,
      kind,
      ["list"].filter((verb) => kind.verbs.includes(verb)),
      onCollection,
    );
  for (const { name, verbs, kind: shown } of kind.subresources.values()) {
    const gvk = shown.version === "" ? { ...kind, kind: shown.kind } : shown;
    paths[`${base}/{name}/${name}`] = {
      ...operations(kind, gvk, verbs, onObject),
      parameters: [inPath("name"), ...shared],
    };
  }
  return paths;
}

function operations(
  kind: ResourceKind,
  gvk: { group: string; version: string; kind: string },
  verbs: readonly string[],
  known: Readonly<Record<string, Verb>>,
): PathItem {
  const item: PathItem = {};
  for (const verb of verbs) {
    const found = known[verb];
    if (!found) continue;
    const { method, action, parameters } = found;
    item[method] = {
      operationId: `${verb}${kind.group}${kind.version}${kind.scope}${gvk.kind}`,
      parameters,
      responses: { "200": { description: "OK" }, "401": { description: "Unauthorized" } },
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group: gvk.group, version: gvk.version, kind: gvk.kind },
    };
  }
  return item;
}
