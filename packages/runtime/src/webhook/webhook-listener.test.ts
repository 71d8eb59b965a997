import { Agent, request } from "node:https";
import { connect } from "node:tls";
import { ConfigMap } from "@kubewright/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueUnder } from "./certificates/certificate-set.js";
import { defineWebhook } from "./define-webhook.js";
import { webhookHandler } from "./webhook-handler.js";
import { WebhookListener } from "./webhook-listener.js";

const policy = { hosts: ["127.0.0.1"], lifetime: 3_600_000 };
const first = issueUnder(policy, Date.now(), "");
const second = issueUnder(policy, Date.now(), first.caBundle);
const path = "/validate--v1-configmap";

let entered: () => void = () => undefined;
let leave: Promise<void> = Promise.resolve();
const webhook = defineWebhook(ConfigMap, {
  async validate() {
    entered();
    await leave;
  },
});
const handler = webhookHandler({ webhooks: [webhook] });
const newListener = () =>
  new WebhookListener({ handler, host: "127.0.0.1", port: 0, onError: () => undefined });
const listener = newListener();
beforeAll(() => listener.listen(first.pair));
afterAll(() => listener.close());

const review = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "u",
    operation: "CREATE",
    resource: { group: "", version: "v1", resource: "configmaps" },
    object: { metadata: { name: "a" } },
  },
};

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string | Buffer;
  readonly port?: number | undefined;
  readonly ca?: string;
  readonly agent?: Agent | false;
}

function send({
  path: to = path,
  method = "POST",
  body = JSON.stringify(review),
  port = listener.port,
  ca,
  agent = false,
}: Sent = {}) {
  return new Promise<{ status: number; text: string; connection: string | undefined }>((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path: to,
      method,
      ca: ca ?? first.caBundle,
      agent,
    };
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const outgoing = request({ ...options, headers }, (incoming) => {
      let text = "";
      incoming.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode ?? 0, text, connection: incoming.headers.connection }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

describe("the webhook listener", () => {
  test("serves requests over HTTPS", async () => {
    const { status, text } = await send();
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ response: { uid: "u", allowed: true } });
  });

  test.each<[string, Sent, number]>([
    ["an unknown path, whatever is sent there", { path: "/admin", body: Buffer.alloc(1_000_000) }, 404],
    ["another method", { method: "GET", body: "" }, 405],
    ["nonsense", { body: "{" }, 400],
    ["a path that is none", { path: "//" }, 404],
  ])("refuses %s", async (_what, sent, status) => {
    expect((await send(sent)).status).toBe(status);
  });

  test("stops reading a body at the size limit", async () => {
    const outcome = await send({ body: Buffer.alloc(20 * 1024 * 1024, " ") }).then(
      ({ status }) => status,
      (error: NodeJS.ErrnoException) => error.code,
    );
    // The connection ends while the rest is still being sent; some clients see that before the answer.
    expect([413, "EPIPE", "ECONNRESET"]).toContain(outcome);
    expect((await send()).status).toBe(200);
  });

  test("refuses TLS versions before 1.2", async () => {
    const attempt = new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: listener.port, ca: first.caBundle };
      connect({ ...options, maxVersion: "TLSv1.1", minVersion: "TLSv1" }, () => resolve(undefined)).on(
        "error",
        reject,
      );
    });
    await expect(attempt).rejects.toThrow();
  });

  test("serves a renewed certificate on the next connection", async () => {
    const own = newListener();
    await own.listen(first.pair);
    expect((await send({ port: own.port })).status).toBe(200);
    own.renew(second.pair);
    await expect(send({ port: own.port, ca: first.caBundle })).rejects.toThrow();
    expect((await send({ port: own.port, ca: second.caBundle })).status).toBe(200);
    await own.close();
  });

  test("keeps connections until it drains, and then ends each after its answer", async () => {
    const own = newListener();
    const agent = new Agent({ keepAlive: true });
    await own.listen(first.pair);
    expect(await send({ port: own.port, agent })).toMatchObject({ status: 200, connection: "keep-alive" });
    own.drain();
    expect(await send({ port: own.port, agent })).toMatchObject({ status: 200, connection: "close" });
    expect(await send({ port: own.port, agent })).toMatchObject({ status: 200, connection: "close" });
    agent.destroy();
    await own.close();
  });

  test("answers requests in flight before it closes", async () => {
    const own = newListener();
    await own.listen(first.pair);
    let release: () => void = () => undefined;
    leave = new Promise((resolve) => {
      release = resolve;
    });
    const began = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const { port } = own;
    const answer = send({ port });
    await began;
    const closing = own.close();
    await expect(send({ port })).rejects.toThrow("ECONNREFUSED");
    release();
    expect((await answer).status).toBe(200);
    await closing;
    leave = Promise.resolve();
  });
});

test("webhooks: bodies beyond what may be read at once are answered 503, and there is room again afterwards", async () => {
  const small = new WebhookListener({
    handler,
    host: "127.0.0.1",
    port: 0,
    onError: () => undefined,
    maxBodyBytes: 1_000_000,
  });
  await small.listen(first.pair);
  try {
    const begin = async () => {
      const socket = connect({ host: "127.0.0.1", port: small.port ?? 0, ca: first.caBundle });
      socket.on("error", () => undefined);
      await new Promise((resolve) => socket.once("secureConnect", resolve));
      socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 2000000\r\n\r\n`);
      socket.write(Buffer.alloc(600_000, " "));
      return socket;
    };
    const held = await begin();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const refused = await begin();
    const answer = await new Promise<string>((resolve) =>
      refused.once("data", (chunk) => resolve(String(chunk))),
    );
    expect(answer).toMatch(/^HTTP\/1.1 503 /);
    held.destroy();
    refused.destroy();
    await expect.poll(async () => (await send({ port: small.port })).status).toBe(200);
    const padded = JSON.stringify(review) + " ".repeat(800_000);
    expect((await send({ port: small.port, body: padded })).status).toBe(200);
  } finally {
    await small.close();
  }
});
