// OpenAPI documents, made when asked for and kept until a resource comes or goes.
import { createHash } from "node:crypto";
import { apiVersionOf, type GroupVersion } from "@kubewright/api";
import type { Registry } from "../registry/registry.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { componentSchemas } from "./component-schemas.js";
import { pathsOf } from "./paths.js";

export interface OpenApiDocument {
  readonly document: unknown;
  /** Changes when the document does. */
  readonly hash: string;
}

const info = { title: "Kubernetes", version: "v1.36.4" };

export class OpenApiDocuments {
  readonly #registry: Registry;
  #generation = -1;
  readonly #cache = new Map<string, OpenApiDocument>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** `/openapi/v3`: where the document of each group version is, with its hash. */
  index(): OpenApiDocument {
    return this.#cached("index", () => {
      const paths: Record<string, unknown> = {};
      for (const gv of this.#groupVersions()) {
        const path = gv.group === "" ? `api/${gv.version}` : `apis/${apiVersionOf(gv)}`;
        paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${this.#hashOf(gv)}` };
      }
      return { paths };
    });
  }

  /** The v3 document of a group version; undefined when it has no resources. */
  groupVersion(gv: GroupVersion): OpenApiDocument | undefined {
    const kinds = this.#kindsOf(gv);
    if (kinds.length === 0) return undefined;
    return this.#cached(apiVersionOf(gv), () => ({
      openapi: "3.0.0",
      info,
      paths: Object.assign({}, ...kinds.map(pathsOf)),
      components: { schemas: componentSchemas(gv, kinds) },
    }));
  }

  /** `/openapi/v2`: everything in one Swagger document. */
  swagger(): OpenApiDocument {
    return this.#cached("v2", () => {
      const schemas = Object.assign(
        {},
        ...this.#groupVersions().map((gv) => componentSchemas(gv, this.#kindsOf(gv))),
      );
      const definitions = JSON.parse(
        JSON.stringify(schemas).replaceAll("#/components/schemas/", "#/definitions/"),
        withoutNewKeywords,
      );
      const paths = Object.assign({}, ...[...this.#registry.all()].map(pathsOf));
      return { swagger: "2.0", info, paths, definitions };
    });
  }

  #cached(key: string, make: () => unknown): OpenApiDocument {
    if (this.#generation !== this.#registry.generation) {
      this.#cache.clear();
      this.#generation = this.#registry.generation;
    }
    let found = this.#cache.get(key);
    if (!found) {
      const document = make();
      found = {
        document,
        hash: createHash("sha256").update(JSON.stringify(document)).digest("hex").toUpperCase(),
      };
      this.#cache.set(key, found);
    }
    return found;
  }

  /** Cheaper than the document itself: built-in groups never change, custom ones only with their definitions. */
  #hashOf(gv: GroupVersion): string {
    const kinds = this.#kindsOf(gv);
    const content = kinds.map((kind) => [kind.plural, kind.openApi ?? null, [...kind.subresources.keys()]]);
    return createHash("sha256")
      .update(JSON.stringify([info.version, content]))
      .digest("hex")
      .toUpperCase();
  }

  #kindsOf({ group, version }: GroupVersion): ResourceKind[] {
    return [...this.#registry.all()].filter((kind) => kind.group === group && kind.version === version);
  }

  #groupVersions(): GroupVersion[] {
    const found = new Map<string, GroupVersion>();
    for (const { group, version } of this.#registry.all())
      found.set(apiVersionOf({ group, version }), { group, version });
    return [...found.values()];
  }
}

/** Swagger 2.0 knows neither `nullable` nor `oneOf`, and wraps no references in `allOf`. */
function withoutNewKeywords(key: string, value: unknown): unknown {
  if (key === "nullable" || key === "oneOf" || key === "anyOf" || key === "not") return undefined;
  if (
    typeof value === "object" &&
    value !== null &&
    "allOf" in value &&
    Array.isArray(value.allOf) &&
    value.allOf.length === 1
  ) {
    const { allOf, ...rest } = value;
    return { ...rest, ...allOf[0] };
  }
  return value;
}
