// The operations of a resource: what OpenAPI documents say of them, in any version of OpenAPI.
import { apiVersionOf, type GroupVersion, type GroupVersionKind } from "@kubewright/api";
import { schemaNameOf } from "@kubewright/api/type-info";
import type { ResourceKind, Subresource } from "../registry/resource-kind.js";
import { schemaName } from "./component-schemas.js";
import {
  nameInPath,
  namespaceInPath,
  ofCollectionDeletes,
  ofConnections,
  ofDeletes,
  ofLists,
  ofLogs,
  ofPatches,
  ofWrites,
  type Parameter,
  pretty,
  resourceVersion,
  restOfPath,
} from "./operation-parameters.js";

export interface Operation {
  readonly method: string;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** The schema of the body, and the types it may have. */
  readonly body?: { readonly schema: string; readonly types: readonly string[]; readonly required: boolean };
  /** The schema of the answer, by status; text where it is none. */
  readonly answers: Readonly<Record<number, string | "text">>;
  readonly produces: readonly string[];
  readonly consumes?: readonly string[];
  readonly action?: string;
  readonly gvk?: GroupVersionKind;
}

export type Paths = Record<string, Operation[]>;

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const json = "application/json";
const yaml = "application/yaml";
const protobuf = "application/vnd.kubernetes.protobuf";
const objectTypes = [json, yaml, protobuf];
const listTypes = [...objectTypes, `${json};stream=watch`, `${protobuf};stream=watch`];
const patchTypes = ["application/json-patch+json", "application/merge-patch+json"];
const strategic = "application/strategic-merge-patch+json";
const apply = "application/apply-patch+yaml";

/** All paths of a kind, with its subresources. */
export function operationsOf(kind: ResourceKind): Paths {
  return new KindOperations(kind).paths();
}

/** The path that lists the resources of a group version. */
export function discoveryOperation(gv: GroupVersion): Paths {
  const { names, tag } = namesOf(gv);
  return {
    [`${rootOf(gv)}/`]: [
      documentOperation(`get${names}APIResources`, tag, "Lists the resources.", "APIResourceList"),
    ],
  };
}

/** A document of discovery. */
export const documentOperation = (id: string, tag: string, description: string, kind: string): Operation => ({
  method: "get",
  id,
  tag,
  description,
  parameters: [],
  answers: { 200: `${meta}.${kind}` },
  produces: objectTypes,
  consumes: objectTypes,
});

const rootOf = (gv: GroupVersion): string =>
  gv.group === "" ? `/api/${gv.version}` : `/apis/${apiVersionOf(gv)}`;

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** How a group is called in identifiers: `RbacAuthorization`, and `rbacAuthorization` in tags. */
export function groupNames(group: string): { readonly name: string; readonly tag: string } {
  if (group === "") return { name: "Core", tag: "core" };
  const name = group
    .replace(/\.k8s\.io$/, "")
    .split(/[.-]/)
    .map(capital)
    .join("");
  return { name, tag: name.slice(0, 1).toLowerCase() + name.slice(1) };
}

function namesOf({ group, version }: GroupVersion): { readonly names: string; readonly tag: string } {
  const { name, tag } = groupNames(group);
  return { names: name + capital(version), tag: `${tag}_${version}` };
}

/** The fields of an operation besides those that all of a kind share. */
type Particulars = Pick<Operation, "method" | "id" | "description" | "parameters" | "answers"> &
  Partial<Operation>;

class KindOperations {
  readonly #kind: ResourceKind;
  readonly #names: string;
  readonly #tag: string;
  readonly #root: string;
  readonly #isNamespaced: boolean;
  /** The schema of the kind and of its list. */
  readonly #schema: string;
  readonly #list: string;
  readonly #produces: readonly string[];
  readonly #consumes: readonly string[];

  constructor(kind: ResourceKind) {
    this.#kind = kind;
    const { names, tag } = namesOf(kind);
    this.#names = names;
    this.#tag = tag;
    this.#root = rootOf(kind);
    this.#isNamespaced = kind.scope === "Namespaced";
    this.#schema = schemaOf(kind, kind.custom);
    this.#list = schemaOf({ ...kind, kind: kind.listKind }, kind.custom);
    this.#produces = kind.custom ? [json, yaml] : objectTypes;
    this.#consumes = kind.custom ? [json, yaml] : ["*/*"];
  }

