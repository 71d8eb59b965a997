// A server to define custom kinds on, in this process: requests in, status and body out.
import { type ApiServerOptions, admin, createApiServer } from "@kubewright/apiserver";

/** What a request was answered with. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of any kind
  readonly body: any;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly warnings: readonly string[];
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The version of a definition; objects take anything in `spec` unless a schema says otherwise. */
export const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
  },
  ...more,
});

/** A schema whose spec has these properties. */
export const schemaOf = (properties: object) => ({
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
});

/** `widgets.example.com`, with changes. */
export function definition(spec: object = {}, metadata: object = {}) {
  const merged = {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [version("v1")],
    ...spec,
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${merged.names.plural}.${merged.group}`, ...metadata },
    spec: merged,
  };
}

export const widget = (
  name: string,
  spec: object = {},
  apiVersion = "example.com/v1",
  metadata: object = {},
) => ({
  apiVersion,
  kind: "Widget",
  metadata: { name, ...metadata },
  spec,
});

export const widgetsPath = (apiVersion = "example.com/v1") =>
  `/apis/${apiVersion}/namespaces/default/widgets`;

export function definitionServer(options: ApiServerOptions = {}) {
  const server = createApiServer({ authorization: "none", ...options });

  async function call(method: string, path: string, body?: unknown, more: CallOptions = {}): Promise<Answer> {
    const response = await server.handle(
      {
        method: method as "GET",
        path,
        query: new URLSearchParams(more.query),
        headers: { "content-type": "application/json", "user-agent": "test/1", ...more.headers },
        body: body === undefined ? undefined : { kind: "object", value: body },
      },
      { user: admin },
    );
    const { warning = [] } = response.headers;
    return {
      status: response.status,
      body: response.body.kind === "object" ? response.body.value : undefined,
      headers: response.headers,
      warnings: [warning].flat(),
    };
  }

  const patch = (path: string, body: unknown, more: CallOptions & { readonly type?: string } = {}) =>
    call("PATCH", path, body, {
      ...more,
      headers: { "content-type": `application/${more.type ?? "merge-patch+json"}` },
    });

  /** Asks until the answer is as wanted; the server's own work takes no time, only turns. */
  async function until(path: string, wanted: (answer: Answer) => boolean): Promise<Answer> {
    for (let turn = 0; turn < 2000; turn += 1) {
      const answer = await call("GET", path);
      if (wanted(answer)) return answer;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`${path} did not come to be as wanted: ${JSON.stringify(await call("GET", path))}`);
  }

  const conditionOf = ({ body }: Answer, type: string) =>
    body.status?.conditions?.find((condition: { type: string }) => condition.type === type);

  /** Creates or replaces a definition and waits until it is served so. */
  async function define(wanted: ReturnType<typeof definition>): Promise<Answer> {
    const path = `${definitionsPath}/${wanted.metadata.name}`;
    const { body: present, status } = await call("GET", path);
    const written =
      status === 404
        ? await call("POST", definitionsPath, wanted)
        : await call("PUT", path, {
            ...wanted,
            metadata: { ...wanted.metadata, resourceVersion: present.metadata.resourceVersion },
          });
    if (written.status >= 400) throw new Error(JSON.stringify(written.body));
    return until(path, (answer) => conditionOf(answer, "Established")?.status === "True");
  }

  /** A watch; `next` resolves to the next event, or undefined when the server ended it. */
  async function watch(path: string, query: Readonly<Record<string, string>> = {}) {
    const response = await server.handle(
      { method: "GET", path, query: new URLSearchParams({ watch: "true", ...query }), headers: {} },
      { user: admin },
    );
    if (response.body.kind !== "events") throw new Error(JSON.stringify(response.body));
    const events = response.body.events[Symbol.asyncIterator]();
    return {
      headers: response.headers,
      async next() {
        const { done, value } = await events.next();
        return done ? undefined : (value as { type: string; object: Answer["body"] });
      },
      close: () => events.return?.(),
    };
  }

  return { server, call, patch, until, define, watch, conditionOf };
}
