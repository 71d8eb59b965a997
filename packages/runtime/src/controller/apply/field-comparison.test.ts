// Cases by hand; the whole is compared with the server's own judgement in test/runtime-controllers.
import { describe, expect, test } from "vitest";
import { compareFields } from "./field-comparison.js";
import { otherManagers } from "./managers.js";

type Body = Readonly<Record<string, unknown>>;
const leaf = {};

describe("compareFields: the first difference when applying", () => {
  test.each<[string, Body, Body, Body, string | undefined]>([
    ["fields that are there", { "f:a": leaf }, { a: 1 }, { a: 1, b: 2 }, undefined],
    ["another value", { "f:a": leaf }, { a: 1 }, { a: 2 }, "value .a"],
    ["a field that is not ours", {}, { a: 1 }, { a: 1 }, "ownership .a"],
    ["less than we own", { "f:a": leaf, "f:b": leaf }, { a: 1 }, { a: 1, b: 2 }, "ownership .b"],
    [
      "a nested field that is not ours",
      { "f:a": { "f:b": leaf } },
      { a: { b: 1, c: 2 } },
      { a: { b: 1, c: 2 } },
      "ownership .a.c",
    ],
    ["an empty value that is not stored", { "f:a": leaf, "f:b": leaf }, { a: false, b: {} }, {}, undefined],
    ["an empty list where there is none", {}, { l: [] }, {}, undefined],
    ["an empty list where there is an empty one", {}, { l: [] }, { l: [] }, undefined],
    ["an empty list where there are items", {}, { l: [] }, { l: [1] }, "ownership .l"],
    [
      "an empty list of which we own items",
      { "f:l": { "v:1": leaf } },
      { l: [] },
      { l: [1] },
      "ownership .l",
    ],
    ["an object with nothing but an empty list", {}, { a: { l: [] } }, { a: {} }, undefined],
    ["an object with an empty list and a value", {}, { a: { l: [], b: 1 } }, { a: {} }, "ownership .a.b"],
    ["an empty object, which is a value", {}, { a: {} }, {}, "ownership .a"],
    ["a value that is gone", { "f:a": leaf }, { a: 1 }, {}, "value .a"],
    ["a whole map", { "f:a": leaf }, { a: { x: 1 } }, { a: { x: 1, y: 2 } }, "value .a"],
    [
      "an item with a key the server filled in",
      { "f:l": { 'k:{"p":80,"q":"TCP"}': { ".": leaf, "f:p": leaf } } },
      { l: [{ p: 80 }] },
      { l: [{ p: 80, q: "TCP", z: 1 }] },
      undefined,
    ],
    [
      "an item that may be one of two",
      {
        "f:l": {
          'k:{"p":80,"q":"TCP"}': { ".": leaf, "f:p": leaf },
          'k:{"p":80,"q":"UDP"}': { ".": leaf, "f:p": leaf },
        },
      },
      { l: [{ p: 80 }, { p: 80 }] },
      {
        l: [
          { p: 80, q: "TCP" },
          { p: 80, q: "UDP" },
        ],
      },
      "ownership .l",
    ],
    [
      "items in another order",
      { "f:l": { 'k:{"n":"a"}': { ".": leaf, "f:n": leaf }, 'k:{"n":"b"}': { ".": leaf, "f:n": leaf } } },
      { l: [{ n: "b" }, { n: "a" }] },
      { l: [{ n: "a" }, { n: "b" }] },
      "ownership .l",
    ],
    [
      "a changed item",
      { "f:l": { 'k:{"n":"a"}': { ".": leaf, "f:n": leaf, "f:v": leaf } } },
      { l: [{ n: "a", v: 1 }] },
      { l: [{ n: "z" }, { n: "a", v: 2 }] },
      "value .l[n=a].v",
    ],
    ["a set among others' values", { "f:l": { 'v:"a"': leaf } }, { l: ["a"] }, { l: ["b", "a"] }, undefined],
    [
      "elements that cannot be read",
      { "f:l": { "k:{oops": leaf } },
      { l: [{ n: 1 }] },
      { l: [{ n: 1 }] },
      "ownership .l",
    ],
    ["names every object inherits", {}, { toString: 1 }, {}, "ownership .toString"],
    [
      "metadata with what identifies it",
      { "f:metadata": { "f:labels": { "f:a": leaf } } },
      { apiVersion: "v1", kind: "K", metadata: { name: "n", namespace: "s", labels: { a: "b" } } },
      { apiVersion: "v1", kind: "K", metadata: { name: "n", namespace: "s", labels: { a: "b" }, uid: "u" } },
      undefined,
    ],
    [
      "nothing at all",
      {},
      { apiVersion: "v1", kind: "K", metadata: { name: "n" } },
      { metadata: { name: "n" } },
      undefined,
    ],
  ])("%s", (_, owned, declared, live, expected) => {
    const [first] = compareFields(owned, declared, live);
    expect(first && `${first.kind} ${first.path}`).toBe(expected);
  });

  test("fields that nest too deeply to be compared", () => {
    let [owned, value]: [Body, Body] = [{}, { end: 1 }];
    for (let depth = 0; depth < 5_000; depth++) [owned, value] = [{ "f:a": owned }, { a: value }];
    expect(compareFields(owned, value, value)[0]?.kind).toBe("ownership");
  });
});

test("a conflict names the other field managers of a field", () => {
  const entries = [
    { manager: "us", fieldsV1: { "f:spec": { "f:replicas": {} } } },
    { manager: "scaler", subresource: "scale", fieldsV1: { "f:spec": { "f:replicas": {} } } },
    { manager: "labeller", fieldsV1: { "f:metadata": { "f:labels": { "f:a": {} } } } },
    { manager: "whole", fieldsV1: { "f:spec": {} } },
    { manager: "lister", fieldsV1: { "f:spec": { "f:ports": { 'k:{"port":80}': { "f:name": {} } } } } },
  ];
  expect(otherManagers(entries, "us", ["spec", "replicas"])).toEqual(["scaler (scale)", "whole"]);
  expect(otherManagers(entries, "us", ["spec", "ports", 0, "name"])).toEqual(["whole", "lister"]);
});
