// Clients that leave while the server waits for someone else on their behalf.
import { setTimeout as sleep } from "node:timers/promises";
import type { WebhookCaller } from "@kubewright/apiserver";
import { describe, expect, test, vi } from "vitest";
import { definition, gadget } from "./samples.js";
import { Wire } from "./target.js";

const maps = "/api/v1/namespaces/default/configmaps";

/** A webhook whose answers are given when the test says so. */
function heldWebhook() {
  const calls: {
    body: unknown;
    signal: AbortSignal;
    answer(value: unknown): void;
    fail(error: Error): void;
  }[] = [];
  const callWebhook: WebhookCaller = ({ body, signal }) =>
    new Promise((answer, fail) => {
      calls.push({ body, signal, answer, fail });
    });
  return { calls, callWebhook };
}

/** Sends a request over the wire and leaves as soon as `when` says so. */
async function sendAndLeave(wire: Wire, path: string, body: object, when: () => boolean): Promise<void> {
  const text = JSON.stringify(body);
  const socket = await wire.connect();
  const length = `content-length: ${Buffer.byteLength(text)}`;
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer robust\r\ncontent-type: application/json`;
  socket.write(`${head}\r\n${length}\r\n\r\n${text}`);
  await vi.waitUntil(when);
  socket.destroy();
  await sleep(20);
}

const webhooks = (kind: "Mutating" | "Validating") => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: `${kind}WebhookConfiguration`,
  metadata: { name: "held" },
  webhooks: [
    {
      name: "held.example.com",
      clientConfig: { url: "https://127.0.0.1:1/" },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      sideEffects: "None",
      // Without a client, nothing goes on: not even what may go on without the webhook.
      failurePolicy: "Ignore",
      admissionReviewVersions: ["v1"],
    },
  ],
});

describe("a client that leaves during the call of a webhook", () => {
  test.each(["Mutating", "Validating"] as const)("%s", async (kind) => {
    const { calls, callWebhook } = heldWebhook();
    const wire = await Wire.start(undefined, { callWebhook });
    const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
    await wire.target.must({ method: "POST", path, object: webhooks(kind) });
    for (const finish of ["answer", "fail"] as const) {
      const before = calls.length;
      await sendAndLeave(wire, maps, { metadata: { name: `left-${finish}` } }, () => calls.length > before);
      const call = calls.at(-1);
      await vi.waitUntil(() => call?.signal.aborted);
      if (finish === "fail") call?.fail(new Error("connection refused"));
      else call?.answer({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", response: {} });
    }
    await sleep(20);
    const { items } = (await wire.target.must({ method: "GET", path: maps })) as { items?: unknown };
    expect(JSON.stringify(items)).not.toContain("left-");
    expect((await wire.call("/version")).status).toBe(200);
    expect(await wire.target.uncaught()).toEqual([]);
    await wire.close();
  });

  test("conversion", async () => {
    const { calls, callWebhook } = heldWebhook();
    const wire = await Wire.start(undefined, { callWebhook });
    const { spec, ...rest } = structuredClone(definition.object) as unknown as {
      spec: { versions: { name: string; storage: boolean }[] };
    };
    const [v1] = spec.versions;
    const versions = [v1, { ...v1, name: "v2", storage: false }];
    const conversion = {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://127.0.0.1:1/" } },
    };
    await wire.target.must({
      method: "POST",
      path: definition.path,
      object: { ...rest, spec: { ...spec, versions, conversion } },
    });
    await vi.waitUntil(
      async () => (await wire.target.send({ method: "GET", path: gadget.path })).status === 200,
    );
    await wire.target.must({ method: "POST", path: gadget.path, object: gadget.object });
    const v2 = gadget.path.replace("/v1/", "/v2/");
    for (const path of [v2, `${v2}/sample`, `${v2}?watch=1`]) {
      const before = calls.length;
      const socket = await wire.connect();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer robust\r\n\r\n`);
      await vi.waitUntil(() => calls.length > before);
      socket.destroy();
      await vi.waitUntil(() => calls.at(-1)?.signal.aborted);
      calls.at(-1)?.fail(new Error("connection refused"));
      await sleep(20);
    }
    expect((await wire.call("/version")).status).toBe(200);
    expect(await wire.target.uncaught()).toEqual([]);
    await wire.close();
  });
});

test("a collection is no longer deleted when its client left", async () => {
  const wire = await Wire.start();
  for (let index = 0; index < 3000; index++)
    await wire.target.must({ method: "POST", path: maps, object: { metadata: { name: `m${index}` } } });
  const left = async (): Promise<number> => {
    const { items } = (await wire.target.must({ method: "GET", path: maps })) as unknown as {
      items: unknown[];
    };
    return items.length;
  };
  const controller = new AbortController();
  const deleting = wire.target.send({ method: "DELETE", path: maps }, controller.signal);
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await deleting;
  const remaining = await left();
  expect(remaining).toBeGreaterThan(0);
  await sleep(20);
  expect(await left()).toBe(remaining);
  await wire.close();
});
