// Whatever is sent as a definition is taken or refused: it never breaks the server.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  definition,
  definitionServer,
  definitionsPath,
  version,
  widget,
  widgetsPath,
} from "./definition-server.js";

const scalar = fc.oneof(
  fc.constantFrom(
    "",
    "v1",
    "Widget",
    "object",
    "__proto__",
    "constructor",
    ".spec.a",
    "x".repeat(300),
    "(",
    "self.a > 1",
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
  object: fc.dictionary(
    fc.constantFrom(
      "type",
      "properties",
      "items",
      "additionalProperties",
      "x-kubernetes-validations",
      "x-kubernetes-int-or-string",
      "x-kubernetes-preserve-unknown-fields",
      "x-kubernetes-list-type",
      "x-kubernetes-list-map-keys",
      "rule",
      "messageExpression",
      "default",
      "enum",
      "pattern",
      "format",
      "not",
      "allOf",
      "anyOf",
      "required",
      "$ref",
      "nullable",
      "name",
      "kind",
      "plural",
      "served",
      "storage",
      "jsonPath",
      "status",
      "scale",
      "__proto__",
      "a",
    ),
    tie("value"),
    { maxKeys: 5 },
  ),
}));

/** A good definition with bad values at some of its places. */
const spoilt = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        "spec",
        "spec.group",
        "spec.names",
        "spec.names.kind",
        "spec.names.shortNames",
        "spec.scope",
        "spec.versions",
        "spec.versions.0",
        "spec.versions.0.name",
        "spec.versions.0.schema",
        "spec.versions.0.schema.openAPIV3Schema",
        "spec.versions.0.schema.openAPIV3Schema.properties",
        "spec.versions.0.schema.openAPIV3Schema.properties.spec",
        "spec.versions.0.subresources",
        "spec.versions.0.additionalPrinterColumns",
        "spec.versions.0.selectableFields",
        "spec.conversion",
        "spec.preserveUnknownFields",
        "metadata",
        "metadata.annotations",
        "status",
      ),
      value,
    ),
    { maxLength: 3 },
  )
  .map((changes) => {
    const body = structuredClone(definition()) as unknown;
    for (const [place, bad] of changes) put(body, place.split("."), bad);
    return body;
  });

function put(target: unknown, [key, ...rest]: readonly string[], bad: unknown): void {
  if (typeof target !== "object" || target === null || key === undefined) return;
  const holder = target as Record<string, unknown>;
  if (rest.length === 0) holder[key] = bad;
  else put(holder[key], rest, bad);
}

describe("a definition that makes no sense", () => {
  it("is refused or served, and never an internal error", async () => {
    const { call } = definitionServer();
    const settle = async () => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    await fc.assert(
      fc.asyncProperty(spoilt, async (body) => {
        const created = await call("POST", definitionsPath, body);
        expect([201, 400, 409, 422]).toContain(created.status);
        if (created.status !== 201) return;
        await settle();
        const written = await call("POST", widgetsPath(), widget("w", { a: 1 }));
        expect(written.status).not.toBe(500);
        expect((await call("GET", "/openapi/v2")).status).toBe(200);
        await call("DELETE", `${definitionsPath}/${created.body.metadata.name}`);
        await settle();
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["nested beyond reason", nested(5000)],
    ["with a thousand properties and rules", wide(1000)],
  ])("%s does not take the server with it", async (_name, openAPIV3Schema) => {
    const { call } = definitionServer();
    const body = definition({ versions: [version("v1", { schema: { openAPIV3Schema } })] });
    const { status } = await call("POST", definitionsPath, body);
    expect([201, 400, 422]).toContain(status);
    expect((await call("GET", definitionsPath)).status).toBe(200);
  });
});

function nested(levels: number): object {
  let schema: object = { type: "object" };
  for (let level = 0; level < levels; level += 1) schema = { type: "object", properties: { a: schema } };
  return schema;
}

function wide(count: number): object {
  const names = Array.from({ length: count }, (_, index) => `p${index}`);
  const rule = [{ rule: "self.size() < 10" }];
  const property = { type: "string", maxLength: 100, "x-kubernetes-validations": rule };
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, property])) };
}
