// A server with something of everything in it, and users who may do exactly what a test says.

import type { PolicyRule, TransportRequest } from "@kubewright/api";
import {
  type ApiServer,
  type ApiServerOptions,
  admin,
  createApiServer,
  type UserInfo,
} from "@kubewright/apiserver";

export type Method = TransportRequest["method"];

export interface Sent {
  readonly method: Method;
  /** With the query. */
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly message: string;
}

/** What nobody may get to see who may not read secrets. */
export const secretText = "do-not-tell-anyone";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const core = "/api/v1/namespaces/default";

export class GuardedServer {
  readonly server: ApiServer;
  #users = 0;

  constructor(options: ApiServerOptions = {}) {
    this.server = createApiServer({ disableAdmission: ["ServiceAccount"], ...options });
  }

  async send({ method, url, body, headers }: Sent, user: UserInfo = admin): Promise<Answer> {
    const [path = "", query = ""] = url.split(/\?(.*)/s, 2);
    const abort = new AbortController();
    const response = await this.server.handle(
      {
        method,
        path,
        query: new URLSearchParams(query),
        headers: { "content-type": "application/json", ...headers },
        body: body === undefined ? undefined : { kind: "object", value: body },
        signal: abort.signal,
      },
      { user },
    );
    const { body: answer, status } = response;
    abort.abort();
    if (answer.kind === "events") {
      const events = answer.events[Symbol.asyncIterator]();
      // What is there to begin with comes at once.
      const first = await Promise.race([
        events.next(),
        new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined))),
      ]);
      await events.return?.();
      return { status, text: JSON.stringify(first?.value ?? ""), message: "" };
    }
    const value: unknown = answer.kind === "object" ? answer.value : undefined;
    const text = answer.kind === "bytes" ? Buffer.from(answer.bytes).toString() : JSON.stringify(value ?? "");
    return { status, text, message: messageOf(value) };
  }

  /** A new user with these rules in the namespace default, and those everywhere. */
  async user(
    rules: readonly PolicyRule[],
    everywhere: readonly PolicyRule[] = [],
    namespace = "default",
  ): Promise<UserInfo> {
    const name = `user-${this.#users++}`;
    await this.#bind(name, "Role", `${rbac}/namespaces/${namespace}/role`, rules);
    await this.#bind(name, "ClusterRole", `${rbac}/clusterrole`, everywhere);
    return { name, groups: ["system:authenticated"] };
  }

  async #bind(name: string, kind: string, path: string, rules: readonly PolicyRule[]): Promise<void> {
    if (rules.length === 0) return;
    const subjects = [{ kind: "User", name }];
    const made = await Promise.all([
      this.send({ method: "POST", url: `${path}s`, body: { metadata: { name }, rules } }),
      this.send({
        method: "POST",
        url: `${path}bindings`,
        body: { metadata: { name }, roleRef: { kind, name }, subjects },
      }),
    ]);
    for (const { status, message } of made) if (status !== 201) throw new Error(message);
  }

  /** Puts objects to ask for into the server. */
  async fill(): Promise<void> {
    const objects: readonly (readonly [string, object])[] = [
      ["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets],
      ["/api/v1/nodes", { metadata: { name: "node" } }],
      [`${core}/secrets`, { metadata: { name: "x" }, stringData: { key: secretText } }],
      [`${core}/serviceaccounts`, { metadata: { name: "x" } }],
      [`${core}/pods`, { metadata: { name: "x" }, spec: { containers: [{ name: "c", image: "i" }] } }],
      [`${core}/services`, { metadata: { name: "x" }, spec: { ports: [{ port: 80 }] } }],
      ["/apis/apps/v1/namespaces/default/deployments", deployment("x")],
    ];
    for (const [url, body] of objects) {
      const { status, message } = await this.send({ method: "POST", url, body });
      if (status !== 201) throw new Error(`${url}: ${message}`);
    }
    const url = "/apis/example.com/v1/namespaces/default/widgets";
    while ((await this.send({ method: "GET", url })).status !== 200) await new Promise(setImmediate);
    await this.send({ method: "POST", url, body: widget("x") });
  }
}

function messageOf(value: unknown): string {
  return typeof value === "object" && value !== null && "message" in value ? String(value.message) : "";
}

export const widget = (name: string) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec: { replicas: 1 },
});

export function deployment(name: string) {
  const labels = { app: name };
  const spec = { containers: [{ name: "c", image: "i" }] };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

const widgets = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
      },
    ],
  },
};
