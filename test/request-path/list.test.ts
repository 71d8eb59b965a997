import { VirtualClock } from "@kubewright/api";
import { MemoryStorage } from "@kubewright/apiserver";
import { describe, expect, it } from "vitest";
import { clusterCronTabs, cronTab, cronTabs, defineCronTabs } from "./cron-tabs.js";
import { causes, configMap, configMaps, requestServer, said } from "./request-server.js";

/** A server with ConfigMaps c1 to c5, of which the odd ones are labelled, in memory that can be compacted. */
async function withConfigMaps() {
  const storage = new MemoryStorage();
  const server = await requestServer({ storage });
  for (const i of [1, 2, 3, 4, 5]) {
    const labels = i % 2 === 1 ? { odd: "yes" } : {};
    await server.call("POST", configMaps, configMap({ name: `c${i}`, labels }));
  }
  const list = async (query: string, path = configMaps) => {
    const { status, body } = await server.call("GET", `${path}?${query}`);
    const names = body.items?.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    return { status, body, names, metadata: body.metadata };
  };
  return { ...server, storage, list };
}

const rest = ({ metadata }: { metadata: { continue?: string; remainingItemCount?: number } }) => [
  metadata.continue !== undefined,
  metadata.remainingItemCount,
];

describe("pages", () => {
  it("say how many are left, where nothing is selected", async () => {
    const { list } = await withConfigMaps();
    const first = await list("limit=2");
    expect([first.names, ...rest(first)]).toEqual([["c1", "c2"], true, 3]);
    const last = await list(`limit=3&continue=${first.metadata.continue}`);
    expect([last.names, ...rest(last)]).toEqual([["c3", "c4", "c5"], false, undefined]);
  });

  it("do not tell whether what is left is selected", async () => {
    const { list } = await withConfigMaps();
    const even = await list("limit=2&labelSelector=!odd");
    expect([even.names, ...rest(even)]).toEqual([["c2", "c4"], true, undefined]);
    const nothing = await list(`limit=2&labelSelector=!odd&continue=${even.metadata.continue}`);
    expect([nothing.names, ...rest(nothing)]).toEqual([[], false, undefined]);
    const odd = await list("limit=3&labelSelector=odd");
    expect([odd.names, ...rest(odd)]).toEqual([["c1", "c3", "c5"], false, undefined]);
  });

  it("end with the one object that a selector names", async () => {
    const { list } = await withConfigMaps();
    const one = await list("limit=1&fieldSelector=metadata.name=c2");
    expect([one.names, ...rest(one)]).toEqual([["c2"], false, undefined]);
    const everywhere = await list("limit=1&fieldSelector=metadata.name=c2", "/api/v1/configmaps");
    expect([everywhere.names, ...rest(everywhere)]).toEqual([["c2"], true, undefined]);
    const narrowed = await list(
      "limit=1&fieldSelector=metadata.name=c2,metadata.namespace=test",
      "/api/v1/configmaps",
    );
    expect([narrowed.names, ...rest(narrowed)]).toEqual([["c2"], false, undefined]);
  });

  it("are not cut where any version will do", async () => {
    const { list } = await withConfigMaps();
    expect((await list("limit=2&resourceVersion=0")).names).toHaveLength(5);
    expect((await list("limit=2&resourceVersion=0&resourceVersionMatch=NotOlderThan")).names).toHaveLength(5);
  });

  it("across namespaces go on where they stopped", async () => {
    const { list, call } = await withConfigMaps();
    await call("POST", "/api/v1/namespaces", { metadata: { name: "zoo" } });
    await call("POST", "/api/v1/namespaces/zoo/configmaps", configMap({ name: "c0" }));
    const first = await list("limit=5", "/api/v1/configmaps");
    expect([first.names, ...rest(first)]).toEqual([["c1", "c2", "c3", "c4", "c5"], true, 1]);
    const second = await list(`limit=5&continue=${first.metadata.continue}`, "/api/v1/configmaps");
    expect(second.names).toEqual(["c0"]);
  });

  it("of custom resources are told apart by an empty token", async () => {
    const server = await requestServer();
    await defineCronTabs(server);
    for (const name of ["a", "b"]) await server.call("POST", cronTabs, cronTab({ name }));
    const { body } = await server.call("GET", cronTabs);
    expect(body.metadata).toEqual({ resourceVersion: expect.any(String), continue: "" });
    const page = await server.call("GET", `${cronTabs}?limit=1`);
    expect(page.body.metadata).toMatchObject({ continue: expect.stringMatching(/./), remainingItemCount: 1 });
    const removed = await server.call("DELETE", `${cronTabs}?limit=1`);
    expect(removed.body.metadata).toMatchObject({ remainingItemCount: 1 });
    expect((await server.call("GET", clusterCronTabs)).body.items).toHaveLength(1);
  });
});

