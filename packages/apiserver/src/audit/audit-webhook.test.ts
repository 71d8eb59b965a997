import { VirtualClock } from "@kubewright/api";
import { admin } from "@kubewright/kinds";
import { describe, expect, test } from "vitest";

import { createApiServer } from "../server.js";
import type { AuditEvent } from "./audit-event.js";
import { AuditWebhook, type AuditWebhookOptions } from "./audit-webhook.js";
import type { AuditLevel } from "./policy.js";

const event = (auditID: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  kind: "Event",
  apiVersion: "audit.k8s.io/v1",
  level: "Metadata",
  auditID,
  stage: "ResponseComplete",
  requestURI: "/",
  verb: "get",
  user: {},
  requestReceivedTimestamp: "2026-01-01T00:00:00.000000Z",
  stageTimestamp: "2026-01-01T00:00:00.000000Z",
  ...more,
});

interface Posted {
  readonly time: number;
  readonly ids: readonly string[];
  readonly items: readonly AuditEvent[];
}

/** Someone who takes lists, or does not: `fails` says of each whether it is refused. */
function setUp(options: Partial<AuditWebhookOptions> = {}, fails: (list: number) => boolean = () => false) {
  const clock = new VirtualClock();
  const posted: Posted[] = [];
  const lost: string[] = [];
  const errors: unknown[] = [];
  const post = async (bytes: Uint8Array): Promise<void> => {
    const list = JSON.parse(Buffer.from(bytes).toString());
    expect(list).toMatchObject({ kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {} });
    const items: AuditEvent[] = list.items;
    posted.push({ time: clock.monotonic(), ids: items.map(({ auditID }) => auditID), items });
    if (fails(posted.length)) throw new Error("not now");
  };
  const webhook = new AuditWebhook({
    clock,
    post,
    random: () => 0,
    onError: (error) => void errors.push(error),
    ...options,
  });
  webhook.countWith((plugin, events) => void lost.push(`${plugin} ${events}`));
  return { clock, webhook, posted, lost, errors };
}

describe("batches of audit events", () => {
  test("are sent when they are full, or when their first event has waited long enough", async () => {
    const { clock, webhook, posted } = setUp({ batch: { maxSize: 3, maxWait: 1000 } });
    for (const id of ["a", "b", "c", "d"]) expect(webhook.record(event(id))).toBeUndefined();
    await clock.advance(999);
    expect(posted).toMatchObject([{ time: 0, ids: ["a", "b", "c"] }]);
    await clock.advance(1);
    expect(posted.at(-1)).toMatchObject({ time: 1000, ids: ["d"] });
  });

  test("begin no faster than the rate limit, and events that exceed the buffer meanwhile are dropped and counted", async () => {
    const { clock, webhook, posted, lost, errors } = setUp({
      batch: { maxSize: 2, bufferSize: 5, throttle: { qps: 2, burst: 1 } },
    });
    for (const id of ["a", "b", "c", "d", "e", "f", "g", "h"]) void webhook.record(event(id));
    await clock.settle();
    expect(posted.map(({ ids }) => ids)).toEqual([["a", "b"]]);
    expect(lost).toEqual(["buffered 1"]);
    expect(errors.map(String)).toEqual(["Error: audit buffer queue blocked"]);
    await clock.advance(1000);
    expect(posted.slice(1)).toMatchObject([
      { time: 500, ids: ["c", "d"] },
      { time: 1000, ids: ["e", "f"] },
    ]);
  });

  test("are in flight only up to a limit while the webhook does not respond", async () => {
    const { clock, webhook, posted, lost } = setUp(
      { batch: { maxSize: 1, bufferSize: 10, throttle: undefined }, initialBackoff: 1000 },
      () => true,
    );
    for (let index = 0; index < 30; index++) void webhook.record(event(String(index)));
    await clock.settle();
    expect([posted.length, lost.length]).toEqual([16, 4]);
  });
});

describe("batches of audit events that the webhook refuses", () => {
  test("are sent again, with backoff", async () => {
    const { clock, webhook, posted, lost } = setUp(
      { batch: { maxSize: 1 }, initialBackoff: 1000 },
      (list) => list < 4,
    );
    void webhook.record(event("a"));
    await clock.advance(60_000);
    expect(posted.map(({ time }) => time)).toEqual([0, 1000, 2500, 4750]);
    expect(lost).toEqual([]);
  });

  test("are dropped after the last retry, and counted by their events", async () => {
    const { clock, webhook, posted, lost, errors } = setUp({ batch: { maxSize: 2 } }, () => true);
    for (const id of ["a", "b"]) void webhook.record(event(id));
    await clock.advance(600_000);
    expect(posted).toHaveLength(5);
    expect(lost).toEqual(["webhook 2"]);
    expect(errors.map(String)).toEqual(["Error: not now"]);
  });

  test("are sent at shutdown without waiting", async () => {
    const { clock, webhook, posted, lost } = setUp({ batch: { maxSize: 2 } }, (list) => list < 3);
    for (const id of ["a", "b", "c"]) void webhook.record(event(id));
    await clock.settle();
    await webhook.close();
    expect(clock.monotonic()).toBe(0);
    expect(posted.map(({ ids }) => ids.join(""))).toEqual(expect.arrayContaining(["ab", "c"]));
    expect(lost).toEqual([]);
  });
});

