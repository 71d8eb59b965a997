// OpenAPI documents, made when asked for. Each group version has parts of its own, made anew only when its resources change.
import { createHash } from "node:crypto";
import { apiVersionOf, type GroupVersion } from "@kubewright/api";
import type { Aggregator } from "../aggregation/aggregator.js";
import type { GroupVersionKinds, Registry } from "../registry/registry.js";
import {
  componentSchemas,
  customSchemas,
  nativeSchemas,
  openApiOf,
  sharedSchemas,
} from "./component-schemas.js";
import type { Json } from "./custom-schema.js";
import { pathsOf } from "./paths.js";
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

/** What is kept of a group version, until it changes. */
interface Parts {
  readonly generation: number;
  readonly hash: string;
  v3?: unknown;
  swagger?: { readonly paths: Json; readonly definitions: Json };
}

/** What servers behind this one have. */
export type Aggregation = Pick<Aggregator, "generation" | "remoteGroupVersions" | "remoteSwaggers">;

const info = { title: "Kubernetes", version: "v1.36.4" };

export class OpenApiDocuments {
  readonly #registry: Registry;
  readonly #aggregation: Aggregation;
  readonly #parts = new WeakMap<GroupVersionKinds, Parts>();
  readonly #encodings: KnownEncodings = new WeakMap();
  #index: (OpenApiDocument & { readonly generation: number }) | undefined;
  #swagger: (SwaggerDocument & { readonly generation: number }) | undefined;

  constructor(registry: Registry, aggregation: Aggregation) {
    this.#registry = registry;
    this.#aggregation = aggregation;
  }

  /** `/openapi/v3`: where the document of each group version is, with its hash. */
  index(): OpenApiDocument {
    const generation = this.#registry.generation + this.#aggregation.generation;
    if (this.#index?.generation === generation) return this.#index;
    const paths: Record<string, unknown> = {};
    for (const entry of this.#registry.groupVersions()) {
      const path = pathOf(entry);
      paths[path.slice("/openapi/v3/".length)] = {
        serverRelativeURL: `${path}?hash=${this.#partsOf(entry).hash}`,
      };
    }
    for (const { openApiHash, ...gv } of this.#aggregation.remoteGroupVersions()) {
      const path = pathOf(gv);
      const key = path.slice("/openapi/v3/".length);
      if (openApiHash === undefined) delete paths[key];
      else paths[key] = { serverRelativeURL: `${path}?hash=${openApiHash}` };
    }
    const document = { paths };
    this.#index = { generation, document, hash: hashOf(JSON.stringify(document)) };
    return this.#index;
  }

  /** The v3 document of a group version; undefined when it has no resources. */
  groupVersion({ group, version }: GroupVersion): OpenApiDocument | undefined {
    const entry = this.#registry.groupVersion(group, version);
    if (!entry) return undefined;
    const parts = this.#partsOf(entry);
    parts.v3 ??= {
      openapi: "3.0.0",
      info,
      paths: Object.assign({}, ...[...entry.kinds.values()].map((kind) => pathsOf(kind))),
      components: { schemas: componentSchemas(entry) },
    };
    return { document: parts.v3, hash: parts.hash };
  }

  /** `/openapi/v2`: everything in one Swagger document, also what servers behind this one say of theirs. */
  swagger(): SwaggerDocument {
    const generation = this.#registry.generation + this.#aggregation.generation;
    if (this.#swagger?.generation === generation) return this.#swagger;
    const entries = [...this.#registry.groupVersions()];
    const parts = entries.map((entry) => this.#swaggerPart(entry));
    const own: SwaggerPart = {
      paths: Object.assign({}, ...parts.map(({ paths }) => paths)),
      definitions: Object.assign({}, ...parts.map(({ definitions }) => definitions)),
      parameters: {},
    };
    const others = this.#aggregation.remoteSwaggers();
    const { parameters, ...all } = others.reduce((sum, { part }) => mergedSwagger(sum, part), own);
    const document = {
      swagger: "2.0",
      info,
      ...all,
      ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
    };
    const tags = [...entries.map((entry) => this.#partsOf(entry).hash), ...others.map(({ etag }) => etag)];
    const hash = hashOf(tags.join());
    let encoded: Uint8Array | undefined;
    const protobuf = (): Uint8Array => {
      encoded ??= swaggerProtobuf(document, this.#encodings);
      return encoded;
    };
    this.#swagger = { generation, document, hash, protobuf };
    return this.#swagger;
  }

  #partsOf(entry: GroupVersionKinds): Parts {
    const kept = this.#parts.get(entry);
    if (kept?.generation === entry.generation) return kept;
    const parts = { generation: entry.generation, hash: hashOf(contentOf(entry)) };
    this.#parts.set(entry, parts);
    return parts;
  }

  #swaggerPart(entry: GroupVersionKinds): NonNullable<Parts["swagger"]> {
    const parts = this.#partsOf(entry);
    parts.swagger ??= {
      paths: Object.assign({}, ...[...entry.kinds.values()].map((kind) => pathsOf(kind, "swagger"))),
      definitions: swaggerDefinitions(entry),
    };
    return parts.swagger;
  }
}

/** Where the v3 document of a group version is. */
export const pathOf = (gv: GroupVersion): string =>
  `/openapi/v3/${gv.group === "" ? `api/${gv.version}` : `apis/${apiVersionOf(gv)}`}`;

const hashOf = (text: string): string => createHash("sha512").update(text).digest("hex").toUpperCase();

/** All that the documents of a group version follow from, and far less than they hold. */
function contentOf({ group, version, kinds }: GroupVersionKinds): string {
  const content = [...kinds.values()].map((kind) => [
    kind.plural,
    kind.kind,
    kind.listKind,
    kind.scope,
    kind.openApi ?? null,
    [...kind.subresources.keys()],
  ]);
  return JSON.stringify([info.version, group, version, content]);
}

function swaggerDefinitions(entry: GroupVersionKinds): Json {
  const kinds = [...entry.kinds.values()];
  const custom = kinds.filter((kind) => kind.custom);
  const native = {
    ...(custom.length < kinds.length ? nativeSchemas(entry) : {}),
    ...(custom.length > 0 ? sharedSchemas(custom) : {}),
  };
  const own = custom.map((kind) =>
    customSchemas(kind, customSwaggerSchema(openApiOf(kind)), "#/definitions/"),
  );
  return Object.assign({}, nativeSwaggerSchemas(native), ...own);
}
