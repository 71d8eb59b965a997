// The recipes against a small API of their own: versions, conflicts, watches.
import {
  ApiError,
  ConfigMap,
  Deployment,
  isConflict,
  type KubeObject,
  Pod,
  TimeoutError,
  type Transport,
  VirtualClock,
  type WatchEvent,
} from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { Client } from "../client.js";
import { failed, object, scripted, urlOf } from "../fixtures/scripted-transport.js";
import { createOrUpdate } from "./create-or-update.js";
import { deleteOwned } from "./delete-owned.js";
import { retryOnConflict } from "./retry-on-conflict.js";
import { hasCondition, isAbsent, waitFor } from "./wait-for.js";

const conflict = new ApiError("changed", { code: 409, reason: "Conflict" });
const key = { name: "a", namespace: "x" };

describe("retryOnConflict", () => {
  it("does the work again until it succeeds", async () => {
    const clock = new VirtualClock();
    let count = 0;
    const work = async (): Promise<string> => {
      if (++count < 3) throw conflict;
      return "done";
    };
    expect(await clock.runUntilSettled(retryOnConflict(work, { clock }))).toBe("done");
    expect(count).toBe(3);
  });

  it("gives up at last, and at once on other errors", async () => {
    const clock = new VirtualClock();
    let count = 0;
    const failing = (error: Error) => async () => {
      count++;
      throw error;
    };
    await expect(
      clock.runUntilSettled(retryOnConflict(failing(conflict), { clock, attempts: 4 })),
    ).rejects.toSatisfy(isConflict);
    expect(count).toBe(4);
    await expect(retryOnConflict(failing(new Error("other")), { clock })).rejects.toThrow("other");
    expect(count).toBe(5);
  });
});

describe("createOrUpdate", () => {
  const stored: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: key, data: { count: "1" } };
  const increment = (now: ConfigMap | undefined): ConfigMap => ({
    ...now,
    metadata: { ...key, ...now?.metadata },
    data: { count: String(Number(now?.data?.["count"] ?? 0) + 1) },
  });
  const notFound = failed(404, "NotFound");
  const ok = { body: object({ metadata: key }) };

  const cases = [
    ["creates what is not there", [notFound, ok], increment, "created", ["GET", "POST"]],
    ["updates what is there", [{ body: object(stored) }, ok], increment, "updated", ["GET", "PUT"]],
    ["writes nothing when nothing changes", [{ body: object(stored) }], () => stored, "unchanged", ["GET"]],
    [
      "starts over when somebody else changed it",
      [{ body: object(stored) }, failed(409, "Conflict"), { body: object(stored) }, ok],
      increment,
      "updated",
      ["GET", "PUT", "GET", "PUT"],
    ],
    [
      "starts over when somebody else created it",
      [notFound, failed(409, "AlreadyExists"), { body: object(stored) }, ok],
      increment,
      "updated",
      ["GET", "POST", "GET", "PUT"],
    ],
  ] as const;

  it.each(cases)("%s", async (_what, answers, desired, outcome, methods) => {
    const clock = new VirtualClock();
    const { transport, requests } = scripted(...answers);
    const work = createOrUpdate(new Client({ transport }), ConfigMap, key, desired, { clock });
    expect((await clock.runUntilSettled(work)).outcome).toBe(outcome);
    expect(requests.map(({ method }) => method)).toEqual(methods);
  });
});