  paths(): Paths {
    const { plural } = this.#kind;
    const base = this.#isNamespaced
      ? `${this.#root}/namespaces/{namespace}/${plural}`
      : `${this.#root}/${plural}`;
    const paths: Paths = {
      [base]: this.#onCollection(),
      [`${base}/{name}`]: this.#onObject(this.#kind, this.#schema, this.#kind.verbs, ""),
    };
    if (this.#isNamespaced && this.#can("list")) paths[`${this.#root}/${plural}`] = [this.#listAll()];
    if (this.#can("watch") && !this.#kind.custom) Object.assign(paths, this.#watches());
    for (const subresource of this.#kind.subresources.values())
      Object.assign(paths, this.#onSubresource(`${base}/{name}/${subresource.name}`, subresource));
    return Object.fromEntries(Object.entries(paths).filter(([, operations]) => operations.length > 0));
  }

  #can(verb: string): boolean {
    return this.#kind.verbs.includes(verb);
  }

  get #scope(): string {
    return this.#isNamespaced ? "Namespaced" : "";
  }

  #id(verb: string, rest: string): string {
    return `${verb}${this.#names}${rest}`;
  }

  readonly #place = (named: boolean): Parameter[] => [
    ...(this.#isNamespaced ? [namespaceInPath] : []),
    ...(named ? [nameInPath(this.#kind.kind)] : []),
    pretty,
  ];

  #operation(action: string, more: Particulars, gvk: GroupVersionKind = this.#kind): Operation {
    const { group, version, kind } = gvk;
    return {
      tag: this.#tag,
      produces: this.#produces,
      consumes: this.#consumes,
      action,
      gvk: { group, version, kind },
      ...more,
    };
  }

  #onCollection(): Operation[] {
    const { kind, custom } = this.#kind;
    const operations: Operation[] = [];
    const place = this.#place(false);
    if (this.#can("list"))
      operations.push(
        this.#operation("list", {
          method: "get",
          id: this.#id("list", `${this.#scope}${kind}`),
          description: `Lists or watches objects of kind ${kind}.`,
          parameters: [...place, ...ofLists],
          answers: { 200: this.#list },
          produces: custom ? this.#produces : listTypes,
        }),
      );
    if (this.#can("create")) operations.push(this.#create(place, this.#kind, this.#schema, ""));
    if (this.#can("deletecollection"))
      operations.push(
        this.#operation("deletecollection", {
          method: "delete",
          id: this.#id("delete", `Collection${this.#scope}${kind}`),
          description: `Deletes a collection of ${kind}.`,
          parameters: [...place, ...(custom ? ofLists : ofCollectionDeletes)],
          answers: { 200: `${meta}.Status` },
          ...(custom ? {} : { body: this.#body(`${meta}.DeleteOptions`, false) }),
        }),
      );
    return operations;
  }

  #create(place: readonly Parameter[], gvk: GroupVersionKind, schema: string, suffix: string): Operation {
    return this.#operation(
      "post",
      {
        method: "post",
        id: this.#id("create", `${this.#scope}${this.#kind.kind}${suffix}`),
        description:
          suffix === ""
            ? `Creates a ${gvk.kind}.`
            : `Creates the ${suffix.toLowerCase()} of a ${this.#kind.kind}.`,
        parameters: [...place, ...ofWrites],
        body: this.#body(schema, true),
        answers: { 200: schema, 201: schema, 202: schema },
      },
      gvk,
    );
  }

  #body(schema: string, required: boolean): NonNullable<Operation["body"]> {
    return { schema, types: this.#consumes, required };
  }

  /** The operations of an object, or of a subresource that shows it. */
  #onObject(gvk: GroupVersionKind, schema: string, verbs: readonly string[], suffix: string): Operation[] {
    const { kind, custom } = this.#kind;
    const place = this.#place(true);
    const what = suffix === "" ? `the ${kind}` : `the ${suffix.toLowerCase()} of the ${kind}`;
    const named = `${this.#scope}${kind}${suffix}`;
    const operations: Operation[] = [];
    const add = (action: string, more: Particulars): void =>
      void operations.push(this.#operation(action, more, gvk));
    if (verbs.includes("get"))
      add("get", {
        method: "get",
        id: this.#id("read", named),
        description: `Reads ${what}.`,
        parameters: [...place, ...(custom ? [resourceVersion] : [])],
        answers: { 200: schema },
      });
    if (verbs.includes("update"))
      add("put", {
        method: "put",
        id: this.#id("replace", named),
        description: `Replaces ${what}.`,
        parameters: [...place, ...ofWrites],
        body: this.#body(schema, true),
        answers: { 200: schema, 201: schema },
      });
    if (verbs.includes("delete") && suffix === "")
      add("delete", {
        method: "delete",
        id: this.#id("delete", named),
        description: `Deletes ${what}.`,
        parameters: [...place, ...ofDeletes],
        body: this.#body(`${meta}.DeleteOptions`, false),
        answers: this.#deleted(),
      });
    if (verbs.includes("patch")) {
      const types = custom ? [...patchTypes, apply] : [...patchTypes, strategic, apply];
      add("patch", {
        method: "patch",
        id: this.#id("patch", named),
        description: `Changes parts of ${what}.`,
        parameters: [...place, ...ofPatches],
        body: { schema: `${meta}.Patch`, types, required: true },
        answers: custom ? { 200: schema } : { 200: schema, 201: schema },
        consumes: types,
      });
    }
    return operations;
  }

  #deleted(): Operation["answers"] {
    const answer = this.#kind.strategy.returnsDeleted && !this.#kind.custom ? this.#schema : `${meta}.Status`;
    return { 200: answer, 202: answer };
  }

  #listAll(): Operation {
    const { kind, custom } = this.#kind;
    return this.#operation("list", {
      method: "get",
      id: this.#id("list", `${kind}ForAllNamespaces`),
      description: `Lists or watches objects of kind ${kind} of all namespaces.`,
      parameters: [pretty, ...ofLists],
      answers: { 200: this.#list },
      produces: custom ? this.#produces : listTypes,
    });
  }

  /** The paths of watches, which the parameter `watch` has replaced. */
  #watches(): Paths {
    const { kind, plural } = this.#kind;
    const watch = (action: string, id: string, parameters: readonly Parameter[]): Operation[] => [
      this.#operation(action, {
        method: "get",
        id: this.#id("watch", id),
        description: `Watches objects of kind ${kind}. Deprecated: use the parameter watch of a list.`,
        parameters: [...parameters, ...ofLists],
        answers: { 200: `${meta}.WatchEvent` },
        produces: listTypes,
      }),
    ];
    const paths: Paths = {};
    const base = this.#isNamespaced
      ? `${this.#root}/watch/namespaces/{namespace}/${plural}`
      : `${this.#root}/watch/${plural}`;
    paths[base] = watch("watchlist", `${this.#scope}${kind}List`, this.#place(false));
    if (this.#can("get"))
      paths[`${base}/{name}`] = watch("watch", `${this.#scope}${kind}`, this.#place(true));
    if (this.#isNamespaced)
      paths[`${this.#root}/watch/${plural}`] = watch("watchlist", `${kind}ListForAllNamespaces`, [pretty]);
    return paths;
  }

  #onSubresource(path: string, subresource: Subresource): Paths {
    const { name, verbs, kind: shown } = subresource;
    const connection = Object.hasOwn(ofConnections, name) ? ofConnections[name] : undefined;
    if (connection) return this.#connections(path, subresource, connection);
    const suffix = capital(name);
    if (name === "log") return { [path]: [this.#log()] };
    const gvk = shown.version === "" ? { ...this.#kind, kind: shown.kind } : shown;
    const schema = shown.kind === this.#kind.kind ? this.#schema : schemaOf(gvk, false);
    // Operations on the scale of a custom resource are said to be about the resource itself.
    const about = this.#kind.custom ? this.#kind : gvk;
    const operations = this.#onObject(about, schema, verbs, suffix);
    if (verbs.includes("create")) operations.push(this.#create(this.#place(true), about, schema, suffix));
    return { [path]: operations };
  }

  #log(): Operation {
    return this.#operation("get", {
      method: "get",
      id: this.#id("read", `${this.#scope}${this.#kind.kind}Log`),
      description: `Reads the log of the ${this.#kind.kind}.`,
      parameters: [...this.#place(true), ...ofLogs],
      answers: { 200: "text" },
      produces: ["text/plain", ...objectTypes],
    });
  }

  #connections(path: string, { name, kind: shown }: Subresource, parameters: readonly Parameter[]): Paths {
    const methods =
      name === "proxy" ? ["get", "put", "post", "delete", "options", "head", "patch"] : ["get", "post"];
    const gvk = { group: "", version: "v1", kind: shown.kind };
    const place = this.#place(true).filter((parameter) => parameter !== pretty);
    const all = (suffix: string, more: readonly Parameter[]): Operation[] =>
      methods.map((method) =>
        this.#operation(
          "connect",
          {
            method,
            id: this.#id(
              "connect",
              `${capital(method)}${this.#scope}${this.#kind.kind}${capital(name)}${suffix}`,
            ),
            description: `Connects ${method.toUpperCase()} requests to ${name} of the ${this.#kind.kind}.`,
            parameters: [...place, ...more],
            answers: { 200: "text" },
            produces: ["*/*"],
            consumes: ["*/*"],
          },
          gvk,
        ),
      );
    if (name !== "proxy") return { [path]: all("", parameters) };
    return { [path]: all("", parameters), [`${path}/{path}`]: all("WithPath", [restOfPath, ...parameters]) };
  }
}

function schemaOf(gvk: GroupVersionKind, isCustom: boolean): string {
  return (isCustom ? undefined : schemaNameOf(gvk)) ?? schemaName(gvk, gvk.kind);
}
