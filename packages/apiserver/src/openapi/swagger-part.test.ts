import { describe, expect, it } from "vitest";
import { mergedSwagger, swaggerPart } from "./swagger-part.js";

const kinds = "x-kubernetes-group-version-kind";
const get = (name: string) => ({
  get: { responses: { 200: { schema: { $ref: `#/definitions/${name}` } } } },
});
const nothing = { paths: {}, definitions: {}, parameters: {} };

describe("part of an OpenAPI v2 document", () => {
  it("contains the paths with the prefix, and the definitions they need", () => {
    const document = {
      paths: {
        "/apis/a/v1/": get("Pot"),
        "/apis/a/v10/": get("Other"),
        "/healthz": get("Other"),
        "/apis/a/v1/pots": { parameters: [{ $ref: "#/parameters/limit" }], ...get("Pot") },
      },
      definitions: {
        Pot: { properties: { lid: { items: { $ref: "#/definitions/Lid" } } } },
        Lid: { properties: { pot: { $ref: "#/definitions/Pot" }, gone: { $ref: "#/definitions/Gone" } } },
        Other: {},
      },
      parameters: { limit: { in: "query" }, unused: {} },
    };
    const part = swaggerPart(document, "/apis/a/v1/");
    expect(Object.keys(part.paths)).toEqual(["/apis/a/v1/", "/apis/a/v1/pots"]);
    expect(Object.keys(part.definitions)).toEqual(["Pot", "Lid"]);
    expect(Object.keys(part.parameters)).toEqual(["limit"]);
  });

  it.each([[undefined], ["text"], [[]]])("is refused for %j", (document) => {
    expect(() => swaggerPart(document, "/")).toThrow("not an OpenAPI document");
  });

  it("is refused for a document that is nested too deep", () => {
    let deep: object = {};
    for (let level = 0; level < 10_000; level++) deep = { deep };
    expect(() => swaggerPart({ paths: { "/a": deep } }, "/")).toThrow("nested too deeply");
  });

  it("handles definitions named like properties of JavaScript objects", () => {
    const document = JSON.parse(
      '{"paths":{"/a":{"$ref":"#/definitions/__proto__"},"/b":{"$ref":"#/definitions/toString"}},"definitions":{"__proto__":{"type":"string"}}}',
    );
    const part = mergedSwagger(nothing, swaggerPart(document, "/"));
    expect(Object.keys(part.definitions)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(part.definitions)).toBe(Object.prototype);
  });
});

describe("merged parts of OpenAPI v2 documents", () => {
  const into = { ...nothing, paths: { "/a": get("Pot") }, definitions: { Pot: { type: "object" } } };
  const different = (path: string) => ({
    ...nothing,
    paths: { [path]: get("Pot") },
    definitions: { Pot: { properties: { again: { $ref: "#/definitions/Pot" } } } },
  });

  it("keep existing paths, and add no definitions for them", () => {
    expect(mergedSwagger(into, different("/a"))).toBe(into);
  });

  it("rename definitions that differ", () => {
    const { paths, definitions } = mergedSwagger(into, different("/b"));
    expect(paths).toEqual({ "/a": get("Pot"), "/b": get("Pot_v2") });
    expect(definitions).toEqual({
      Pot: { type: "object" },
      Pot_v2: { properties: { again: { $ref: "#/definitions/Pot_v2" } } },
    });
  });

  it("share definitions that are equal", () => {
    const same = { ...different("/b"), definitions: { Pot: { type: "string" } } };
    const once = mergedSwagger(into, same);
    const twice = mergedSwagger(once, { ...same, paths: { "/c": get("Pot") } });
    expect(twice.paths["/c"]).toEqual(get("Pot_v2"));
    const third = mergedSwagger(twice, { ...same, paths: { "/d": get("Pot") }, definitions: { Pot: {} } });
    expect(Object.keys(third.definitions).sort()).toEqual(["Pot", "Pot_v2", "Pot_v3"]);
  });

  it("list all kinds of shared definitions", () => {
    const options = (group: string) => ({ type: "object", [kinds]: [{ group, kind: "DeleteOptions" }] });
    const mine = { ...into, definitions: { Pot: options("a") } };
    const { definitions } = mergedSwagger(mine, { ...different("/b"), definitions: { Pot: options("b") } });
    expect(definitions).toEqual({
      Pot: {
        type: "object",
        [kinds]: [
          { group: "a", kind: "DeleteOptions" },
          { group: "b", kind: "DeleteOptions" },
        ],
      },
    });
  });

  it("rename parameters too", () => {
    const withLimit = (path: string, type: string) => ({
      ...nothing,
      paths: { [path]: { parameters: [{ $ref: "#/parameters/limit" }] } },
      parameters: { limit: { type } },
    });
    const { paths, parameters } = mergedSwagger(withLimit("/a", "integer"), withLimit("/b", "string"));
    expect(paths["/b"]).toEqual({ parameters: [{ $ref: "#/parameters/limit_v2" }] });
    expect(parameters).toEqual({ limit: { type: "integer" }, limit_v2: { type: "string" } });
  });
});
