// Some hosts forbid to make code from strings. The engine must answer the same there, only slower.
import { spawnSync } from "node:child_process";
import type { JSONSchemaProps } from "@kubewright/api";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { createResourceSchema } from "../index.js";

const schema: JSONSchemaProps = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["image"],
      properties: {
        image: { type: "string", minLength: 1 },
        replicas: { type: "integer", minimum: 0, default: 1 },
        ports: {
          type: "array",
          items: { type: "object", required: ["port"], properties: { port: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port"],
        },
      },
    },
  },
};

const objects = [
  { spec: { image: "a", unknown: 1 } },
  { spec: { image: "", replicas: -1 } },
  { spec: { image: "a", ports: [{ port: 80 }, { port: 80 }] } },
];

const program = `
  import { createResourceSchema } from "../index.js";
  let forbidden = false;
  try { new Function("return 1")(); } catch { forbidden = true; }
  const schema = createResourceSchema(${JSON.stringify(schema)});
  const objects = ${JSON.stringify(objects)};
  const results = objects.map((object) => ({ ...schema.admit(object), object }));
  console.log(JSON.stringify({ forbidden, results }));
`;

describe("schema compiler where code generation from strings is disallowed", () => {
  it("a schema defaults, prunes and validates all the same", () => {
    const { outputFiles } = buildSync({
      stdin: { contents: program, resolveDir: import.meta.dirname, loader: "ts" },
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      conditions: ["kubewright-source"],
    });
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--disallow-code-generation-from-strings", "--input-type=module", "-"],
      { input: outputFiles[0]?.text, encoding: "utf8" },
    );
    expect(stderr).toBe("");
    const compiled = createResourceSchema(schema);
    const results = structuredClone(objects).map((object) => ({ ...compiled.admit(object), object }));
    expect(JSON.parse(stdout)).toEqual({ forbidden: true, results: JSON.parse(JSON.stringify(results)) });
    expect(results.map(({ errors }) => errors.length)).toEqual([0, 2, 1]);
  });
});
