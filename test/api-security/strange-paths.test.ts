// Paths that nobody sends by accident, as they are, over a connection: no client library would let them through.
import { connect, type TLSSocket } from "node:tls";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { type Listener, listen, type UserInfo } from "@kubewright/apiserver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GuardedServer, secretText } from "./guarded-server.js";

const tokens = new Map<string, UserInfo>([
  ["reader", { name: "reader", groups: [] }],
  ["paths", { name: "paths", groups: [] }],
]);
const guarded = new GuardedServer({ tokens });
let listener: Listener;

beforeAll(async () => {
  await guarded.fill();
  const url = "/apis/rbac.authorization.k8s.io/v1";
  const grant = async (name: string, rules: readonly object[]): Promise<void> => {
    await guarded.send({ method: "POST", url: `${url}/clusterroles`, body: { metadata: { name }, rules } });
    const roleRef = { kind: "ClusterRole", name };
    const body = { metadata: { name }, roleRef, subjects: [{ kind: "User", name }] };
    await guarded.send({ method: "POST", url: `${url}/clusterrolebindings`, body });
  };
  // One may read everything but secrets, the other every path that is no resource.
  await grant("reader", [
    { apiGroups: [""], resources: ["configmaps", "pods", "namespaces", "secrets/status"], verbs: ["*"] },
    { apiGroups: ["apps", "example.com"], resources: ["*"], verbs: ["*"] },
  ]);
  await grant("paths", [{ nonResourceURLs: ["*"], verbs: ["*"] }]);
  const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
  const authority = createCertificateAuthority({ commonName: "ca", ...validity });
  listener = await listen((request, peer) => guarded.server.handle(request, peer), {
    host: "127.0.0.1",
    port: 0,
    serving: authority.issue({ commonName: "s", hosts: ["127.0.0.1"], usage: "server", ...validity }),
    clientAuthority: authority.certificate,
  });
});

afterAll(async () => {
  await listener.close();
  guarded.server.close();
});

/** Sends a first line as it is; resolves to all that comes back. */
function sendRaw(line: string, token: string, headers = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect(
      { port: listener.port, host: "127.0.0.1", rejectUnauthorized: false },
      () => {
        const authorization = token === "" ? "" : `Authorization: Bearer ${token}\r\n`;
        socket.write(`${line} HTTP/1.1\r\nHost: x\r\n${authorization}${headers}Connection: close\r\n\r\n`);
      },
    );
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
    socket.setTimeout(20_000, () => socket.destroy(new Error("no answer")));
  });
}

const base64 = Buffer.from(secretText).toString("base64").slice(0, 20);

