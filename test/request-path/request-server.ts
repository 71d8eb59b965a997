// A server that tests talk to in bytes and headers, as clients over the network do, but without a socket.
import { type ApiServerOptions, createApiServer } from "@kubewright/apiserver";

/** What a request was answered with. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Tests reach into answers of any kind. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
  /** What was sent as bytes, as text. */
  readonly text: string;
  /** The texts of `Warning` headers. */
  readonly warnings: readonly string[];
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";

export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** A server with the namespace `test`. `url` is a path with a query; a string or bytes for a body go as they are. */
export async function requestServer(options: ApiServerOptions = {}) {
  const server = createApiServer({
    authorization: "none",
    disableAdmission: ["ServiceAccount"],
    ...options,
  });
  const call = async (
    method: Method,
    url: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const [path = "", query = ""] = url.split("?", 2);
    const response = await server.handle(
      {
        method,
        path,
        query: new URLSearchParams(query),
        headers: { "content-type": "application/json", "user-agent": "test/1", ...headers },
        body: body === undefined ? undefined : { kind: "bytes", bytes: bytesOf(body) },
      },
      { user: { name: "admin", groups: ["system:masters"] } },
    );
    const { warning = [] } = response.headers;
    return {
      status: response.status,
      headers: response.headers,
      body: contentOf(response.body),
      text: textOf(response.body),
      warnings: [warning].flat().map((text) => text.replace(/^299 - "|"$/g, "").replace(/\\(.)/g, "$1")),
    };
  };
  const patch = (type: keyof typeof patchTypes, url: string, body: unknown) =>
    call("PATCH", url, body, { "content-type": patchTypes[type] });
  const apply = (url: string, body: unknown) => patch("apply", url, body);
  await call("POST", "/api/v1/namespaces", { metadata: { name: "test" } });
  return { server, call, patch, apply };
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

interface Body {
  readonly kind: string;
  readonly value?: unknown;
  readonly bytes?: Uint8Array;
}

const textOf = ({ bytes }: Body): string => Buffer.from(bytes ?? []).toString();

/** JSON is read, also where it is indented; other text is left alone. */
function contentOf(body: Body): unknown {
  if (body.kind !== "bytes") return body.value;
  const text = textOf(body);
  return text.startsWith("{") ? JSON.parse(text) : text;
}

/** The status and message of a refusal, or the status alone. */
export const said = ({ status, body }: Answer): string =>
  body?.kind === "Status" && body.message !== undefined ? `${status} ${body.message}` : String(status);

/** `field: message` of every cause of a refusal. */
export const causes = ({ body }: Answer): string[] =>
  (body.details?.causes ?? []).map(
    (cause: { field: string; message: string }) => `${cause.field}: ${cause.message}`,
  );

/** Where ConfigMaps of the namespace `test` are. */
export const configMaps = "/api/v1/namespaces/test/configmaps";

/** A ConfigMap. */
export const configMap = (metadata: object, rest: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata,
  ...rest,
});
