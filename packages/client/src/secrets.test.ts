// No error contains a credential, whatever failed and however it is printed.
import { inspect } from "node:util";
import { Node, Pod, Secret } from "@kubewright/api";
import { afterEach, describe, expect, it } from "vitest";
import { Client } from "./client.js";
import { clientFromKubeConfig } from "./client-from-kubeconfig.js";
import { json, loopback, rawLoopback, testAuthority, unusedPort } from "./fixtures/loopback-server.js";
import { parseKubeConfig } from "./kubeconfig/parse-kubeconfig.js";
import { type UndiciTransportOptions, undiciTransport } from "./transport/undici-transport.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const secret = "s3cr3t-value";
const authority = testAuthority();
const identity = authority.client("ann");
/** The body of the key, which would be recognised in any form. */
const keyBody = identity.key.split("\n")[1]!;

async function server(handler: Parameters<typeof loopback>[0], tls?: Parameters<typeof loopback>[1]) {
  const started = await loopback(handler, tls);
  open.push(started);
  return started.url;
}

async function raw(text: string) {
  const started = await rawLoopback((socket) => socket.once("data", () => socket.end(text)));
  open.push(started);
  return started.url;
}

const faults: [string, () => Promise<string>, Partial<UndiciTransportOptions>][] = [
  ["a refused connection", async () => `http://127.0.0.1:${await unusedPort()}`, {}],
  ["an unknown name", async () => "http://nowhere.invalid", {}],
  ["a closed connection", () => raw(""), {}],
  ["another protocol", () => raw("SSH-2.0\r\n"), {}],
  ["half an answer", () => raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), {}],
  ["no answer", () => server(() => undefined), { answerTimeout: 20 }],
  ["an answer of 401", () => server((_request, response) => json(response, {}, 401)), {}],
  ["an answer of 500", () => server((_request, response) => json(response, {}, 500)), {}],
  [
    "a failed handshake",
    () => server(() => undefined, testAuthority("other").server()),
    { ca: authority.ca },
  ],
  [
    "a proxy that is not there",
    async () => "https://10.0.0.1",
    { proxyUrl: `http://u:${secret}@127.0.0.1:1` },
  ],
  ["a header that cannot be sent", () => server(() => undefined), { token: `${secret}\n` }],
  ["a bad key", async () => "https://127.0.0.1:1", { ...identity, key: `${identity.key.slice(0, 100)}` }],
];

describe("credentials are kept out of errors", () => {
  it.each(faults)("after %s", async (_what, start, options) => {
    const transport = undiciTransport({
      server: await start(),
      retry: false,
      token: secret,
      ...(options.proxyUrl ? { username: "u", password: secret } : {}),
      ...identity,
      ...options,
    });
    open.push(transport);
    const client = new Client({ transport, defaultNamespace: "x" });
    const call = client.create(Secret, { metadata: { name: "a" }, stringData: { password: secret } });
    const error = await call.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Error);
    const shown = `${inspect(error, { depth: 12, showHidden: true })}${(error as Error).stack}`;
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(keyBody);
    expect(shown).not.toContain(Buffer.from(`u:${secret}`).toString("base64"));
  });

  it("after a bad kubeconfig", async () => {
    const text = `
current-context: x
contexts: [{ name: x, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "https://127.0.0.1:1", proxy-url: "gopher://u:${secret}@x" } }]
users: [{ name: u, user: { token: ${secret} } }]`;
    const error = await parseKubeConfig(text, "/c")
      .then((config) => clientFromKubeConfig(config).get(Node, "n"))
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "ConfigError" });
    expect(inspect(error, { depth: 12, showHidden: true })).not.toContain(secret);
  });
});

describe("closing a client leaves nothing behind", () => {
  it("after calls, failures and watches of every kind", async () => {
    const active = (): string[] =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap" || name === "TLSWrap");
    const before = active().length;
    const started = await loopback((request, response) => {
      if (request.url?.includes("watch")) response.writeHead(200).write('{"type":"ADDED","object":{}}\n');
      else json(response, {}, request.url?.includes("bad") ? 500 : 200);
    });
    const client = new Client({ transport: undiciTransport({ server: started.url, retry: false }) });
    await Promise.all([1, 2, 3].map(() => client.get(Node, "good")));
    await client.get(Node, "bad").catch(() => undefined);
    for await (const _event of client.watch(Pod)) break;
    const watch = client.watch(Pod);
    await watch.next();
    await client.close();
    await expect(watch.next()).rejects.toMatchObject({ problem: "closed" });
    await started.close();
    // Connections that earlier tests left to be closed may end meanwhile.
    await expect.poll(() => active().length).toBeLessThanOrEqual(before);
  });
});
