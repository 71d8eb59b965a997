import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openApiSchema, openApiSchemaNames, openApiSchemas } from "./openapi-schema.js";

const published = new URL("../../../../../shared/kube/schemas/", import.meta.url);

describe("openApiSchemas", () => {
  it("holds a schema and everything it refers to", () => {
    const schemas = openApiSchemas("apps", "v1");
    expect(schemas?.["io.k8s.api.apps.v1.Deployment"]?.["x-kubernetes-group-version-kind"]).toEqual([
      { group: "apps", kind: "Deployment", version: "v1" },
    ]);
    const text = JSON.stringify(schemas);
    const referred = [...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map((match) => match[1]);
    expect(referred.filter((name) => schemas?.[String(name)] === undefined)).toEqual([]);
  });

  it.each([
    ["", "v1", [{ group: "", kind: "DeleteOptions", version: "v1" }]],
    [
      "batch",
      "v1",
      [
        { group: "", kind: "DeleteOptions", version: "v1" },
        { group: "batch", kind: "DeleteOptions", version: "v1" },
      ],
    ],
  ])("lists in %s/%s the kinds that belong there", (group, version, kinds) => {
    const schema = openApiSchemas(group, version)?.["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"];
    expect(schema?.["x-kubernetes-group-version-kind"]).toEqual(kinds);
  });

  it("has nothing for a group version the server does not have", () => {
    expect(openApiSchemas("apps", "v1beta1")).toBeUndefined();
    expect(openApiSchema("io.k8s.api.apps.v1.Nothing")).toBeUndefined();
  });

  it("names every schema once", () => {
    const names = openApiSchemaNames();
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("io.k8s.api.core.v1.Pod");
  });
});

describe("openApiSchemas beside what a server published", () => {
  const files = existsSync(published)
    ? readdirSync(published)
    : ["nothing (the published schemas are not here)"];

  it.skipIf(!existsSync(published)).each(files)("%s is the same, byte for byte", (file) => {
    const [group = "", version = ""] = file.replace(/\.json$/, "").split("__");
    const expected: unknown = JSON.parse(readFileSync(new URL(file, published), "utf8"));
    expect(JSON.stringify(openApiSchemas(group === "core" ? "" : group, version))).toBe(
      JSON.stringify(expected),
    );
  });
});
