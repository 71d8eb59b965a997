// A registry on this machine for tests, by the OCI distribution specification: it takes only what is whole, mounts blobs of other
// repositories, lists referrers, and asks for a password or a token where it is told to. A test may answer requests in its place.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface OciRegistryOptions {
  readonly login?: Login | undefined;
  /** Whether it takes note of subjects, as registries since distribution 1.1 do. Default: true. */
  readonly referrers?: boolean | undefined;
  /** Sees each request first; an answer that it gives stands. */
  readonly intercept?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

/** How to log in: by password, or by a token for which a password or an identity token is needed. */
export type Login =
  | { readonly kind: "basic"; readonly password: string }
  | {
      readonly kind: "token";
      readonly password?: string;
      readonly identityToken?: string;
      /** Repositories that everybody may read. */
      readonly public?: readonly string[];
    };

interface Stored {
  readonly mediaType: string;
  readonly content: Buffer;
}

const sha256 = (content: Uint8Array): string =>
  `sha256:${createHash("sha256").update(content).digest("hex")}`;

export class OciRegistry {
  readonly calls: string[] = [];
  /** By repository and digest, and by repository and tag. */
  readonly blobs = new Map<string, Buffer>();
  readonly manifests = new Map<string, Stored>();
  readonly #uploads = new Map<string, Buffer>();
  readonly #tokens = new Map<string, ReadonlySet<string>>();
  readonly #options: OciRegistryOptions;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  host = "";

  private constructor(options: OciRegistryOptions) {
    this.#options = options;
  }

  static async start(options: OciRegistryOptions = {}): Promise<OciRegistry> {
    const registry = new OciRegistry(options);
    await new Promise<void>((resolve) => registry.#server.listen(0, "127.0.0.1", resolve));
    const address = registry.#server.address();
    registry.host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
    return registry;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  putBlob(repository: string, content: Uint8Array): { digest: string; size: number } {
    const digest = sha256(content);
    this.blobs.set(`${repository} ${digest}`, Buffer.from(content));
    return { digest, size: content.length };
  }

  /** Stores a manifest under its digest and, if there is one, a tag. */
  putManifest(repository: string, mediaType: string, document: object, tag?: string) {
    const content = Buffer.from(JSON.stringify(document));
    const digest = sha256(content);
    for (const reference of [digest, ...(tag === undefined ? [] : [tag])])
      this.manifests.set(`${repository} ${reference}`, { mediaType, content });
    return { mediaType, digest, size: content.length };
  }

  /** A token to read a public repository with. */
  async token(repository: string): Promise<string> {
    const answer = await fetch(`http://${this.host}/token?scope=repository:${repository}:pull`);
    const { token } = (await answer.json()) as { token: string };
    return token;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? "", "http://registry");
    this.calls.push(`${request.method} ${url.pathname}${url.search}`);
    if (this.#options.intercept?.(request, response)) return undefined;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return undefined; // The client went away.
    }
    const body = Buffer.concat(chunks);
    if (url.pathname === "/token") return this.#issueToken(request, url, body, response);
    const [, name = "", rest = ""] =
      /^\/v2\/(.+?)\/((?:blobs|manifests|referrers|tags)\/.*)$/.exec(url.pathname) ?? [];
    const action = request.method === "GET" || request.method === "HEAD" ? "pull" : "push";
    if (!this.#isAllowed(request, name, action)) return this.#challenge(response, name, action);
    if (url.pathname === "/v2/") return response.writeHead(200).end("{}");
    const [kind = "", ...words] = rest.split("/");
    const reference = words.join("/");
    if (kind === "manifests") return this.#manifest(request, response, { name, reference, body });
    if (kind === "referrers") return this.#referrers(response, name, reference);
    if (kind === "blobs" && words[0] === "uploads")
      return this.#upload(request, response, { name, url, body });
    if (kind === "blobs") return this.#blob(request, response, name, reference);
    return refuse(response, 404, "NAME_UNKNOWN");
  }

  #blob(request: IncomingMessage, response: ServerResponse, name: string, digest: string): ServerResponse {
    const content = this.blobs.get(`${name} ${digest}`);
    if (!content) return refuse(response, 404, "BLOB_UNKNOWN");
    response.writeHead(200, { "content-length": content.length, "docker-content-digest": digest });
    return response.end(request.method === "HEAD" ? undefined : content);
  }

  #manifest(
    request: IncomingMessage,
    response: ServerResponse,
    { name, reference, body }: { name: string; reference: string; body: Buffer },
  ): ServerResponse {
    if (request.method === "PUT") return this.#storeManifest(request, response, { name, reference, body });
    const found = this.manifests.get(`${name} ${reference}`);
    if (!found) return refuse(response, 404, "MANIFEST_UNKNOWN");
    const { mediaType, content } = found;
    response.writeHead(200, {
      "content-type": mediaType,
      "content-length": content.length,
      "docker-content-digest": sha256(content),
    });
    return response.end(request.method === "HEAD" ? undefined : content);
  }

