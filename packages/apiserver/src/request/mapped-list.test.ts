import { admin } from "@kubewright/kinds";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../server.js";
import { MappedList, mapList, withArrays } from "./mapped-list.js";

const numbers = Array.from({ length: 200 }, (_, index) => index);

describe("a list in an answer", () => {
  test.each([
    ["long, over a connection", {}, numbers, true],
    ["short", {}, numbers.slice(0, 99), false],
    ["for a program in this process", { inProcess: true }, numbers, false],
  ])("that is %s: items are made as they are read: %s", (_, context, source, isLazy) => {
    let made = 0;
    const double = (value: number): number => {
      made += 1;
      return value * 2;
    };
    const list = mapList(context, source, double);
    expect(made).toBe(isLazy ? 0 : source.length);
    expect([...list]).toEqual(source.map((value) => value * 2));
    expect(list.slice(5, 7)).toEqual([10, 12]);
    expect(list).toHaveLength(source.length);
  });

  test("is an array for audit logs", () => {
    const value = { kind: "List", items: new MappedList(numbers, (each) => ({ each })) };
    expect(withArrays(value)).toEqual({ kind: "List", items: numbers.map((each) => ({ each })) });
    const plain = { items: [1] };
    expect(withArrays(plain)).toBe(plain);
  });
});

test("lists: long ones are not copied for connections, in any form, and are arrays in this process", async () => {
  const api = createApiServer({ tokens: new Map([["token", admin]]) });
  const path = "/api/v1/namespaces/default/configmaps";
  for (let index = 0; index < 120; index++)
    await api.transport()({
      method: "POST",
      path,
      headers: { "content-type": "application/json" },
      body: { kind: "object", value: { metadata: { name: `c-${index}` } } },
    });
  const forms = [
    ["application/json", "items"],
    ["application/json;as=Table;v=v1;g=meta.k8s.io", "rows"],
    ["application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "items"],
    ["application/vnd.kubernetes.protobuf", "items"],
  ] as const;
  for (const [accept, field] of forms) {
    const headers = { accept, authorization: "Bearer token" };
    const asked = { method: "GET", path, headers } as const;
    const [over, inside] = [await api.handle(asked, {}), await api.transport()(asked)];
    const listIn = ({ body }: typeof over): unknown =>
      body.kind === "object" && (body.value as Record<string, unknown>)[field];
    expect(over.status, JSON.stringify(over.body)).toBe(200);
    expect(listIn(over), accept).toBeInstanceOf(MappedList);
    expect([...(listIn(over) as MappedList)]).toEqual(listIn(inside));
    expect(listIn(inside)).toHaveLength(120);
  }
  api.close();
});