describe("a state that is forgotten", () => {
  it("ends paging with a token that leads on through what is there now", async () => {
    const { list, call, storage } = await withConfigMaps();
    const first = await list("limit=2");
    await call("DELETE", `${configMaps}/c4`);
    await call("POST", configMaps, configMap({ name: "c9" }));
    storage.compact(storage.revision);
    const { status, body } = await list(`limit=2&continue=${first.metadata.continue}`);
    expect([status, body.reason, body.details]).toEqual([410, "Expired", undefined]);
    expect(body.message).toMatch(/^The provided continue parameter is too old to display a consistent list/);
    const second = await list(`limit=2&continue=${body.metadata.continue}`);
    expect(second.names).toEqual(["c3", "c5"]);
    expect((await list(`limit=2&continue=${second.metadata.continue}`)).names).toEqual(["c9"]);
  });

  it("is forgotten after five to ten minutes, also where nothing is written meanwhile", async () => {
    const clock = new VirtualClock();
    const server = await requestServer({ clock });
    for (const name of ["a", "b", "c"]) await server.call("POST", configMaps, configMap({ name }));
    const page = (token: string) => server.call("GET", `${configMaps}?limit=1&continue=${token}`);
    const { body: first } = await page("");
    await server.call("DELETE", `${configMaps}/b`);
    await clock.advance(4 * 60_000);
    expect((await page(first.metadata.continue)).body.items[0].metadata.name).toBe("b");
    await clock.advance(6 * 60_000);
    const { status, body } = await page(first.metadata.continue);
    expect([status, body.reason]).toEqual([410, "Expired"]);
    expect((await page(body.metadata.continue)).body.items[0].metadata.name).toBe("c");
  });

  it("cannot be listed", async () => {
    const { list, call, storage } = await withConfigMaps();
    const version = storage.revision;
    await call("POST", configMaps, configMap({ name: "c9" }));
    storage.compact(storage.revision);
    const { status, body } = await list(`resourceVersion=${version}&resourceVersionMatch=Exact`);
    expect([status, body.reason, body.message, body.metadata]).toEqual([
      410,
      "Expired",
      "The resourceVersion for the provided list is too old.",
      {},
    ]);
    expect((await list(`resourceVersion=${version}`)).status).toBe(200);
  });
});