describe("audit events that are too large", () => {
  const large = { requestObject: { a: "x".repeat(2000) }, responseObject: {} };

  test("are sent without bodies, or not at all", async () => {
    const { webhook, posted, lost } = setUp({ truncate: { maxEventSize: 1000 } });
    void webhook.record(event("whole", { level: "Request", requestObject: { a: "x" } }));
    void webhook.record(event("short", { level: "RequestResponse", ...large, annotations: { a: "b" } }));
    void webhook.record(event("none", { requestURI: "/".repeat(2000) }));
    await webhook.close();
    const [whole, short] = posted[0]?.items ?? [];
    expect(posted[0]?.ids).toEqual(["whole", "short"]);
    expect(whole).toEqual(event("whole", { level: "Request", requestObject: { a: "x" } }));
    const annotations = { a: "b", "audit.k8s.io/truncated": "true" };
    expect(short).toEqual(event("short", { level: "RequestResponse", annotations }));
    expect(lost).toEqual(["truncate 1"]);
  });

  test("are not truncated by default", async () => {
    const { webhook, posted } = setUp();
    void webhook.record(event("a", { level: "Request", ...large }));
    await webhook.close();
    expect(posted[0]?.items[0]).toMatchObject(large);
  });

  test("are split from a batch that is too large", async () => {
    const { webhook, posted } = setUp({ truncate: { maxEventSize: 1000, maxBatchSize: 1000 } });
    for (const id of ["a", "b", "c"]) void webhook.record(event(id, { requestURI: "/".repeat(200) }));
    await webhook.close();
    expect(posted.map(({ ids }) => ids.length)).toEqual([2, 1]);
  });
});

describe("audit webhook", () => {
  function serve(
    mode: NonNullable<AuditWebhookOptions["mode"]>,
    fails: () => boolean,
    level: AuditLevel = "Metadata",
  ) {
    const parts = setUp({ mode, initialBackoff: 1000 }, fails);
    const { clock, webhook } = parts;
    const audit = { webhook, policy: { rules: [{ level }], omitStages: [] } };
    const server = createApiServer({ clock, audit });
    const get = (path: string) => server.handle({ method: "GET", path }, { user: admin });
    const textOf = async (path: string): Promise<string> => {
      const { body } = await get(path);
      return body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
    };
    return { ...parts, server, get, textOf };
  }

  test("in mode blocking, requests wait for it at their beginning and at their end", async () => {
    const { get, posted } = serve("blocking", () => false);
    const { status } = await get("/api/v1/namespaces/default");
    expect(status).toBe(200);
    expect(posted.flatMap(({ items }) => items.map(({ stage }) => stage)).slice(-2)).toEqual([
      "RequestReceived",
      "ResponseComplete",
    ]);
  });

  test.each(["blocking", "blocking-strict"] as const)(
    "in mode %s, while it does not respond",
    async (mode) => {
      const { clock, get } = serve(mode, () => true);
      const answer = get("/api/v1/namespaces/default");
      await clock.advance(60_000);
      const { status, body, headers } = await answer;
      expect(headers["audit-id"]).toMatch(/./);
      if (mode === "blocking") expect(status).toBe(200);
      else {
        expect(status).toBe(500);
        expect(body.kind === "bytes" && Buffer.from(body.bytes).toString()).toBe(
          'Internal Server Error: "/api/v1/namespaces/default": failed to store audit event\n',
        );
      }
    },
  );

  test("counts failed events and rejected requests in metrics", async () => {
    let isDown = true;
    const { clock, get, textOf } = serve("blocking-strict", () => isDown);
    const answer = get("/version");
    await clock.advance(60_000);
    await answer;
    isDown = false;
    const text = await textOf("/metrics");
    expect(text).toMatch(/^apiserver_audit_error_total\{plugin="webhook"\} [1-9]/m);
    expect(text).toMatch(/^apiserver_audit_requests_rejected_total [1-9]/m);
    expect(text).toMatch(/^apiserver_audit_event_total [1-9]/m);
  });

  test("in mode batch, requests do not wait for it", async () => {
    const { get, posted, clock } = serve("batch", () => false);
    expect((await get("/version")).status).toBe(200);
    expect(posted).toEqual([]);
    await clock.advance(30_000);
    expect(posted[0]?.ids.length).toBeGreaterThan(1);
  });
});