  #storeManifest(
    request: IncomingMessage,
    response: ServerResponse,
    { name, reference, body }: { name: string; reference: string; body: Buffer },
  ): ServerResponse {
    const digest = sha256(body);
    if (reference.startsWith("sha256:") && reference !== digest)
      return refuse(response, 400, "DIGEST_INVALID");
    const document = JSON.parse(body.toString());
    const mediaType = request.headers["content-type"] ?? "";
    if (document.mediaType !== mediaType) return refuse(response, 400, "MANIFEST_INVALID");
    const isThere = (part: { digest: string }) => this.blobs.has(`${name} ${part.digest}`);
    const isListed = (part: { digest: string }) => this.manifests.has(`${name} ${part.digest}`);
    const isWhole = document.manifests
      ? document.manifests.every(isListed)
      : [document.config, ...document.layers].every(isThere);
    if (!isWhole) return refuse(response, 404, "MANIFEST_BLOB_UNKNOWN");
    for (const key of [digest, reference]) this.manifests.set(`${name} ${key}`, { mediaType, content: body });
    const { subject } = document;
    const noted = subject && this.#options.referrers !== false ? { "oci-subject": subject.digest } : {};
    return response.writeHead(201, { location: `/v2/${name}/manifests/${digest}`, ...noted }).end();
  }

  #referrers(response: ServerResponse, name: string, digest: string): ServerResponse {
    if (this.#options.referrers === false) return refuse(response, 404, "UNSUPPORTED");
    const own = [...this.manifests].filter(([key]) => key.startsWith(`${name} sha256:`));
    const manifests = own.flatMap(([, { mediaType, content }]) => {
      const { subject, artifactType } = JSON.parse(content.toString());
      if (subject?.digest !== digest) return [];
      return [{ mediaType, digest: sha256(content), size: content.length, artifactType }];
    });
    response.writeHead(200, { "content-type": "application/vnd.oci.image.index.v1+json" });
    return response.end(JSON.stringify({ schemaVersion: 2, manifests }));
  }

  #upload(
    request: IncomingMessage,
    response: ServerResponse,
    { name, url, body }: { name: string; url: URL; body: Buffer },
  ): ServerResponse {
    const id = url.pathname.split("/").at(-1) ?? "";
    if (request.method === "POST") return this.#beginUpload(request, response, name, url);
    const sofar = this.#uploads.get(id);
    if (!sofar) return refuse(response, 404, "BLOB_UPLOAD_UNKNOWN");
    const content = Buffer.concat([sofar, body]);
    this.#uploads.set(id, content);
    if (request.method === "PATCH")
      return response.writeHead(202, { location: url.pathname, range: `0-${content.length - 1}` }).end();
    const digest = url.searchParams.get("digest");
    if (digest !== sha256(content)) return refuse(response, 400, "DIGEST_INVALID");
    this.#uploads.delete(id);
    this.putBlob(name, content);
    return response.writeHead(201, { location: `/v2/${name}/blobs/${digest}` }).end();
  }

  #beginUpload(request: IncomingMessage, response: ServerResponse, name: string, url: URL): ServerResponse {
    const [mount, from] = [url.searchParams.get("mount"), url.searchParams.get("from")];
    const content = mount && from ? this.blobs.get(`${from} ${mount}`) : undefined;
    if (content && from && this.#isAllowed(request, from, "pull")) {
      this.putBlob(name, content);
      return response.writeHead(201, { location: `/v2/${name}/blobs/${mount}` }).end();
    }
    const id = randomUUID();
    this.#uploads.set(id, Buffer.alloc(0));
    // Registries keep the state of an upload in the address.
    return response
      .writeHead(202, { location: `/v2/${name}/blobs/uploads/${id}?state=x`, range: "0-0" })
      .end();
  }

  #isAllowed({ headers: { authorization = "" } }: IncomingMessage, name: string, action: string): boolean {
    const { login } = this.#options;
    if (!login) return true;
    if (login.kind === "basic") return authorization === basic(login.password);
    const granted = this.#tokens.get(authorization.replace(/^Bearer /, ""));
    return granted?.has(`${name} ${action}`) ?? false;
  }

  #challenge(response: ServerResponse, name: string, action: string): ServerResponse {
    const scope = `repository:${name}:${action}`;
    const how =
      this.#options.login?.kind === "basic"
        ? 'Basic realm="here"'
        : `Bearer realm="http://${this.host}/token",service="registry.test",scope="${scope}"`;
    response.writeHead(401, { "www-authenticate": how });
    return response.end(JSON.stringify({ errors: [{ code: "UNAUTHORIZED" }] }));
  }

  #issueToken(request: IncomingMessage, url: URL, body: Buffer, response: ServerResponse): ServerResponse {
    const { login } = this.#options;
    if (login?.kind !== "token") return refuse(response, 404, "UNSUPPORTED");
    const form = new URLSearchParams(body.toString());
    const { authorization } = request.headers;
    const isKnown =
      (login.password !== undefined && authorization === basic(login.password)) ||
      (login.identityToken !== undefined && form.get("refresh_token") === login.identityToken);
    const isAnonymous = authorization === undefined && !form.has("refresh_token");
    if (!isKnown && !(isAnonymous && login.public)) return refuse(response, 401, "UNAUTHORIZED");
    const scopes = [...url.searchParams.getAll("scope"), ...(form.get("scope")?.split(" ") ?? [])];
    const granted = scopes.flatMap((scope) => {
      const [, name = "", actions = ""] = /^repository:(.+):([a-z,]+)$/.exec(scope) ?? [];
      if (isKnown) return actions.split(",").map((action) => `${name} ${action}`);
      return login.public?.includes(name) ? [`${name} pull`] : [];
    });
    const token = randomUUID();
    this.#tokens.set(token, new Set(granted));
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ token }));
  }
}

const basic = (password: string): string => `Basic ${Buffer.from(password).toString("base64")}`;

function refuse(response: ServerResponse, status: number, code: string): ServerResponse {
  response.writeHead(status, { "content-type": "application/json" });
  return response.end(JSON.stringify({ errors: [{ code, message: code.toLowerCase() }] }));
}