describe("waitFor", () => {
  type Step = KubeObject | undefined | WatchEvent<unknown>[] | Error;

  /** Lists answer the next object; watches the next events. */
  function history(...steps: Step[]): { client: Client; clock: VirtualClock; asked: string[] } {
    const clock = new VirtualClock();
    const asked: string[] = [];
    const transport: Transport = async (request) => {
      asked.push(urlOf(request));
      const step = steps.shift();
      if (step instanceof Error) throw step;
      if (request.query?.get("watch")) {
        async function* events() {
          if (Array.isArray(step)) yield* step;
          else await new Promise(() => undefined);
        }
        return { status: 200, headers: {}, body: { kind: "events", events: events() } };
      }
      const items = step === undefined ? [] : [step];
      return { status: 200, headers: {}, body: object({ metadata: { resourceVersion: "5" }, items }) };
    };
    return { client: new Client({ transport, clock }), clock, asked };
  }

  const deployment = (status: string): Deployment =>
    ({ metadata: { name: "web" }, status: { conditions: [{ type: "Available", status }] } }) as never;
  const modified = (value: unknown): WatchEvent<unknown> => ({ type: "MODIFIED", object: value });
  const shop = { namespace: "shop" };

  it("resolves at once when the condition is met already", async () => {
    const { client, clock, asked } = history(deployment("True"));
    const found = await waitFor(client, Deployment, "web", hasCondition("Available"), { ...shop, clock });
    expect(found?.metadata?.name).toBe("web");
    expect(asked).toEqual([
      "GET /apis/apps/v1/namespaces/shop/deployments?fieldSelector=metadata.name%3Dweb",
    ]);
  });

  it("follows it from where it looked", async () => {
    const { client, clock, asked } = history(deployment("False"), [
      { type: "BOOKMARK", object: { metadata: {} } },
      modified(deployment("False")),
      modified(deployment("True")),
    ]);
    await waitFor(client, Deployment, "web", hasCondition("Available"), { ...shop, clock });
    expect(asked[1]).toContain("watch=true");
    expect(asked[1]).toContain("resourceVersion=5");
  });

  it("waits for an object to be gone", async () => {
    const { client, clock } = history({ metadata: { name: "web" } }, [{ type: "DELETED", object: {} }]);
    expect(await waitFor(client, Pod, "web", isAbsent, { ...shop, clock })).toBeUndefined();
  });

  it("looks again when the watch ends or its version is too old", async () => {
    const expired = { code: 410, reason: "Expired", kind: "Status", message: "too old" };
    const { client, clock } = history(
      undefined,
      [],
      undefined,
      [{ type: "ERROR", object: expired }],
      deployment("True"),
    );
    const found = waitFor(client, Deployment, "web", (each) => each !== undefined, { ...shop, clock });
    expect(await clock.runUntilSettled(found)).toMatchObject({ metadata: { name: "web" } });
  });

  it("gives up in time, and says on what", async () => {
    const { client, clock } = history(undefined);
    const waiting = waitFor(client, Pod, "web", (each) => each !== undefined, {
      ...shop,
      clock,
      timeout: 5000,
    });
    const failure = clock.runUntilSettled(waiting);
    await expect(failure).rejects.toBeInstanceOf(TimeoutError);
    await expect(failure).rejects.toThrow("wait for Pod shop/web: condition not met in 5000 ms");
  });

  it("passes on what it is not allowed", async () => {
    const { client, clock } = history(new ApiError("no", { code: 403, reason: "Forbidden" }));
    await expect(waitFor(client, Pod, "web", isAbsent, { ...shop, clock })).rejects.toThrow("no");
  });
});

describe("deleteOwned", () => {
  const owner = { kind: "ModelBox", metadata: { name: "box", uid: "owner-1" } };
  const child = (uid: string) => ({
    body: object({
      metadata: {
        ...key,
        uid: "child-1",
        resourceVersion: "9",
        ownerReferences: [{ uid, controller: true }],
      },
    }),
  });
  const gone = { body: object({ apiVersion: "v1", kind: "Status", status: "Success" }) };

  const cases = [
    ["deletes its own", [child("owner-1"), gone], "deleted", ["GET", "DELETE"]],
    ["leaves another's alone", [child("owner-2")], "not owned", ["GET"]],
    ["leaves objects without an owner alone", [{ body: object({ metadata: key }) }], "not owned", ["GET"]],
    ["has nothing to do", [failed(404, "NotFound")], "absent", ["GET"]],
    ["is second", [child("owner-1"), failed(404, "NotFound")], "absent", ["GET", "DELETE"]],
    [
      "looks again when the object changed hands meanwhile",
      [child("owner-1"), failed(409, "Conflict"), child("owner-2")],
      "not owned",
      ["GET", "DELETE", "GET"],
    ],
  ] as const;

  it.each(cases)("%s", async (_what, answers, outcome, methods) => {
    const clock = new VirtualClock();
    const { transport, requests } = scripted(...answers);
    const work = deleteOwned(new Client({ transport }), ConfigMap, "a", owner, { namespace: "x", clock });
    expect(await clock.runUntilSettled(work)).toBe(outcome);
    expect(requests.map(({ method }) => method)).toEqual(methods);
    if (outcome === "deleted") {
      expect(requests[1]!.body).toMatchObject({
        value: { preconditions: { uid: "child-1", resourceVersion: "9" } },
      });
    }
  });

  it("needs an owner that exists", () => {
    const { transport } = scripted({});
    expect(() => deleteOwned(new Client({ transport }), ConfigMap, "a", { kind: "X" })).toThrow("has no uid");
  });
});
