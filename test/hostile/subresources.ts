// Requests that do something other than store an object: reviews, tokens, evictions, bindings, streams.
import type { Attack } from "./attack.js";
import { mutated } from "./mutate.js";
import type { Random } from "./random.js";
import { query } from "./texts.js";
import { text } from "./values.js";
import { body } from "./writes.js";

const pod = "/api/v1/namespaces/default/pods/sample";
const authorization = "/apis/authorization.k8s.io/v1";
const attributes = { namespace: "default", verb: "get", group: "apps", resource: "deployments", name: "x" };
const selected = {
  ...attributes,
  labelSelector: { requirements: [{ key: "a", operator: "In", values: ["b"] }] },
  fieldSelector: { rawSelector: "metadata.name=x" },
};
const review = (kind: string, spec: object): object => ({
  apiVersion: "authorization.k8s.io/v1",
  kind,
  spec,
});

const posts: readonly (readonly [path: string, object: object])[] = [
  [
    `${pod}/eviction`,
    {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "sample" },
      deleteOptions: { dryRun: ["All"] },
    },
  ],
  [
    `${pod}/binding`,
    { apiVersion: "v1", kind: "Binding", metadata: { name: "sample" }, target: { kind: "Node", name: "n" } },
  ],
  [
    "/api/v1/namespaces/default/bindings",
    { apiVersion: "v1", kind: "Binding", metadata: { name: "sample" }, target: { name: "n" } },
  ],
  [
    "/api/v1/namespaces/default/serviceaccounts/sample/token",
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {
        audiences: ["a"],
        expirationSeconds: 600,
        boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "sample" },
      },
    },
  ],
  [
    "/apis/authentication.k8s.io/v1/tokenreviews",
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token: "a.b.c", audiences: ["x"] },
    },
  ],
  [
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  ],
  [
    `${authorization}/selfsubjectaccessreviews`,
    review("SelfSubjectAccessReview", { resourceAttributes: selected }),
  ],
  [
    `${authorization}/subjectaccessreviews`,
    review("SubjectAccessReview", {
      user: "jane",
      groups: ["a"],
      extra: { k: ["v"] },
      resourceAttributes: selected,
    }),
  ],
  [
    `${authorization}/subjectaccessreviews`,
    review("SubjectAccessReview", { user: "jane", nonResourceAttributes: { path: "/x", verb: "get" } }),
  ],
  [
    `${authorization}/namespaces/default/localsubjectaccessreviews`,
    review("LocalSubjectAccessReview", { user: "jane", resourceAttributes: attributes }),
  ],
  [`${authorization}/selfsubjectrulesreviews`, review("SelfSubjectRulesReview", { namespace: "default" })],
  [
    "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: "sample" },
      spec: {
        request: "LS0tLS1CRUdJTg==",
        signerName: "example.com/s",
        usages: ["client auth"],
        expirationSeconds: 600,
      },
    },
  ],
];

/** Something to be decided or done. */
export function act(random: Random): Attack {
  const [path, object] = random.pick(posts);
  const { encoding: _, ...rest } = body(random, random.chance(0.9) ? mutated(random, object) : object);
  return {
    attack: path.slice(path.lastIndexOf("/") + 1),
    method: "POST",
    path,
    query: query(random),
    ...rest,
  };
}

const streams = ["log", "exec", "attach", "portforward", "proxy", "proxy/a/../b"];
const streamParameters = [
  "container",
  "command",
  "stdin",
  "tty",
  "follow",
  "tailLines",
  "sinceSeconds",
  "sinceTime",
  "limitBytes",
  "ports",
  "path",
];

/** A stream of a pod, whose connection becomes something else, or does not. */
export function stream(random: Random): Attack {
  const parameters = new URLSearchParams();
  for (let count = random.below(4); count > 0; count--)
    parameters.append(
      random.pick(streamParameters),
      random.chance(0.5) ? random.pick(["true", "1", "-1", "web"]) : text(random),
    );
  const place = random.pick([pod, "/api/v1/namespaces/default/services/sample", "/api/v1/nodes/sample"]);
  return {
    attack: "stream",
    method: random.pick(["GET", "GET", "POST"]),
    path: `${place}/${random.pick(streams)}`,
    query: parameters,
    headers: random.chance(0.7) ? upgrade(random) : {},
  };
}

const protocols = [
  "v5.channel.k8s.io",
  "v4.channel.k8s.io",
  "base64.channel.k8s.io",
  "SPDY/3.1+portforward.k8s.io",
  "x",
  "a,".repeat(500),
];

/** The headers of a client that wants another protocol. */
export const upgrade = (random: Random): Record<string, string> => ({
  connection: random.pick(["Upgrade", "upgrade, keep-alive", "close"]),
  upgrade: random.pick(["websocket", "SPDY/3.1", "h2c", "x"]),
  ...(random.chance(0.8) ? { "sec-websocket-version": random.pick(["13", "8", "x"]) } : {}),
  ...(random.chance(0.8) ? { "sec-websocket-key": random.pick(["dGhlIHNhbXBsZSBub25jZQ==", "x", ""]) } : {}),
  "sec-websocket-protocol": random.pick(protocols),
});
