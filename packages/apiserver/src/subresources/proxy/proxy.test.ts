import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import type { TransportRequest, TransportResponse } from "@kubewright/api";
import { admin, type UserInfo } from "@kubewright/kinds";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { podServer, podsPath } from "../../kinds/fixtures/pod-server.js";
import { isTunnel } from "../../listener/tunnel.js";
import type { NodeProxy, PortTarget } from "../connect-pod.js";

const services = "/api/v1/namespaces/test/services";
const nodesPath = "/api/v1/nodes";
const text = "text/plain";

/** What the program or the server says. */
interface Answer {
  readonly code?: number;
  readonly message?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The program in the pod: says what it was asked, redirects, has pages, and upgrades. */
function backend(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { url = "", method, headers } = incoming;
  if (url.startsWith("/redirect")) return void outgoing.writeHead(302, { location: "/elsewhere/" }).end();
  if (url.startsWith("/page"))
    return void outgoing
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end('<a href="/x">é</a>');
  if (url.startsWith("/zipped")) {
    const head = { "content-type": "text/html", "content-encoding": "gzip" };
    return void outgoing.writeHead(200, head).end(gzipSync('<a href="/x">'));
  }
  if (url.startsWith("/hang-up")) return void incoming.socket.destroy();
  let body = "";
  incoming.on("data", (chunk) => (body += chunk));
  incoming.on("end", () => {
    const status = url.startsWith("/teapot") ? 418 : 200;
    outgoing
      .writeHead(status, {
        "content-type": "application/json",
        "x-backend": "yes",
        "cache-control": "max-age=5",
      })
      .end(JSON.stringify({ method, url, headers, body }));
  });
}

let program: Server;
let port: number;
beforeAll(async () => {
  program = createServer(backend).on("upgrade", (incoming, socket: Duplex) => {
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n${incoming.url}`,
    );
  });
  await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve));
  port = (program.address() as AddressInfo).port;
});
afterAll(() => void program.close());

/** Every port that ends in 80 leads to the program; nobody listens at the others. */
function nodes() {
  const dialled: PortTarget[] = [];
  const asked: TransportRequest[] = [];
  const proxy: NodeProxy = {
    connect: async () => undefined,
    async dial(target) {
      dialled.push(target);
      if (target.port % 100 !== 80) return undefined;
      return connect(port, "127.0.0.1");
    },
    async kubelet(name, request) {
      if (name !== "n") return undefined;
      asked.push(request);
      return {
        status: 200,
        headers: { "content-type": text },
        body: { kind: "bytes", bytes: Buffer.from(request.path) },
      };
    },
  };
  return { proxy, dialled, asked };
}

async function start(options: { authorization?: "none" | "rbac" } = {}) {
  const { proxy, dialled, asked } = nodes();
  const base = await podServer({ nodes: proxy, ...options });
  const ports = [{ name: "web", containerPort: 8080 }];
  await base.call("POST", nodesPath, { apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
  await base.patch(`${nodesPath}/n/status`, {
    status: { addresses: [{ type: "InternalIP", address: "10.1.0.1" }] },
  });
  await base.create("p", { nodeName: "n", containers: [{ name: "c", image: "i", ports }] });
  await base.patch(`${podsPath}/p/status`, { status: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] } });
  const send = async (
    path: string,
    request: Partial<TransportRequest> = {},
    user: UserInfo = admin,
  ): Promise<{ response: TransportResponse; bytes: Buffer; body: string; json: Answer }> => {
    const [pathname = "", search] = path.split("?");
    const headers = { host: "api:6443", ...request.headers };
    const response = await base.server.handle(
      { method: "GET", ...request, path: pathname, query: new URLSearchParams(search), headers },
      { user, address: "192.0.2.7" },
    );
    const bytes = await bytesOf(response);
    return { response, bytes, body: bytes.toString(), json: parsed(response, bytes) };
  };
  return { ...base, send, dialled, asked };
}

async function bytesOf({ body }: TransportResponse): Promise<Buffer> {
  if (body.kind === "bytes") return Buffer.from(body.bytes);
  if (body.kind !== "stream") return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parsed({ body }: TransportResponse, bytes: Buffer): Answer {
  if (body.kind === "object") return body.value as Answer;
  try {
    return JSON.parse(bytes.toString()) as Answer;
  } catch {
    return {};
  }
}

describe("the proxy to a pod", () => {
  it.each([
    ["p", "/a/b", 8080, "/a/b"],
    ["p", "/", 8080, "/"],
    ["p:80", "/a/?x=1&x=2", 80, "/a/?x=1&x=2"],
    ["http:p:9080", "/a%20b/c%2Fd", 9080, "/a%20b/c/d"],
    ["p", "/a//b/../c", 8080, "/a/c"],
    ["p", "/%E9", 8080, "/%EF%BF%BD"],
  ])("%s: passes on %s to port %i", async (id, path, number, url) => {
    const { send, dialled } = await start();
    const { response, json } = await send(`${podsPath}/${id}/proxy${path}`);
    expect(dialled).toMatchObject([{ nodeName: "n", address: "10.0.0.1", port: number }]);
    expect(response).toMatchObject({ status: 200, headers: { "x-backend": "yes" } });
    expect(json).toMatchObject({ method: "GET", url });
  });

  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const)(
    "passes on %s with its body",
    async (method) => {
      const { send } = await start();
      const body = { kind: "bytes", bytes: Buffer.from("{not json") } as const;
      const { json } = await send(`${podsPath}/p/proxy`, { method, body, headers: { "content-type": text } });
      expect(json).toMatchObject({ method, url: "/", body: "{not json", headers: { "content-type": text } });
    },
  );

  it("says where a request came from, and never with which credentials", async () => {
    const { send } = await start();
    const headers = {
      authorization: "Bearer secret",
      "x-forwarded-for": "192.0.2.1",
      "x-remote-user": "eve",
      "proxy-authorization": "secret",
      accept: "image/png",
    };
    const { json } = await send(`${podsPath}/p/proxy/a/`, { headers });
    expect(json.headers).toMatchObject({
      host: "api:6443",
      accept: "image/png",
      "x-forwarded-for": "192.0.2.1, 192.0.2.7",
      "x-forwarded-uri": `${podsPath}/p/proxy/a/`,
    });
    expect(JSON.stringify(json.headers)).not.toMatch(/secret|eve/);
  });

  it("leaves statuses to the program", async () => {
    const { send } = await start();
    const { response } = await send(`${podsPath}/p/proxy/teapot`);
    expect(response.status).toBe(418);
    expect(response.headers["cache-control"]).toBe("no-cache, private, max-age=5");
  });

  it("redirects to a path that relative links are right for", async () => {
    const { send, dialled } = await start();
    const { response } = await send(`${podsPath}/p/proxy?a=1`);
    expect(response).toMatchObject({ status: 301, headers: { location: `${podsPath}/p/proxy/?a=1` } });
    expect(dialled).toEqual([]);
  });

  it("leads redirects and links of pages through itself", async () => {
    const { send } = await start();
    const prefix = `${podsPath}/p/proxy`;
    expect((await send(`${prefix}/redirect`)).response.headers["location"]).toBe(`${prefix}/elsewhere/`);
    const page = await send(`${prefix}/page`);
    expect(page.body).toBe(`<a href="${prefix}/x">é</a>`);
    const zipped = await send(`${prefix}/zipped`, { headers: { "accept-encoding": "gzip" } });
    expect(gunzipSync(zipped.bytes).toString()).toBe(`<a href="${prefix}/x">`);
  });

  it("asks for compressed answers where the client did not, and passes them on as they were before", async () => {
    const { send } = await start();
    const { response, body } = await send(`${podsPath}/p/proxy/zipped`);
    expect(body).toBe(`<a href="${podsPath}/p/proxy/x">`);
    expect(response.headers["content-encoding"]).toBeUndefined();
  });

  it.each([
    ["q", "/", 404, 'pods "q" not found'],
    ["a:b:c:d", "/", 400, 'invalid pod request "a:b:c:d"'],
    ["ftp:p:80", "/", 400, 'invalid pod request "ftp:p:80"'],
    [":80", "/", 400, 'invalid pod request ":80"'],
    [
      "https:p:8080",
      "/",
      503,
      "error trying to reach service: tls: first record does not look like a TLS handshake",
    ],
    ["p:81", "/", 503, "error trying to reach service: dial tcp 10.0.0.1:81: connect: connection refused"],
    ["p:70000", "/", 503, "error trying to reach service: dial tcp: address 70000: invalid port"],
    ["p", "/hang-up", 503, "error trying to reach service: EOF"],
    ["p", "/?dryRun=All", 400, "dryRun is not supported"],
  ])("%s%s answers %i", async (id, path, status, message) => {
    const { send } = await start();
    const { response, json } = await send(`${podsPath}/${id}/proxy${path}`);
    expect(response.status).toBe(status);
    expect(json).toMatchObject({ kind: "Status", message });
  });

  it.each([
    ...["127.0.0.1", "169.254.169.254", "224.0.0.1", "0.0.0.0", "255.255.255.255"],
    // Other ways to write addresses of this machine, of this link and of many.
    ...["::1", "0:0:0:0:0:0:0:1", "0::1", "::0001", "0::", "0:0:0:0:0:0:0:0", "fe80::1", "ff02::1"],
  ])("does not connect to %s", async (ip) => {
    const { send, patch, dialled } = await start();
    await patch(`${podsPath}/p/status`, { status: { podIP: ip, podIPs: [{ ip }] } });
    const { response, json } = await send(`${podsPath}/p/proxy/`);
    expect([response.status, json.message]).toEqual([400, "address not allowed"]);
    expect(dialled).toEqual([]);
  });

  it("refuses bodies beyond its limit", async () => {
    const { send } = await start();
    const body = { kind: "bytes", bytes: Buffer.alloc(3 * 1024 * 1024 + 1) } as const;
    const { response } = await send(`${podsPath}/p/proxy/`, { method: "POST", body });
    expect(response.status).toBe(413);
  });

  it("hands over the connection where the program agrees to an upgrade", async () => {
    const { send } = await start();
    const headers = { connection: "keep-alive, Upgrade", upgrade: "echo" };
    const { response } = await send(`${podsPath}/p/proxy/chat?x=1`, { headers });
    expect(response.status).toBe(101);
    if (!isTunnel(response)) throw new Error("no tunnel");
    const { socket, head } = response.tunnel;
    let said = head.toString();
    for await (const chunk of socket) said += chunk;
    expect(said).toBe("/chat");
    const refused = await send(`${podsPath}/p:81/proxy/chat`, { headers });
    expect(refused.json).toMatchObject({
      code: 500,
      message: "error dialing backend: dial tcp 10.0.0.1:81: connect: connection refused",
    });
  });
});

describe("the proxy to a Service", () => {
  const subset = (pod: string, ip: string) => ({
    addresses: [{ ip, targetRef: { kind: "Pod", namespace: "test", name: pod } }],
    ports: [{ name: "web", port: 8080 }],
  });

  async function withService(subsets: readonly object[]) {
    const base = await start();
    const spec = {
      ports: [
        { name: "web", port: 80, targetPort: 8080 },
        { name: "other", port: 81 },
      ],
    };
    await base.call("POST", services, { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec });
    await base.call("POST", "/api/v1/namespaces/test/endpoints", {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { name: "s" },
      subsets,
    });
    return base;
  }

  it.each(["s:web", "s:80", "http:s:80"])("%s leads to a pod behind it", async (id) => {
    const { send, dialled } = await withService([subset("p", "10.0.0.1")]);
    const { json } = await send(`${services}/${id}/proxy/a`);
    expect(json).toMatchObject({ url: "/a", headers: { "x-forwarded-uri": `${services}/${id}/proxy/a` } });
    expect(dialled).toMatchObject([{ address: "10.0.0.1", port: 8080, pod: { metadata: { name: "p" } } }]);
  });

  it.each<[id: string, subsets: readonly object[], status: number, message: string]>([
    ["s", [], 503, 'no endpoints available for service "s"'],
    ["s:web", [], 503, 'no endpoints available for service "s"'],
    ["s:82", [], 503, 'no service port 82 found for service "s"'],
    ["t", [], 404, 'services "t" not found'],
    ["t:80", [], 404, 'services "t" not found'],
    ["s:nope", [subset("p", "10.0.0.1")], 503, 'no endpoints available for service "s:nope"'],
    ["s:web", [subset("p", "10.0.0.9")], 503, 'no endpoints available for service "s:web"'],
    ["s:web", [subset("q", "10.0.0.1")], 503, 'no endpoints available for service "s:web"'],
    ["x:s:80", [], 400, 'invalid service request "x:s:80"'],
  ])("%s with %j answers %i", async (id, subsets, status, message) => {
    const { send } = await withService(subsets);
    const { response, json } = await send(`${services}/${id}/proxy/`);
    expect([response.status, json.message]).toEqual([status, message]);
  });
});

describe("the proxy to a node", () => {
  it.each(["n", "n:10250", "https:n:10250"])("%s is its kubelet", async (id) => {
    const { send, asked } = await start();
    const { body } = await send(`${nodesPath}/${id}/proxy/pods?x=1`, {
      headers: { authorization: "Bearer s" },
    });
    expect(body).toBe("/pods");
    expect(asked[0]?.headers).not.toHaveProperty("authorization");
    expect(asked[0]?.query?.get("x")).toBe("1");
  });

  it("leads to other ports of the node", async () => {
    const { send, dialled } = await start();
    expect((await send(`${nodesPath}/n:9080/proxy/metrics`)).json).toMatchObject({ url: "/metrics" });
    expect(dialled).toMatchObject([{ nodeName: "n", address: "10.1.0.1", port: 9080, pod: undefined }]);
  });

  it.each([
    ["m", 404, 'nodes "m" not found'],
    ["a:b:c:d", 400, 'invalid node request "a:b:c:d"'],
    ["n:81", 503, "error trying to reach service: dial tcp 10.1.0.1:81: connect: connection refused"],
  ])("%s answers %i", async (id, status, message) => {
    const { send } = await start();
    const { response, json } = await send(`${nodesPath}/${id}/proxy/`);
    expect([response.status, json.message]).toEqual([status, message]);
  });

  it.each([
    ...["127.0.0.1", "::1", "0::1", "0::", "fe80::1", "localhost"],
    ...["::ffff:127.0.0.1", "0:0:0:0:0:ffff:7f00:1", "::ffff:a9fe:a9fe"],
  ])("does not connect to a node at %s", async (address) => {
    const { send, patch, asked } = await start();
    await patch(`${nodesPath}/n/status`, {
      status: { addresses: [{ type: "InternalIP", address }] },
    });
    expect((await send(`${nodesPath}/n/proxy/`)).json).toMatchObject({
      code: 400,
      message: "address not allowed",
    });
    expect(asked).toEqual([]);
  });
});

describe("permission for proxies", () => {
  const user = { name: "u", groups: ["system:authenticated"] };

  it.each([
    ["GET", "get"],
    ["HEAD", "get"],
    ["POST", "create"],
    ["PUT", "update"],
    ["PATCH", "patch"],
    ["DELETE", "delete"],
  ] as const)("%s needs the verb %s of the subresource", async (method, verb) => {
    const { send, call } = await start({ authorization: "rbac" });
    const path = `${podsPath}/p/proxy/`;
    const refused = await send(path, { method }, user);
    expect(refused.json).toMatchObject({ code: 403 });
    expect(refused.json.message).toContain(`User "u" cannot ${verb} resource "pods/proxy"`);
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/test";
    const meta = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "r" } };
    const rules = [{ apiGroups: [""], resources: ["pods/proxy"], verbs: [verb] }];
    await call("POST", `${rbac}/roles`, { ...meta, kind: "Role", rules });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" }];
    await call("POST", `${rbac}/rolebindings`, { ...meta, kind: "RoleBinding", roleRef, subjects });
    expect((await send(path, { method }, user)).response.status).toBe(200);
  });
});
