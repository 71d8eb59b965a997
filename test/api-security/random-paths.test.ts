// Paths put together at random from all that could confuse who judges them with who serves them: what is let through as one
// thing must never be served as another.
import type { PolicyRule } from "@kubewright/api";
import { admin, type UserInfo } from "@kubewright/apiserver";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GuardedServer, type Method, secretText } from "./guarded-server.js";

const guarded = new GuardedServer();
const secret = "/api/v1/namespaces/default/secrets/x";
const told = Buffer.from(secretText).toString("base64");
let allButSecrets: UserInfo;
let onlyPaths: UserInfo;

beforeAll(async () => {
  await guarded.fill();
  const others: PolicyRule = {
    verbs: ["*"],
    apiGroups: ["*"],
    resources: [
      "configmaps",
      "pods",
      "pods/*",
      "namespaces",
      "namespaces/*",
      "nodes",
      "widgets",
      "deployments",
    ].concat(["*/status", "*/scale", "*/proxy", "*/log", "watch", "proxy", "x", "default", "v1", ""]),
  };
  const paths: PolicyRule = { verbs: ["*"], nonResourceURLs: ["*"] };
  allButSecrets = await guarded.user([], [others, paths]);
  onlyPaths = await guarded.user([], [paths]);
});
afterAll(() => guarded.server.close());

const separators = [
  "/",
  "/",
  "/",
  "/",
  "//",
  "%2f",
  "%2F",
  "/./",
  "/../",
  "/%2e%2e/",
  "/%2e/",
  "%5c",
  "\\",
  ";/",
  ";a=b/",
  "%00/",
  "%20/",
  "/%252f",
];
const segments = [
  "api",
  "apis",
  "v1",
  "namespaces",
  "default",
  "secrets",
  "x",
  "Secrets",
  "watch",
  "proxy",
  "configmaps",
  "pods",
  "status",
  "scale",
  "example.com",
  "widgets",
  "apps",
  "log",
  "..",
  "%73ecrets",
  "secret%73",
  "kube-system",
  "*",
  "",
];
const queries = [
  "",
  "",
  "?watch=1&timeoutSeconds=1",
  "?fieldSelector=metadata.name=x",
  "?limit=1",
  "?dryRun=All",
  "?resourceVersion=0",
  "?path=secrets/x",
];

/** Mostly the way to the secret, with some of it changed. */
const path = fc
  .tuple(
    fc.constantFrom<readonly string[]>(
      ["api", "v1", "namespaces", "default", "secrets", "x"],
      ["api", "v1", "secrets"],
      ["api", "v1", "watch", "namespaces", "default", "secrets", "x"],
      ["api", "v1", "namespaces", "default", "configmaps", "..", "secrets", "x"],
      ["apis", "example.com", "v1", "namespaces", "default", "widgets", "x", "status"],
    ),
    fc.array(
      fc.tuple(fc.nat(8), fc.constantFrom("insert", "replace", "remove"), fc.constantFrom(...segments)),
      { maxLength: 3 },
    ),
    fc.array(fc.tuple(fc.nat(8), fc.constantFrom(...separators)), { maxLength: 2 }),
    fc.constantFrom(...queries),
  )
  .map(([base, changes, joints, query]) => {
    const parts = [...base];
    for (const [at, how, segment] of changes)
      parts.splice(at % (parts.length + 1), how === "insert" ? 0 : 1, ...(how === "remove" ? [] : [segment]));
    const between = new Map(joints.map(([at, joint]) => [at % (parts.length + 1), joint]));
    return `${parts.map((part, index) => `${between.get(index) ?? "/"}${part}`).join("")}${query}`;
  });

const methods: readonly Method[] = ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "POST"];
const body = { apiVersion: "v1", kind: "Secret", metadata: { name: "x" }, data: { stolen: "eA==" } };
const request = fc.tuple(fc.constantFrom(...methods), path).map(([method, url]) => ({
  method,
  url,
  ...(method === "GET" || method === "HEAD" || method === "OPTIONS" ? {} : { body }),
  ...(method === "PATCH" ? { headers: { "content-type": "application/merge-patch+json" } } : {}),
}));

test("no path leads around the right to read or write secrets", { timeout: 120_000 }, async () => {
  const before = (await guarded.send({ method: "GET", url: secret })).text;
  await fc.assert(
    fc.asyncProperty(request, async (sent) => {
      for (const user of [allButSecrets, onlyPaths]) {
        const { text } = await guarded.send(sent, user);
        expect(text).not.toContain(told);
        expect(text).not.toContain('"kind":"SecretList"');
      }
      if (sent.method !== "GET")
        expect((await guarded.send({ method: "GET", url: secret })).text).toBe(before);
    }),
    { numRuns: 3000 },
  );
});

test("and many of them lead to the secret for users who may read it", { timeout: 120_000 }, async () => {
  const sample = fc.sample(path, { numRuns: 500, seed: 7 });
  const found = await Promise.all(
    sample.map(async (url) => (await guarded.send({ method: "GET", url }, admin)).text.includes(told)),
  );
  expect(found.filter(Boolean).length).toBeGreaterThan(20);
});
