// OpenAPI documents, made on request. Each group version has parts of its own, which are made anew only when its resources change.
import { createHash } from "node:crypto";
import { apiVersionOf, type GroupVersion, stringifyJson } from "@kubewright/api";
import type { GroupVersionKinds, Registry } from "../registry/registry.js";
import { TimeSlice } from "../time-slice.js";
import {
  componentSchemas,
  customSchemas,
  nativeSchemas,
  openApiOf,
  sharedSchemas,
} from "./component-schemas.js";
import type { Json } from "./custom-schema.js";
import { type Descriptions, loadDescriptions } from "./descriptions.js";
import { discoveryOperation, operationsOf, type Paths } from "./operations.js";
import { swaggerParameters, swaggerPaths, v3Paths } from "./paths.js";
import { type ServerDocument, serverDocuments } from "./server-documents.js";
import { mergedSwagger, type SwaggerPart } from "./swagger-part.js";
import { type KnownEncodings, swaggerProtobuf } from "./swagger-protobuf.js";
import { customSwaggerSchema, nativeSwaggerSchemas } from "./swagger-schema.js";

export interface OpenApiDocument {
  readonly document: unknown;
  /** Changes when the document does. */
  readonly hash: string;
}

/** The Swagger document, which clients also ask for in protobuf. */
export interface SwaggerDocument extends OpenApiDocument {
  readonly protobuf: () => Uint8Array;
}

/** The cached parts of a group version, until it changes. */
interface Parts {
  readonly generation: number;
  readonly hash: string;
  v3?: unknown;
  swagger?: SwaggerPart;
}

/** The documents of extension API servers. */
export interface Aggregation {
  readonly generation: number;
  remoteGroupVersions(): Iterable<GroupVersion & { readonly openApiHash?: string | undefined }>;
  remoteSwaggers(): readonly { readonly etag: string; readonly part: SwaggerPart }[];
}

const info = { title: "Kubernetes", version: "1.36" };

const bearerToken = {
  type: "apiKey",
  description: "Bearer Token authentication",
  name: "authorization",
  in: "header",
};

export class OpenApiDocuments {
  readonly #registry: Registry;
  readonly #aggregation: Aggregation;
  readonly #parts = new WeakMap<GroupVersionKinds, Parts>();
  #descriptions: Promise<Descriptions> | undefined;
  readonly #encodings: KnownEncodings = new WeakMap();
  #index: (OpenApiDocument & { readonly generation: number }) | undefined;
  #swagger: (SwaggerDocument & { readonly generation: number }) | undefined;

  constructor(registry: Registry, aggregation: Aggregation) {
    this.#registry = registry;
    this.#aggregation = aggregation;
  }

