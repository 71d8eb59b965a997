// A definition at run time: the descriptor of one version with its schema.
import { apiVersionOf, type CustomResourceDefinition } from "@kubewright/api";
import { LocalSchema } from "./local-schema.js";
import { pluralOf } from "./plural.js";
import type { ResourceDefinition } from "./resource-definition.js";
import type { CrdOptions, ResourceNames } from "./resource-options.js";
import { singularOf } from "./singular.js";
import type { ConvertedVersion } from "./version-schema.js";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** The definition of one version. */
export function createDefinition(
  names: ResourceNames<string, string, string>,
  { version, schema }: ConvertedVersion,
  crd: (options?: CrdOptions) => CustomResourceDefinition,
): ResourceDefinition<unknown, unknown, object> {
  const { group, kind } = names;
  const gvk = { group, version: version.name, kind };
  const local = new LocalSchema(gvk, schema);
  return {
    ...gvk,
    apiVersion: apiVersionOf(gvk),
    plural: names.plural ?? pluralOf(kind),
    singular: names.singular ?? singularOf(kind, group),
    scope: names.scope ?? "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    subresources: ["status", "scale"].filter((name) => Object.hasOwn(version.subresources ?? {}, name)),
    schema,
    versions: {},
    crd,
    validate: (object, old) => local.validate(object, old),
    default: (object) => local.default(object),
    parse: (object) => local.parse(object),
  };
}
