// Absurd selectors, parameters, paths and headers.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultOf } from "./faults.js";
import { hostileText } from "./mutations.js";
import { samples } from "./samples.js";
import { requestText, Target, Wire } from "./target.js";

const target = new Target();
const maps = "/api/v1/namespaces/default/configmaps";

beforeAll(async () => {
  await target.must({
    method: "POST",
    path: maps,
    object: { metadata: { name: "a", labels: { app: "b" } } },
  });
});

afterAll(async () => {
  expect(await target.uncaught()).toEqual([]);
  target.close();
});

const word = fc.oneof(
  fc.constantFrom(
    "a",
    "app",
    "in",
    "notin",
    "exists",
    "(",
    ")",
    ",",
    "=",
    "==",
    "!=",
    "!",
    ">",
    "<",
    " ",
    "\t",
  ),
  fc.constantFrom(
    "metadata.name",
    "metadata.namespace",
    "status.phase",
    "spec.nodeName",
    "\\,",
    "\\",
    "constructor",
  ),
  hostileText,
);
const selector = fc.array(word, { maxLength: 12 }).map((words) => words.join(""));
const anyPath = fc.constantFrom(...samples).map(({ path }) => path);

async function isAnswered(sent: Parameters<Target["send"]>[0]): Promise<void> {
  const response = await target.send(sent);
  expect(faultOf(response), `${sent.method} ${sent.path}?${sent.query}`).toBeUndefined();
  if (response.body.kind === "events") await response.body.events[Symbol.asyncIterator]().return?.();
}

describe("selectors", () => {
  test.each(["labelSelector", "fieldSelector"])("%s of every shape", (name) =>
    fc.assert(
      fc.asyncProperty(anyPath, selector, fc.boolean(), async (path, text, watch) => {
        const query = new URLSearchParams({ [name]: text, ...(watch ? { watch: "1" } : {}) });
        await isAnswered({ method: "GET", path, query });
      }),
      { numRuns: 400 },
    ),
  );

  test.each(["a,", "a=b,", "!a,", "a in (b,c),", "(", "=", ",", "a notin (", "\\", "a\\,=b,"])(
    "of 60 KB of %j are done with quickly",
    async (unit) => {
      const text = unit.repeat(60_000 / unit.length);
      for (const name of ["labelSelector", "fieldSelector"]) {
        const started = performance.now();
        await isAnswered({ method: "GET", path: maps, query: new URLSearchParams({ [name]: text }) });
        expect(performance.now() - started).toBeLessThan(2000);
      }
    },
  );
});

describe("parameters", () => {
  const names = [
    "limit",
    "continue",
    "resourceVersion",
    "resourceVersionMatch",
    "timeoutSeconds",
    "sendInitialEvents",
    "allowWatchBookmarks",
    "watch",
  ];
  const more = [
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
    "pretty",
    "includeObject",
    "gracePeriodSeconds",
    "propagationPolicy",
    "orphanDependents",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
  ];
  const value = fc.oneof(
    fc.constantFrom(
      "",
      "0",
      "-1",
      "1",
      "true",
      "false",
      "All",
      "Exact",
      "NotOlderThan",
      "9".repeat(30),
      "1e3",
      "0x1",
      "NaN",
      " 1",
    ),
    fc.base64String({ maxLength: 40 }),
    fc.jsonValue({ maxDepth: 1 }).map((json) => Buffer.from(JSON.stringify(json)).toString("base64url")),
    hostileText,
  );
  const pairs = fc.array(fc.tuple(fc.constantFrom(...names, ...more), value), { maxLength: 6 });
  const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS");

  test("of every kind on every verb", () =>
    fc.assert(
      fc.asyncProperty(method, anyPath, fc.boolean(), pairs, async (verb, path, named, query) => {
        const text = new URLSearchParams(query);
        const place = named ? `${path}/sample` : path;
        await isAnswered({
          method: verb,
          path: place,
          query: text,
          ...(verb === "POST" ? { object: {} } : {}),
        });
      }),
      { numRuns: 800 },
    ));

  const continued = (token: unknown): string => Buffer.from(JSON.stringify(token)).toString("base64url");
  test.each([
    [{ v: "meta.k8s.io/v1", rv: 1e300, start: "a" }],
    [{ v: "meta.k8s.io/v1", rv: -5, start: "\u0000" }],
    [{ v: "meta.k8s.io/v1", rv: 1, start: "../../x" }],
    [{ v: "meta.k8s.io/v1", rv: Number.MAX_SAFE_INTEGER, start: "default/a\u0000" }],
    [{ v: "meta.k8s.io/v1", rv: "1", start: {} }],
    [null],
    [[]],
  ])("continue tokens someone made up: %j", (token) =>
    isAnswered({
      method: "GET",
      path: maps,
      query: new URLSearchParams({ limit: "1", continue: continued(token) }),
    }),
  );
});

