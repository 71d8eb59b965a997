// Webhooks outside of this process, over HTTPS on loopback, by URL and by service reference.
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import {
  type ApiError,
  type Clock,
  ConfigMap,
  systemClock,
  ValidatingWebhookConfiguration,
} from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { type Address, createApiServer } from "@kubewright/apiserver";
import { Client } from "@kubewright/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const hour = 3_600_000;
const validity = { notBefore: Date.now() - hour, notAfter: Date.now() + hour };
const authority = createCertificateAuthority({ commonName: "webhooks", ...validity });
const stranger = createCertificateAuthority({ commonName: "someone else", ...validity });
const serving = authority.issue({
  commonName: "hook",
  hosts: ["127.0.0.1", "hook.default.svc"],
  usage: "server",
  ...validity,
});
const bundle = (certificate: string): string => Buffer.from(certificate).toString("base64");

let handler: RequestListener = (_request, response) => response.end();
const hook = createServer({ cert: serving.certificate, key: serving.key }, (request, response) =>
  handler(request, response),
);
let address: Address;

beforeAll(async () => {
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  address = { host: "127.0.0.1", port: (hook.address() as AddressInfo).port };
});
afterAll(() => {
  hook.closeAllConnections();
  return new Promise((resolve) => hook.close(resolve));
});

interface Setup {
  readonly clientConfig?: object;
  readonly clock?: Clock;
  readonly resolved?: Address;
}

/** Creates a config map under one validating webhook. */
async function create(listener: RequestListener, { clientConfig, clock, resolved }: Setup = {}) {
  handler = listener;
  const server = createApiServer({ clock, resolveService: () => resolved });
  await using client = new Client({ transport: server.transport() });
  try {
    const caBundle = bundle(authority.certificate);
    const rule = {
      apiGroups: [""],
      apiVersions: ["v1"],
      operations: ["CREATE"],
      resources: ["configmaps"],
    } as const;
    await client.create(ValidatingWebhookConfiguration, {
      metadata: { name: "hook" },
      webhooks: [
        {
          name: "hook.example.com",
          clientConfig: { url: `https://127.0.0.1:${address.port}/check`, caBundle, ...clientConfig },
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          rules: [rule],
          timeoutSeconds: 5,
        },
      ],
    });
    return await client.create(ConfigMap, { metadata: { name: "x", namespace: "default" } });
  } finally {
    server.close();
  }
}

const failure = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => expect.fail("it went through"),
    (error) => error,
  );

/** A webhook as one is written in Node. */
const answering =
  (response: object, seen: { url?: string | undefined }[] = []): RequestListener =>
  async (request, outgoing) => {
    seen.push({ url: request.url });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { request: asked } = JSON.parse(Buffer.concat(chunks).toString());
    outgoing.setHeader("content-type", "application/json");
    outgoing.end(
      JSON.stringify({
        apiVersion: "admission.k8s.io/v1",
        kind: "AdmissionReview",
        response: { uid: asked.uid, ...response },
      }),
    );
  };

