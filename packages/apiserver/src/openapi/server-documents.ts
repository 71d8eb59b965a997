// The OpenAPI paths that belong to no group version: discovery, the version, and the keys that verify service account tokens.
import type { Json } from "./custom-schema.js";
import { discoverySchemas } from "./discovery-schemas.js";
import { documentOperation, groupNames, type Operation, type Paths } from "./operations.js";

export interface ServerDocument {
  readonly paths: Paths;
  readonly schemas: Json;
}

const versionInfo = "io.k8s.apimachinery.pkg.version.Info";

/** By the name of the document, which is its path. */
export function serverDocuments(groups: readonly string[]): ReadonlyMap<string, ServerDocument> {
  const one = (path: string, operation: Operation, kind = ""): ServerDocument => ({
    paths: { [path]: [operation] },
    schemas: discoverySchemas[kind] ?? {},
  });
  const discovery = (path: string, id: string, tag: string, kind: string): ServerDocument =>
    one(path, documentOperation(id, tag, "Says what this server has.", kind), kind);
  const documents = new Map([
    ["api", discovery("/api/", "getCoreAPIVersions", "core", "APIVersions")],
    ["apis", discovery("/apis/", "getAPIVersions", "apis", "APIGroupList")],
    ["version", one("/version/", versionOperation, "Info")],
    [".well-known/openid-configuration", one("/.well-known/openid-configuration/", issuerOperation)],
    ["openid/v1/jwks", one("/openid/v1/jwks/", keysOperation)],
  ]);
  for (const group of groups) {
    const { name, tag } = groupNames(group);
    documents.set(`apis/${group}`, discovery(`/apis/${group}/`, `get${name}APIGroup`, tag, "APIGroup"));
  }
  return documents;
}

const plain = { method: "get", parameters: [] } as const;

const versionOperation: Operation = {
  ...plain,
  id: "getCodeVersion",
  tag: "version",
  description: "Says which version of Kubernetes this is.",
  answers: { 200: versionInfo },
  consumes: ["application/json"],
  produces: ["application/json"],
};

const issuerOperation: Operation = {
  ...plain,
  id: "getServiceAccountIssuerOpenIDConfiguration",
  tag: "WellKnown",
  description: "Says where the keys for tokens of service accounts are.",
  answers: { 200: "text" },
  produces: ["application/json"],
};

const keysOperation: Operation = {
  ...plain,
  id: "getServiceAccountIssuerOpenIDKeyset",
  tag: "openid",
  description: "Shows the keys that verify tokens of service accounts.",
  answers: { 200: "text" },
  produces: ["application/jwk-set+json"],
};