const attempts = [
  "/api/v1/secrets",
  "/api/v1/namespaces/default/secrets/x",
  "//api/v1/namespaces/default/secrets/x",
  "///api/v1/secrets",
  "/api//v1/secrets",
  "/api/v1//secrets",
  "/api/v1//namespaces/default/secrets/x",
  "/api/v1/namespaces//secrets",
  "/api/v1/namespaces//secrets/x",
  "/api/v1/namespaces/default//secrets/x",
  "/api/v1/namespaces/default/secrets//x",
  "/api/v1/namespaces/default/secrets/x/",
  "/api/v1/namespaces/default/secrets/x//",
  "/api/v1/namespaces/default/secrets/x/status",
  "/api/v1/namespaces/default/secrets/x/status/..",
  "/api/v1/namespaces/default/configmaps/../secrets/x",
  "/api/v1/namespaces/default/configmaps/..%2fsecrets/x",
  "/api/v1/namespaces/default/configmaps/%2e%2e/secrets/x",
  "/api/v1/namespaces/default/configmaps/%2e%2e%2fsecrets%2fx",
  "/api/v1/namespaces/default/configmaps%2f..%2fsecrets/x",
  "/api/v1/namespaces/default/configmaps/%252e%252e/secrets/x",
  "/api/v1/namespaces/default/pods/x/../../secrets/x",
  "/api/v1/namespaces/default/pods/x/proxy/../../../secrets/x",
  "/api/v1/namespaces/default/./secrets/x",
  "/api/v1/./namespaces/default/secrets/x",
  "/./api/v1/namespaces/default/secrets/x",
  "/healthz/../api/v1/namespaces/default/secrets/x",
  "/healthz/%2e%2e/api/v1/secrets",
  "/version/../api/v1/secrets",
  "/openapi/v3/../../api/v1/secrets",
  "/api/v1/namespaces/default/secrets;a=b/x",
  "/api/v1/namespaces/default;a/secrets/x",
  "/api/v1/namespaces/default/secrets/x;a=b",
  "/api/v1/namespaces/default/Secrets/x",
  "/api/v1/Namespaces/default/secrets/x",
  "/API/v1/namespaces/default/secrets/x",
  "/api/V1/namespaces/default/secrets/x",
  "/apis//v1/namespaces/default/secrets/x",
  "/apis/core/v1/namespaces/default/secrets/x",
  "/apis/apps/v1/namespaces/default/secrets/x",
  "/apis/example.com/v1/namespaces/default/secrets/x",
  "/apis/apps%2f../v1/secrets",
  "/api/v1/watch/secrets",
  "/api/v1/watch/namespaces/default/secrets/x",
  "/api/v1/watch/watch/secrets",
  "/api/v1/proxy/namespaces/default/secrets/x",
  "/api/v1/namespaces/default/secrets%3fwatch=1",
  "/api/v1/namespaces/default/secrets%23/x",
  "/api/v1/namespaces/default/secrets/x%00",
  "/api/v1/namespaces/default%00/secrets/x",
  "/api/v1/namespaces/default/secrets/%ff",
  "/api/v1/namespaces/default/%ff/secrets/x",
  "/api/v1/namespaces/default/secrets%09/x",
  "/api/v1/namespaces/default/secrets/x?resourceVersion=0",
  "/api/v1/namespaces/default/secrets?fieldSelector=metadata.name=x",
  "/api/v1/namespaces/default/secrets?labelSelector=",
  "/api/v1/namespaces/default/secrets?limit=1&continue=x",
  "/api/v1/namespaces/kube-system%2f..%2fdefault/secrets/x",
  "http://x/api/v1/namespaces/default/secrets/x",
  "https://127.0.0.1/api/v1/secrets",
  "/?/api/v1/secrets",
  "/\\api\\v1\\secrets",
];

const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);

describe.each(["", "reader", "paths"])("as %j", (token) => {
  test.each(attempts)("GET %s tells no secret", async (path) => {
    for (const headers of [
      "",
      "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",
    ]) {
      const answer = await sendRaw(
        `GET ${path}`,
        token,
        headers.replace("Connection: close", "Connection: Upgrade"),
      );
      expect(answer).not.toContain(base64);
      expect(answer).not.toContain("SecretList");
      expect([path, statusOf(answer)]).toEqual([
        path,
        expect.toBeOneOf([400, 403, 404, 405, ...harmless(path, token)]),
      ]);
    }
  });

  test.each(attempts)("DELETE %s removes no secret", async (path) => {
    await sendRaw(`DELETE ${path}`, token);
    const { status } = await guarded.send({ method: "GET", url: "/api/v1/namespaces/default/secrets/x" });
    expect(status).toBe(200);
  });
});

/** `/?…` is the list of paths, for users who may see it. */
const harmless = (path: string, token: string): number[] =>
  path.startsWith("/?") && token === "paths" ? [200] : [];

test("a path that is judged as no resource leads to none", async () => {
  const answers = await Promise.all(attempts.map((path) => sendRaw(`GET ${path}`, "paths")));
  const leading = attempts.filter((_, index) => statusOf(answers[index] ?? "") === 200);
  expect(leading).toEqual(["/?/api/v1/secrets"]);
});