describe("a webhook over HTTPS", () => {
  it("is called by its URL, and told how long it has", async () => {
    const seen: { url?: string }[] = [];
    await create(answering({ allowed: true }, seen));
    expect(seen).toEqual([{ url: "/check?timeout=5s" }]);
  });

  it("refuses", async () => {
    const error = await failure(create(answering({ allowed: false, status: { message: "no", code: 403 } })));
    expect(error.code).toBe(403);
    expect(error.message).toContain('admission webhook "hook.example.com" denied the request: no');
  });

  it("is found behind a service, by the name its certificate has", async () => {
    const seen: { url?: string }[] = [];
    const service = { namespace: "default", name: "hook", path: "/svc" };
    await create(answering({ allowed: true }, seen), {
      clientConfig: { url: undefined, service },
      resolved: address,
    });
    expect(seen).toEqual([{ url: "/svc?timeout=5s" }]);
    const other = { ...service, name: "other" };
    const error = await failure(
      create(answering({ allowed: true }), {
        clientConfig: { url: undefined, service: other },
        resolved: address,
      }),
    );
    expect(error.message).toContain(
      'failed to call webhook: Post "https://other.default.svc:443/svc?timeout=5s": tls: failed to verify certificate: x509: ',
    );
  });

  it("that shows a certificate of someone else is not believed", async () => {
    const clientConfig = { caBundle: bundle(stranger.certificate) };
    const error = await failure(create(answering({ allowed: true }), { clientConfig }));
    expect(error).toMatchObject({ code: 500, reason: "InternalError" });
    expect(error.message).toContain(
      "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    );
  });

  it("is trusted when the bundle holds its own certificate, whatever CA signed that", async () => {
    await create(answering({ allowed: true }), { clientConfig: { caBundle: bundle(serving.certificate) } });
  });

  it.each([
    ["//failing", "/failing"],
    ["/ok/", "/ok"],
    ["/a%2Fb", "/a/b"],
    ["/a/../b", "/b"],
    ["", "/"],
    ["/", "/"],
    ["/with%20space", "/with%20space"],
  ])("is called at a clean path: %j as %j", async (written, sent) => {
    const seen: { url?: string }[] = [];
    const url = `https://127.0.0.1:${address.port}${written}`;
    await create(answering({ allowed: true }, seen), { clientConfig: { url } });
    expect(seen).toEqual([{ url: `${sent}?timeout=5s` }]);
  });

  it.each([307, 308])("that answers %i is asked again where that says", async (status) => {
    const seen: { url?: string }[] = [];
    const answer = answering({ allowed: true }, seen);
    await create((request, response) => {
      if (request.url?.startsWith("/check")) response.writeHead(status, { location: "/moved?x=1" }).end();
      else answer(request, response);
    });
    expect(seen).toEqual([{ url: "/moved?x=1" }]);
  });

  it.each([301, 302, 303])("that answers %i is read where that says, which is no review", async (status) => {
    let method: string | undefined;
    const error = await failure(
      create((request, response) => {
        if (request.url?.startsWith("/check")) response.writeHead(status, { location: "/moved" }).end();
        else {
          method = request.method;
          response.end(
            '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true}}',
          );
        }
      }),
    );
    expect(method).toBe("GET");
    expect(error.message).toMatch(/received invalid webhook response: expected response.uid="[^"]+", got ""/);
  });

  it("that leads in a circle is given up", async () => {
    const error = await failure(
      create((_request, response) => response.writeHead(307, { location: "/again" }).end()),
    );
    expect(error.message).toContain(
      `Post "https://127.0.0.1:${address.port}/again": stopped after 10 redirects`,
    );
  });

  it("that shows a certificate without its address", async () => {
    const named = authority.issue({
      commonName: "hook",
      hosts: ["hook.example.com"],
      usage: "server",
      ...validity,
    });
    const other = createServer({ cert: named.certificate, key: named.key }, answering({ allowed: true }));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const url = (host: string): string => `https://${host}:${(other.address() as AddressInfo).port}/`;
    const byAddress = await failure(create(answering({}), { clientConfig: { url: url("127.0.0.1") } }));
    expect(byAddress.message).toContain(
      "tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    );
    const byName = await failure(create(answering({}), { clientConfig: { url: url("localhost") } }));
    expect(byName.message).toContain("x509: certificate is valid for hook.example.com, not localhost");
    await new Promise((resolve) => other.close(resolve));
  });

  it("that speaks plain HTTP where HTTPS is expected", async () => {
    const plain = createHttpServer((_request, response) => response.end());
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    const url = `https://127.0.0.1:${(plain.address() as AddressInfo).port}/`;
    const error = await failure(create(answering({}), { clientConfig: { url } }));
    expect(error.message).toContain(
      `Post "${url}?timeout=5s": http: server gave HTTP response to HTTPS client`,
    );
    await new Promise((resolve) => plain.close(resolve));
  });

  it("that is not there", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const url = `https://127.0.0.1:${port}/`;
    const error = await failure(create(answering({ allowed: true }), { clientConfig: { url } }));
    expect(error.message).toContain(
      `Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "${url}?timeout=5s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
  });

  it.each<readonly [string, RequestListener, string]>([
    [
      "garbage",
      (_, response) => response.end("<html>"),
      "json parse error: invalid character '<' looking for beginning of value",
    ],
    [
      "nothing",
      (_, response) => response.end(),
      "0-length response with status code: 200 and content type: ",
    ],
    [
      "an error",
      (_, response) => response.writeHead(500).end("oh no"),
      'an error on the server ("oh no") has prevented the request from succeeding',
    ],
    [
      "no such page",
      (_, response) => response.writeHead(404).end("404 page not found"),
      "the server could not find the requested resource",
    ],
    [
      "a teapot",
      (_, response) => response.writeHead(418).end("I am one"),
      "the server responded with the status code 418 but did not return more information",
    ],
    [
      "that it cannot answer so",
      (_, response) => response.writeHead(406).end("text here"),
      "failed to call webhook: text here",
    ],
    [
      "a failure as Kubernetes says it",
      (_, response) =>
        response
          .writeHead(503)
          .end('{"kind":"Status","apiVersion":"v1","status":"Failure","message":"come back later"}'),
      "failed to call webhook: come back later",
    ],
    [
      "half an answer",
      (_, response) => {
        response.writeHead(200, { "content-length": "1000" }).write("{");
        setImmediate(() => response.destroy());
      },
      "failed to call webhook: ",
    ],
    ["a closed connection", (request) => request.socket.destroy(), "EOF"],
    [
      "more than anyone can read",
      (_, response) => {
        const chunk = Buffer.alloc(1 << 20, " ");
        const write = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", write);
        write();
      },
      "the answer of the webhook is too large",
    ],
  ])("that answers with %s", async (_what, listener, message) => {
    const error = await failure(create(listener));
    expect(error).toMatchObject({ code: 500, reason: "InternalError" });
    expect(error.message).toContain(message);
  });

  it("that never answers is given up in time, and its connection closed", async () => {
    // Its five seconds are over as soon as it was asked.
    let runOut: () => void = () => undefined;
    const clock: Clock = {
      ...systemClock,
      setTimer(delay, callback) {
        if (delay === 5_000) runOut = callback;
        return systemClock.setTimer(delay, callback);
      },
    };
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const silent: RequestListener = (request) => {
      request.socket.once("close", () => closed());
      runOut();
    };
    const error = await failure(create(silent, { clock }));
    expect(error.message).toContain(
      `Post "https://127.0.0.1:${address.port}/check?timeout=5s": context deadline exceeded`,
    );
    await gone;
  });
});
