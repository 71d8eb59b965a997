import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const core = "/api/v1/namespaces/test/events";
const modern = "/apis/events.k8s.io/v1/namespaces/test/events";
const about = { kind: "Pod", namespace: "test", name: "p" };
const oldEvent = (rest: object = {}) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "e" },
  involvedObject: about,
  reason: "Started",
  ...rest,
});
const newEvent = (rest: object = {}) => ({
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { name: "n" },
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "example.com/c",
  reportingInstance: "c-1",
  action: "Act",
  reason: "Because",
  regarding: about,
  type: "Normal",
  ...rest,
});

describe("Events", () => {
  it("are the same objects in both groups", async () => {
    const { call } = await kindServer();
    await call("POST", core, oldEvent({ count: 2, message: "hello", source: { component: "c" } }));
    expect((await call("GET", `${modern}/e`)).body).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding: about,
      note: "hello",
      deprecatedCount: 2,
      deprecatedSource: { component: "c" },
      deprecatedFirstTimestamp: null,
    });
    await call("POST", modern, newEvent({ note: "there" }));
    expect((await call("GET", `${core}/n`)).body).toMatchObject({
      apiVersion: "v1",
      involvedObject: about,
      message: "there",
      reportingComponent: "example.com/c",
      source: {},
      lastTimestamp: null,
    });
    expect((await call("GET", modern)).body.items).toHaveLength(2);
  });

  it("have the name of their own group where they are looked for, and are kinds of the core where they are wrong", async () => {
    const { call } = await kindServer();
    expect((await call("GET", `${modern}/none`)).body.message).toBe('events.events.k8s.io "none" not found');
    const { body } = await call("POST", modern, newEvent({ type: "Odd" }));
    expect(body.message).toBe('Event "n" is invalid: type: Invalid value: "": has invalid value: Odd');
  });

  it.each([
    [{ involvedObject: { ...about, namespace: "other" } }, ["involvedObject.namespace"]],
    [{ type: "Odd" }, []],
    [
      { eventTime: "2026-01-01T00:00:00.000000Z" },
      ["reportingComponent", "reportingComponent", "reportingInstance", "action"],
    ],
    [{ metadata: { name: "Any_Name", finalizers: ["mine"] } }, []],
    [{ metadata: { name: "a%b" } }, ["metadata.name"]],
  ])("of the core group are validated: %j has errors at %j", async (rest, expected) => {
    const { call, fields } = await kindServer();
    expect([...new Set(fields(await call("POST", core, oldEvent(rest))))]).toEqual([...new Set(expected)]);
  });

  it.each([
    [{ eventTime: null }, ["eventTime"]],
    [{ deprecatedCount: 1, deprecatedSource: { component: "c" } }, ["count", "source"]],
    [{ deprecatedFirstTimestamp: "2026-01-01T00:00:00Z" }, ["firstTimestamp"]],
    [{ series: { count: 1 } }, ["series.count", "series.lastObservedTime"]],
    [{ note: "n".repeat(1025) }, ["message"]],
    [{ action: "" }, ["action"]],
    [{ reportingController: "" }, ["reportingController", "reportingController", "reportingController"]],
  ])("of events.k8s.io are validated: %j has errors at %j", async (rest, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", modern, newEvent(rest)))).toEqual(expected);
  });

  it("of events.k8s.io accept changes of their series alone", async () => {
    const { call, patch, fields } = await kindServer();
    await call("POST", modern, newEvent());
    const series = { count: 3, lastObservedTime: "2026-01-01T00:00:05.000000Z" };
    expect((await patch(`${modern}/n`, { series })).status).toBe(200);
    expect(fields(await patch(`${modern}/n`, { note: "other" }))).toEqual(["message"]);
    expect((await patch(`${core}/n`, { message: "other" })).status).toBe(200);
  });

  it.each([
    [core, "involvedObject.name=p,reason=Started", ["e"]],
    [core, "source=c", ["e"]],
    [core, "reportingComponent=example.com/c", ["n"]],
    [modern, "regarding.kind=Pod,type=Normal", ["n"]],
    [modern, "reportingController=example.com/c", ["n"]],
  ])("of %s are selected by %s", async (path, fieldSelector, names) => {
    const { call } = await kindServer();
    await call("POST", core, oldEvent({ source: { component: "c" } }));
    await call("POST", modern, newEvent());
    const { body } = await call("GET", path, undefined, { query: { fieldSelector } });
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(names);
  });
});
