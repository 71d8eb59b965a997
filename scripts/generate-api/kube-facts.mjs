// Reads what a Kubernetes API server publishes about itself: schemas, discovery documents, protobuf fields.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {Record<string, unknown> & { properties?: Record<string, Schema>, items?: Schema }} Schema
 */

/** Loads everything below `directory`; nothing is changed or dropped. */
export function loadKubeFacts(directory) {
  const read = (...path) => JSON.parse(readFileSync(join(directory, ...path), "utf8"));
  const documents = readdirSync(join(directory, "schemas"))
    .sort()
    .map((file) => {
      const [group, version] = file.replace(/\.json$/, "").split("__");
      return { group: group === "core" ? "" : group, version, schemas: read("schemas", file) };
    });
  return {
    documents,
    schemas: distinctSchemas(documents),
    discovery: [...read("discovery-api.json").items, ...read("discovery-apis.json").items],
    messages: read("protobuf-fields.json"),
  };
}

/** Every schema once, by name. Shared ones are the same in every document, but for the kinds they list. */
function distinctSchemas(documents) {
  const schemas = new Map();
  for (const document of documents) {
    for (const [name, schema] of Object.entries(document.schemas)) {
      if (!schemas.has(name)) schemas.set(name, schema);
    }
  }
  return new Map([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const refPrefix = "#/components/schemas/";

/** The schema that a place refers to, directly or through the `allOf` that carries its default. */
export function referenceOf(schema) {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref === undefined ? undefined : ref.slice(refPrefix.length);
}

/** `Deployment` of `io.k8s.api.apps.v1.Deployment`. */
export function shortName(schemaName) {
  return schemaName.slice(schemaName.lastIndexOf(".") + 1);
}

/** The generated module a type lives in: `apps-v1`; everything of the API machinery is in `meta-v1`. */
export function moduleOf(schemaName) {
  if (schemaName.startsWith("io.k8s.apimachinery.")) return "meta-v1";
  const [version, group] = schemaName.split(".").reverse().slice(1);
  return `${group}-${version}`;
}
