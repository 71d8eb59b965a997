// Conversion by a webhook outside of this process: over TLS on loopback, by URL and by service reference, with a store that
// moves from one version to the next.
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import type { ApiServerOptions } from "@kubewright/apiserver";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  definition,
  definitionServer,
  definitionsPath,
  version,
  widget,
  widgetsPath,
} from "./definition-server.js";

const v1 = "example.com/v1";
const v2 = "example.com/v2";
const hour = 3_600_000;
const validity = { notBefore: Date.now() - hour, notAfter: Date.now() + hour };
const authority = createCertificateAuthority({ commonName: "converters", ...validity });
const stranger = createCertificateAuthority({ commonName: "someone else", ...validity });
const hosts = ["127.0.0.1", "convert.default.svc"];
const serving = authority.issue({ commonName: "convert", hosts, usage: "server", ...validity });
const bundle = (certificate: string): string => Buffer.from(certificate).toString("base64");

let handler: RequestListener;
const hook = createServer({ cert: serving.certificate, key: serving.key }, (request, response) =>
  handler(request, response),
);
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  port = (hook.address() as AddressInfo).port;
});
afterAll(() => {
  hook.closeAllConnections();
  return new Promise((resolve) => hook.close(resolve));
});

interface Custom {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown>;
  spec: { size?: number; height?: number };
}
interface Question {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: Custom[];
}
interface Answer {
  uid: string;
  result: object;
  convertedObjects: Custom[];
}

/** v1 says `size`, v2 says `height`. */
const convert = ({ spec, ...object }: Custom, apiVersion: string): Custom => {
  const value = spec.size ?? spec.height;
  const shape = apiVersion === v1 ? { size: value } : { height: value };
  return { ...object, apiVersion, spec: value === undefined ? {} : (shape as Custom["spec"]) };
};

/** A webhook as one is written in Node; `spoil` changes its answers. */
function converting(
  asked: Question[] = [],
  spoil: (answer: Answer) => unknown = () => undefined,
): RequestListener {
  return async (request, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { apiVersion: string; request: Question };
    const { uid, desiredAPIVersion, objects } = review.request;
    asked.push({ ...review.request, uid: `${request.method} ${request.url}` });
    const convertedObjects = objects.map((object) => convert(object, desiredAPIVersion));
    const answer: Answer = { uid, result: { status: "Success" }, convertedObjects };
    spoil(answer);
    const { apiVersion } = review;
    outgoing.setHeader("content-type", "application/json");
    outgoing.end(JSON.stringify({ kind: "ConversionReview", apiVersion, response: answer }));
  };
}

const numbers = (field: string) => ({
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { [field]: { type: "integer" } } } },
    },
  },
});

interface Wanted {
  readonly storage?: "v1" | "v2";
  readonly clientConfig?: object;
}

const shapes = ({ storage = "v1", clientConfig = {} }: Wanted = {}) =>
  definition({
    versions: [
      version("v1", { ...numbers("size"), storage: storage === "v1" }),
      version("v2", { ...numbers("height"), storage: storage === "v2" }),
    ],
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: {
          url: `https://127.0.0.1:${port}/convert`,
          caBundle: bundle(authority.certificate),
          ...clientConfig,
        },
      },
    },
  });

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function started(listener: RequestListener, wanted: Wanted = {}, options: ApiServerOptions = {}) {
  handler = listener;
  const tools = definitionServer(options);
  servers.push(tools.server);
  await tools.define(shapes(wanted));
  return tools;
}

describe("a conversion webhook over HTTPS", () => {
  it("is asked by its URL for what is stored in another version, lists in one go", async () => {
    const asked: Question[] = [];
    const { call } = await started(converting(asked));
    for (const name of ["a", "b"]) await call("POST", widgetsPath(v1), widget(name, { size: 3 }, v1));
    expect(asked).toEqual([]);
    const { body } = await call("GET", widgetsPath(v2));
    expect(body.items.map(({ spec }: Custom) => spec)).toEqual([{ height: 3 }, { height: 3 }]);
    expect(asked).toMatchObject([
      { uid: "POST /convert?timeout=30s", desiredAPIVersion: v2, objects: [{}, {}] },
    ]);
  });

  it("is found behind a service, by the name its certificate has", async () => {
    const asked: Question[] = [];
    const service = { namespace: "default", name: "convert", path: "/svc" };
    const resolveService = () => ({ host: "127.0.0.1", port });
    const wanted = { clientConfig: { url: undefined, service } };
    const { call } = await started(converting(asked), wanted, { resolveService });
    await call("POST", widgetsPath(v2), widget("w", { height: 3 }, v2));
    expect(asked.map(({ uid }) => uid)).toEqual(["POST /svc?timeout=30s", "POST /svc?timeout=30s"]);
  });

  it("carries a store from one version to the next, object by object, until the old one can go", async () => {
    const { call, define } = await started(converting());
    for (const name of ["a", "b"]) await call("POST", widgetsPath(v1), widget(name, { size: 3 }, v1));
    const migrated = await define(shapes({ storage: "v2" }));
    expect(migrated.body.status.storedVersions).toEqual(["v1", "v2"]);
    for (const name of ["a", "b"]) {
      const { body } = await call("GET", `${widgetsPath(v2)}/${name}`);
      const written = await call("PUT", `${widgetsPath(v2)}/${name}`, body);
      expect(written.status).toBe(200);
      // Nothing changed but the version it is stored in; that alone is worth a write.
      expect(written.body.metadata.resourceVersion).not.toBe(body.metadata.resourceVersion);
    }
    const path = `${definitionsPath}/widgets.example.com`;
    const { body: present } = await call("GET", path);
    const done = { ...present, status: { ...present.status, storedVersions: ["v2"] } };
    expect((await call("PUT", `${path}/status`, done)).status).toBe(200);
    // From here on v2 needs nobody.
    handler = (request) => request.socket.destroy();
    const { body } = await call("GET", widgetsPath(v2));
    expect(body.items.map(({ spec }: Custom) => spec)).toEqual([{ height: 3 }, { height: 3 }]);
    expect((await call("GET", widgetsPath(v1))).status).toBe(500);
  });

  it("works again after it failed", async () => {
    const { call } = await started((request) => request.socket.destroy());
    await call("POST", widgetsPath(v1), widget("w", { size: 3 }, v1));
    expect((await call("GET", `${widgetsPath(v2)}/w`)).status).toBe(500);
    handler = converting();
    expect((await call("GET", `${widgetsPath(v2)}/w`)).body.spec).toEqual({ height: 3 });
  });
});

