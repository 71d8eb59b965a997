// What is imported defines the same kind: the generated code is run, and its CustomResourceDefinition compared.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CustomResourceDefinition } from "@kubewright/api";
import * as schema from "@kubewright/schema";
import { transformSync } from "esbuild";
import { describe, expect, test } from "vitest";
import { parseCrds } from "./crd-documents.js";
import { definitionSource } from "./definition-source.js";

const fixture = (name: string) =>
  parseCrds(readFileSync(join(import.meta.dirname, "fixtures", name), "utf8"), name);
const fixtures = [...fixture("certificates.yaml"), ...fixture("routes.yaml")];

/** Runs generated code and returns the definition it exports. */
function run(source: string, kind: string): CustomResourceDefinition {
  const { code } = transformSync(source, { loader: "ts", format: "cjs" });
  const module = { exports: {} as Record<string, schema.ResourceDefinition> };
  new Function("require", "module", code)(() => schema, module);
  return module.exports[kind]!.crd();
}

const impliedAt = (key: string, value: unknown, within: Record<string, unknown>): boolean =>
  (key === "anyOf" && within["x-kubernetes-int-or-string"] === true) ||
  (key === "format" && (value === "int64" || value === "int32")) ||
  (within["type"] === "integer" && value === (key === "minimum" ? -2147483648 : 2147483647));

/** Without what says nothing more: number formats, their bounds, `anyOf` of int-or-string, and required fields that have a default. */
function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence);
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  const properties = (record["properties"] ?? {}) as Record<string, { default?: unknown }>;
  return Object.fromEntries(
    Object.entries(record)
      .filter(([key, field]) => !impliedAt(key, field, record))
      .map(([key, field]) => {
        if (key !== "required" || !Array.isArray(field)) return [key, essence(field)] as const;
        return [key, field.filter((name: string) => properties[name]?.default === undefined).sort()] as const;
      })
      .filter(([key, field]) => key !== "required" || (Array.isArray(field) && field.length > 0)),
  );
}

/** The definition as it is compared: fields every object has are the server's, the order of versions says nothing. */
function comparable({ spec }: CustomResourceDefinition) {
  const { conversion, versions, ...rest } = spec;
  const bare = versions.map((version) => {
    const { apiVersion, kind, metadata, ...properties } = version.schema?.openAPIV3Schema?.properties ?? {};
    const root = { ...version.schema?.openAPIV3Schema, properties };
    return { ...version, schema: { openAPIV3Schema: root } };
  });
  return essence({
    ...rest,
    ...(conversion?.strategy === "Webhook" ? { conversion } : {}),
    versions: bare.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  });
}

describe("a definition that is imported and written again is the same", () => {
  test.each(fixtures.map((crd) => [crd.spec.names.kind, crd] as const))("%s", (kind, crd) => {
    const { source, losses } = definitionSource(crd, "a file");
    expect(losses).toEqual([]);
    expect(comparable(run(source, kind))).toEqual(comparable(crd));
  });
});

test("what cannot be said is told, in the code and to the caller", () => {
  const [crd] = fixture("certificates.yaml");
  const [version] = crd!.spec.versions;
  const root = { ...version!.schema!.openAPIV3Schema!, "x-kubernetes-preserve-unknown-fields": true };
  const odd = {
    ...crd!,
    spec: { ...crd!.spec, versions: [{ ...version!, schema: { openAPIV3Schema: root } }] },
  };
  const { source, losses } = definitionSource(odd, "a file");
  expect(losses).toEqual(["v1: x-kubernetes-preserve-unknown-fields of the whole object"]);
  expect(source).toContain("// Not said here: v1: x-kubernetes-preserve-unknown-fields of the whole object.");
});

describe("files that hold no definition are refused", () => {
  test.each([
    ["kind: ConfigMap\n", "there is no CustomResourceDefinition in it"],
    ["{", "Flow map"],
    [
      "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n",
      "apiextensions.k8s.io/v1 is needed",
    ],
    [
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
      "lacks group, names or versions",
    ],
  ])("%j", (text, message) => {
    expect(() => parseCrds(text, "x.yaml")).toThrow(message);
  });
});