  /** `/openapi/v3`: where the document of each group version is, with its hash. */
  async index(): Promise<OpenApiDocument> {
    const words = await this.#load();
    const generation = this.#registry.generation + this.#aggregation.generation;
    if (this.#index?.generation === generation) return this.#index;
    const paths: Record<string, unknown> = {};
    for (const entry of [...this.#registry.groupVersions()]) {
      const path = pathOf(entry);
      const { hash } = this.#partsOf(entry, words);
      paths[path.slice("/openapi/v3/".length)] = { serverRelativeURL: `${path}?hash=${hash}` };
    }
    for (const [name, { paths: operations, schemas }] of this.#serverDocuments()) {
      const hash = hashOf(stringifyJson(v3Document(operations, schemas)));
      paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` };
    }
    for (const { openApiHash, ...gv } of this.#aggregation.remoteGroupVersions()) {
      const path = pathOf(gv);
      const key = path.slice("/openapi/v3/".length);
      if (openApiHash === undefined) delete paths[key];
      else paths[key] = { serverRelativeURL: `${path}?hash=${openApiHash}` };
    }
    const document = { paths: Object.fromEntries(Object.entries(paths).sort(byName)) };
    this.#index = { generation, document, hash: hashOf(stringifyJson(document)) };
    return this.#index;
  }

  /** The v3 document of a group version; undefined when it has no resources. */
  async groupVersion({ group, version }: GroupVersion): Promise<OpenApiDocument | undefined> {
    const words = await this.#load();
    const entry = this.#registry.groupVersion(group, version);
    if (!entry) return undefined;
    const parts = this.#partsOf(entry, words);
    const isCustom = [...entry.kinds.values()].every((kind) => kind.custom);
    const make = isCustom ? customDocument : v3Document;
    parts.v3 ??= make(operationsOfAll(entry), componentSchemas(entry, words));
    return { document: parts.v3, hash: parts.hash };
  }

  /** The v3 document of paths that belong to no group version, such as `apis/apps` and `version`. */
  ofServer(name: string): OpenApiDocument | undefined {
    const found = this.#serverDocuments().get(name);
    if (!found) return undefined;
    const document = v3Document(found.paths, found.schemas);
    return { document, hash: hashOf(stringifyJson(document)) };
  }

  #serverDocuments(): ReadonlyMap<string, ServerDocument> {
    const groups = new Set<string>();
    for (const { group, kinds } of this.#registry.groupVersions())
      if (group !== "" && [...kinds.values()].some((kind) => !kind.custom)) groups.add(group);
    return serverDocuments([...groups]);
  }

  /** `/openapi/v2`: everything in one Swagger document, also what servers behind this one say of theirs. */
  async swagger(): Promise<SwaggerDocument> {
    const words = await this.#load();
    const generation = this.#registry.generation + this.#aggregation.generation;
    if (this.#swagger?.generation === generation) return this.#swagger;
    const entries = [...this.#registry.groupVersions()];
    const own = { paths: {}, definitions: {}, parameters: {} };
    const tags: string[] = [];
    const slice = new TimeSlice();
    for (const entry of entries) {
      const { hash, paths, definitions, parameters } = this.#swaggerPart(entry, words);
      Object.assign(own.paths, paths);
      Object.assign(own.definitions, definitions);
      Object.assign(own.parameters, parameters);
      tags.push(hash);
      await slice.yieldIfOver();
    }
    for (const { paths, schemas } of this.#serverDocuments().values()) {
      Object.assign(own.paths, swaggerPaths(paths));
      Object.assign(own.definitions, nativeSwaggerSchemas(schemas));
    }
    const others = this.#aggregation.remoteSwaggers();
    const all = others.reduce<SwaggerPart>((sum, { part }) => mergedSwagger(sum, part), own);
    const security = { securityDefinitions: { BearerToken: bearerToken }, security: [{ BearerToken: [] }] };
    const document = { swagger: "2.0", info, ...all, ...security };
    const hash = hashOf([...tags, ...others.map(({ etag }) => etag)].join());
    const encodings = this.#encodings;
    let encoded: Uint8Array | undefined;
    const protobuf = (): Uint8Array => {
      encoded ??= swaggerProtobuf(document, encodings);
      return encoded;
    };
    this.#swagger = { generation, document, hash, protobuf };
    return this.#swagger;
  }

  #load(): Promise<Descriptions> {
    this.#descriptions ??= loadDescriptions();
    return this.#descriptions;
  }

  #partsOf(entry: GroupVersionKinds, words: Descriptions): Parts {
    const kept = this.#parts.get(entry);
    if (kept?.generation === entry.generation) return kept;
    const { generation } = entry;
    const parts = { generation, hash: contentHash(entry, words) };
    this.#parts.set(entry, parts);
    return parts;
  }

  #swaggerPart(entry: GroupVersionKinds, words: Descriptions): SwaggerPart & { readonly hash: string } {
    const parts = this.#partsOf(entry, words);
    if (!parts.swagger) {
      const operations = operationsOfAll(entry);
      parts.swagger = {
        paths: swaggerPaths(operations),
        definitions: swaggerDefinitions(entry, words),
        parameters: swaggerParameters(operations),
      };
    }
    return { ...parts.swagger, hash: parts.hash };
  }
}

/** Where the v3 document of a group version is. */
export const pathOf = (gv: GroupVersion): string =>
  `/openapi/v3/${gv.group === "" ? `api/${gv.version}` : `apis/${apiVersionOf(gv)}`}`;

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const hashOf = (text: string): string => createHash("sha512").update(text).digest("hex").toUpperCase();

/** Of all that the documents of a group version follow from, which is far less than they hold. */
function contentHash({ group, version, kinds }: GroupVersionKinds, words: Descriptions): string {
  const hash = createHash("sha512");
  hash.update(stringifyJson([info.version, words.version, group, version]));
  for (const kind of [...kinds.values()]) {
    const names = [kind.plural, kind.kind, kind.listKind, kind.scope, [...kind.subresources.keys()]];
    hash.update(stringifyJson(names));
    hash.update(stringifyJson([kind.openApi ?? null, kind.strategy.selectableFields ?? []]));
  }
  return hash.digest("hex").toUpperCase();
}

/** Go's decoder knows no empty list of schemas: a document that has one would change on its way through it. */
function v3Document(paths: Paths, schemas: Json): unknown {
  const own = Object.keys(schemas).length === 0 ? {} : { schemas };
  const components = { ...own, securitySchemes: { BearerToken: bearerToken } };
  return { openapi: "3.0.0", info, paths: v3Paths(paths), components };
}

/** Documents of custom resources have a head of their own, and no word of credentials. */
const customDocument = (paths: Paths, schemas: Json): unknown => ({
  openapi: "3.0.0",
  info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
  paths: v3Paths(paths),
  components: { schemas },
});

/** Custom resources have no document of discovery of their own in kube-apiserver. */
function operationsOfAll(entry: GroupVersionKinds): Paths {
  const kinds = [...entry.kinds.values()];
  const paths = kinds.some((kind) => !kind.custom) ? discoveryOperation(entry) : {};
  for (const kind of kinds) Object.assign(paths, operationsOf(kind));
  return paths;
}

function swaggerDefinitions(entry: GroupVersionKinds, words: Descriptions): Json {
  const kinds = [...entry.kinds.values()];
  const custom = kinds.filter((kind) => kind.custom);
  const native = {
    ...(custom.length < kinds.length ? nativeSchemas(entry, words) : {}),
    ...(custom.length > 0 ? sharedSchemas(custom, words) : {}),
  };
  const definitions: Record<string, unknown> = { ...nativeSwaggerSchemas(native) };
  for (const kind of custom) {
    const schema = customSwaggerSchema(openApiOf(kind), words.object);
    Object.assign(definitions, customSchemas(kind, schema, words, "#/definitions/"));
  }
  return definitions;
}