const failed = "conversion webhook for example.com/v1, Kind=Widget";
const posting = (at: number) => `${failed} failed: Post "https://127.0.0.1:${at}/convert?timeout=30s": `;
const spoiling = (spoil: (answer: Answer) => unknown): RequestListener => converting([], spoil);
const eachObject = (change: (object: Custom) => unknown): RequestListener =>
  spoiling((answer) => answer.convertedObjects.forEach(change));

describe("a conversion fails when the webhook", () => {
  it.each<readonly [string, RequestListener, () => string]>([
    [
      "answers someone else",
      spoiling((answer) => (answer.uid = "other")),
      () => `${failed} failed: expected response.uid="`,
    ],
    [
      "loses an object",
      spoiling((answer) => answer.convertedObjects.pop()),
      () => `${failed} returned 0 objects, expected 1`,
    ],
    [
      "adds an object",
      spoiling((answer) => answer.convertedObjects.push(...answer.convertedObjects)),
      () => `${failed} returned 2 objects, expected 1`,
    ],
    [
      "renames",
      eachObject((object) => (object.metadata = { ...object.metadata, name: "x" })),
      () => `${failed} returned invalid object: must have the same name: w != x`,
    ],
    [
      "moves",
      eachObject((object) => (object.metadata = { ...object.metadata, namespace: "x" })),
      () => `${failed} returned invalid object: must have the same namespace: default != x`,
    ],
    [
      "gives another uid",
      eachObject((object) => (object.metadata = { ...object.metadata, uid: "x" })),
      () => `${failed} returned invalid object: must have the same UID: `,
    ],
    [
      "converts to something else",
      eachObject((object) => (object.apiVersion = "example.com/v3")),
      () =>
        `${failed} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v3)`,
    ],
    ["hangs up", (request) => request.socket.destroy(), () => `${posting(port)}EOF`],
    [
      "says 404",
      (_, response) => response.writeHead(404).end(),
      () => `${failed} failed: the server could not find the requested resource`,
    ],
    [
      "talks nonsense",
      (_, response) => response.end("<html>"),
      () => `${failed} failed: couldn't get version/kind; json parse error: `,
    ],
  ])("%s", async (_what, listener, message) => {
    const { call } = await started(listener);
    await call("POST", widgetsPath(v1), widget("w", { size: 3 }, v1));
    const { status, body } = await call("GET", `${widgetsPath(v2)}/w`);
    expect(status).toBe(500);
    expect(body.message).toContain(message());
    // What was sent in the other version is not stored.
    expect((await call("POST", widgetsPath(v2), widget("y", { height: 1 }, v2))).status).toBe(500);
    expect((await call("GET", `${widgetsPath(v1)}/y`)).status).toBe(404);
  });

  it("shows a certificate of someone else", async () => {
    const caBundle = bundle(stranger.certificate);
    const { call } = await started(converting(), { clientConfig: { caBundle } });
    await call("POST", widgetsPath(v1), widget("w", { size: 3 }, v1));
    const { body } = await call("GET", `${widgetsPath(v2)}/w`);
    expect(body.message).toContain(`${posting(port)}tls: failed to verify certificate: x509: `);
  });

  it("is not there", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const gone = (closed.address() as AddressInfo).port;
    await new Promise((resolve) => closed.close(resolve));
    const url = `https://127.0.0.1:${gone}/convert`;
    const { call } = await started(converting(), { clientConfig: { url } });
    await call("POST", widgetsPath(v1), widget("w", { size: 3 }, v1));
    const { body } = await call("GET", `${widgetsPath(v2)}/w`);
    expect(body.message).toBe(`${posting(gone)}dial tcp 127.0.0.1:${gone}: connect: connection refused`);
  });

  it("never answers; then its connection is closed", async () => {
    // Its thirty seconds are over as soon as it was asked.
    let runOut: () => void = () => undefined;
    const clock: Clock = {
      ...systemClock,
      setTimer(delay, callback) {
        if (delay === 30_000) runOut = callback;
        return systemClock.setTimer(delay, callback);
      },
    };
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const silent: RequestListener = (request) => {
      request.socket.once("close", () => closed());
      runOut();
    };
    const { call } = await started(silent, {}, { clock });
    await call("POST", widgetsPath(v1), widget("w", { size: 3 }, v1));
    const { body } = await call("GET", `${widgetsPath(v2)}/w`);
    expect(body.message).toBe(`${posting(port)}context deadline exceeded`);
    await gone;
  });
});
