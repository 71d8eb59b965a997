// Built-in types as schemas, so that they embed in a custom resource as they do in Go.
import type { JSONSchemaProps } from "@kubewright/api";
import { embeddedSchema } from "@kubewright/api/type-info";
import { type KubeSchema, rawSchema } from "./raw-schema.js";

/**
 * The schema of a built-in type by its full name, with the list keys it has in Kubernetes. Nothing is looked up before
 * the CustomResourceDefinition is made.
 *
 * @example
 * kube.type<NodeSelector>("io.k8s.api.core.v1.NodeSelector")
 */
export function builtin<T>(name: string): KubeSchema<T> {
  let schema: JSONSchemaProps | undefined;
  return rawSchema<T>(() => {
    schema ??= embeddedSchema(name);
    return schema;
  });
}
