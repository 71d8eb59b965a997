// The CRDs of the operators describe every field: `kubectl explain` and the reference show nothing else.
import type { CustomResourceDefinition, JSONSchemaProps } from "@kubewright/api";
import { isObject } from "@kubewright/api";
import { customKindsOf } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { operators } from "../docs/operators.js";

/** Fields of built-in types: `kubectl explain pod.spec` and the like describe what is in them, and a CRD with all of it would be too large. */
const builtIn =
  /\.(podTemplate|resources|envs?\[\]|containers\[\]|initContainers\[\]|ports\[\]|rules\[\]|tls\[\]|selector|small|medium|large|statefulSet|(limits|requests)\{\})$/;

const definitions = Object.values(operators)
  .flatMap(customKindsOf)
  .map((kind) => kind.crd())
  .flatMap(({ spec, metadata }: CustomResourceDefinition) =>
    spec.versions.map(({ name, schema }) => ({
      crd: metadata?.name,
      version: name,
      schema: schema?.openAPIV3Schema ?? {},
    })),
  );

/** Every field with its path, without those of built-in types and of every object. */
function fieldsOf(schema: JSONSchemaProps, path = ""): readonly (readonly [string, JSONSchemaProps])[] {
  if (builtIn.test(path)) return [];
  const own = Object.entries(schema.properties ?? {}).filter(
    ([name]) => path !== "" || !["apiVersion", "kind", "metadata"].includes(name),
  );
  const nested = [
    ["[]", schema.items],
    ["{}", schema.additionalProperties],
  ] as const;
  return [
    ...own.flatMap(([name, field]) => [
      [`${path}.${name}`, field] as const,
      ...fieldsOf(field, `${path}.${name}`),
    ]),
    ...nested.flatMap(([mark, inner]) => (isObject(inner) ? fieldsOf(inner, `${path}${mark}`) : [])),
  ];
}

test.each(definitions)("$crd $version: every field has a description", ({ schema }) => {
  const fields = fieldsOf(schema);
  expect(fields.length).toBeGreaterThan(2);
  expect(fields.filter(([, { description = "" }]) => description.length < 5).map(([path]) => path)).toEqual(
    [],
  );
});

test.each(definitions)("$crd $version: no description repeats the name of its field", ({ schema }) => {
  const words = (text: string) => text.toLowerCase().replaceAll(/\b(the|a|an|of|its)\b|[^a-z]/g, "");
  const empty = fieldsOf(schema).filter(
    ([path, { description = "" }]) => words(description) === words(path.split(".").at(-1) ?? ""),
  );
  expect(empty.map(([path]) => path)).toEqual([]);
});