describe("paths", () => {
  const segment = fc.oneof(
    fc.constantFrom(
      "api",
      "apis",
      "v1",
      "apps",
      "namespaces",
      "default",
      "pods",
      "watch",
      "status",
      "log",
      "..",
      ".",
      "",
      "%2e%2e",
      "%2F",
      "%00",
      "%ff",
      "~",
      "*",
    ),
    fc.constantFrom(
      "openapi",
      "v2",
      "v3",
      "healthz",
      "metrics",
      "version",
      "proxy",
      "exec",
      "__proto__",
      "constructor",
    ),
    hostileText.map((text) => encodeURIComponent(text.replace(/[\ud800-\udfff]/g, "x"))),
  );
  const path = fc.array(segment, { maxLength: 10 }).map((segments) => `/${segments.join("/")}`);

  test("of every shape", () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom("GET", "POST", "DELETE"), path, async (method, text) => {
        await isAnswered({ method, path: text });
      }),
      { numRuns: 800 },
    ));

  test.each(["/", "a/", "%2F", "..", "é", "//x"])("of 60 KB of %j are done with quickly", async (unit) => {
    for (const start of ["/", "/api/v1/", "/apis/a/b/"]) {
      const started = performance.now();
      await isAnswered({ method: "GET", path: `${start}${unit.repeat(60_000 / unit.length)}x` });
      expect(performance.now() - started).toBeLessThan(2000);
    }
  });

  test("that climb reach nothing they should not", async () => {
    const secret = {
      method: "GET",
      path: "/api/v1/namespaces/default/configmaps/../../kube-system/configmaps",
    } as const;
    expect((await target.send(secret)).status).toBeOneOf([400, 404]);
    expect((await target.send({ method: "GET", path: `${maps}/..` })).status).toBeOneOf([400, 404]);
  });
});

describe("headers", () => {
  const names = [
    "accept",
    "content-type",
    "user-agent",
    "accept-encoding",
    "authorization",
    "if-none-match",
    "impersonate-user",
    "impersonate-group",
    "impersonate-uid",
    "impersonate-extra-a",
    "upgrade",
    "sec-websocket-protocol",
  ];
  const value = fc.oneof(
    fc.constantFrom(
      "*/*",
      "*",
      "application/json;as=Table;g=meta.k8s.io;v=v1",
      "application/json;as=x",
      ";;;",
      ",,,",
      "q=1",
      "application/json;q=abc",
      "text/html",
    ),
    fc.constantFrom(
      "Bearer",
      "Bearer a.b.c",
      `Bearer ${"a.".repeat(2000)}`,
      "Basic x",
      "gzip;q=0, *",
      "websocket",
      "system:masters",
    ),
    hostileText,
  );

  test("of every kind", () =>
    fc.assert(
      fc.asyncProperty(
        anyPath,
        fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 }),
        async (path, pairs) => {
          await isAnswered({ method: "GET", path, headers: Object.fromEntries(pairs) });
        },
      ),
      { numRuns: 500 },
    ));
});

describe("over the wire", () => {
  test.each([
    ["no HTTP", "hello\r\n\r\n", /^HTTP\/1.1 400 /],
    ["a version of the future", "GET / HTTP/9.9\r\n\r\n", /^HTTP\/1.1 400 /],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
      /^HTTP\/1.1 400 /,
    ],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      /^HTTP\/1.1 400 /,
    ],
    [
      "chunks of a wrong size",
      "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
      /^HTTP\/1.1 400 |^$/,
    ],
    [
      "headers without end",
      `GET / HTTP/1.1\r\nhost: x\r\na: ${"b".repeat(100_000)}\r\n\r\n`,
      /^HTTP\/1.1 431 |^$/,
    ],
    ["a path without end", requestText(`/${"a".repeat(100_000)}`), /^HTTP\/1.1 431 |^$/],
    ["a bad escape", requestText("/api/%zz"), /^HTTP\/1.1 400 /],
    ["an unknown method", requestText("/api").replace("GET", "BREW"), /^HTTP\/1.1 400 /],
    ["a tunnel", "CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n", /^$/],
    ["a bare line feed", "GET / HTTP/1.1\nhost: x\n\n", /^HTTP\/1.1 /],
  ])("%s is refused, and the server goes on", async (_, text, expected) => {
    const wire = await Wire.start();
    try {
      const socket = await wire.connect();
      let received = "";
      socket.setEncoding("latin1").on("data", (chunk) => (received += chunk));
      socket.write(text);
      socket.end();
      await new Promise((resolve) => socket.once("close", resolve));
      expect(received).toMatch(expected);
      expect((await wire.call("/version")).status).toBe(200);
      expect(await wire.target.uncaught()).toEqual([]);
    } finally {
      await wire.close();
    }
  });

  test("bytes that are no TLS are refused, and the server goes on", async () => {
    const wire = await Wire.start({ handshake: 200 });
    try {
      for (const bytes of ["GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\xff\xff".repeat(1000), ""]) {
        const socket = wire.connectPlain();
        if (bytes !== "") socket.write(bytes);
        await new Promise((resolve) => socket.once("close", resolve));
      }
      expect((await wire.call("/version")).status).toBe(200);
      expect(await wire.target.uncaught()).toEqual([]);
    } finally {
      await wire.close();
    }
  });
});