describe("options of lists", () => {
  const future = "Timeout: Too large resource version: 99999999, current: ";
  it.each([
    ["limit=", '400 strconv.ParseInt: parsing "": invalid syntax'],
    [
      "limit=99999999999999999999",
      '400 strconv.ParseInt: parsing "99999999999999999999": value out of range',
    ],
    ["timeoutSeconds=x&limit=y", '400 strconv.ParseInt: parsing "x": invalid syntax'],
    ["timeoutSeconds=1", "200"],
    ["limit=x&labelSelector=-", '400 strconv.ParseInt: parsing "x": invalid syntax'],
    ["resourceVersionMatch=Exact&fieldSelector=x", "400 invalid selector: 'x'; can't understand 'x'"],
    [
      "resourceVersion=-1",
      '400 invalid resource version: resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax',
    ],
    [
      "resourceVersion=99999999999999999999",
      '400 invalid resource version: resourceVersion: Invalid value: "99999999999999999999": strconv.ParseUint: parsing "99999999999999999999": value out of range',
    ],
    [
      "continue=!&resourceVersion=5",
      "400 invalid continue token: continue key is not valid: illegal base64 data at input byte 0",
    ],
  ])("%s", async (query, expected) => {
    const { call } = await requestServer();
    expect(said(await call("GET", `${configMaps}?${query}`))).toBe(expected);
  });

  it.each([
    "resourceVersion=99999999",
    "resourceVersion=99999999&resourceVersionMatch=NotOlderThan",
    "resourceVersion=99999999&resourceVersionMatch=Exact",
    "resourceVersion=99999999&limit=1",
    `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":99999999,"start":"a\\u0000"}').toString("base64url")}`,
  ])("of a version still to come: %s", async (query) => {
    const { call } = await requestServer();
    const answer = await call("GET", `${configMaps}?${query}`);
    expect(said(answer)).toMatch(`504 ${future}`);
    expect(answer.headers["retry-after"]).toBe("1");
  });

  it("contradict each other before fields are looked at", async () => {
    const { call } = await requestServer();
    const answer = await call(
      "GET",
      `${configMaps}?resourceVersionMatch=No&continue=x&sendInitialEvents=false&fieldSelector=a=b`,
    );
    expect(causes(answer)).toEqual([
      "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
      "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided",
      'resourceVersionMatch: Unsupported value: "No": supported values: "Exact", "NotOlderThan", ""',
      "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
    ]);
  });
});

describe("a get", () => {
  it.each([
    ["resourceVersion=0", "200"],
    ["resourceVersion=1", "200"],
    ["resourceVersion=99999999", /^504 Timeout: Too large resource version: 99999999, current: \d+$/],
    [
      "resourceVersion=18446744073709551615",
      /^504 Timeout: Too large resource version: 18446744073709551615,/,
    ],
    ["resourceVersion=x", /^500 resourceVersion: Invalid value: "x"/],
    ["watch=true", "200"],
  ])("with %s", async (query, expected) => {
    const { call } = await requestServer();
    await call("POST", configMaps, configMap({ name: "a" }));
    expect(said(await call("GET", `${configMaps}/a?${query}`))).toMatch(expected);
  });
});

describe("the deletion of a collection", () => {
  it("deletes the page a list would show, and shows it", async () => {
    const { call, list } = await withConfigMaps();
    const { status, body } = await call("DELETE", `${configMaps}?limit=2`);
    expect([status, body.kind, body.items.length, body.metadata.remainingItemCount]).toEqual([
      200,
      "ConfigMapList",
      2,
      3,
    ]);
    await call("DELETE", `${configMaps}?limit=2&continue=${body.metadata.continue}`);
    expect((await list("")).names).toEqual(["c5"]);
  });

  it("shows objects as they were, with what their deletion has begun", async () => {
    const { call } = await requestServer();
    await call("POST", configMaps, configMap({ name: "a", finalizers: ["example.com/a"] }));
    const { body } = await call("DELETE", configMaps);
    expect(body.items[0].metadata.deletionTimestamp).toBeUndefined();
    expect((await call("GET", `${configMaps}/a`)).body.metadata.deletionTimestamp).toBeDefined();
  });

  it.each([
    ["resourceVersion=0", "409"],
    ["limit=x", '400 strconv.ParseInt: parsing "x": invalid syntax'],
    ["resourceVersionMatch=Exact", "422"],
    ["fieldSelector=data.a=b", '400 "data.a" is not a known field selector'],
    ["labelSelector=a in", "400 unable to parse requirement"],
    ["gracePeriodSeconds=x", '400 strconv.ParseInt: parsing "x": invalid syntax'],
    ["propagationPolicy=x", "422"],
  ])("with %s", async (query, expected) => {
    const { call } = await withConfigMaps();
    expect(said(await call("DELETE", `${configMaps}?${query}`))).toMatch(expected);
  });

  it("takes options in a body as well", async () => {
    const { call } = await withConfigMaps();
    await call("DELETE", configMaps, { propagationPolicy: "Foreground" });
    const { body } = await call("GET", configMaps);
    expect(body.items).toHaveLength(5);
    for (const { metadata } of body.items) expect(metadata.finalizers).toEqual(["foregroundDeletion"]);
  });
});
