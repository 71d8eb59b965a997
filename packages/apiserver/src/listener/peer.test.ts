import { Agent, request as httpsRequest } from "node:https";
import type { TLSSocket } from "node:tls";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiServer } from "../server.js";
import { type Listener, listen } from "./http-listener.js";

const now = Date.now();
const validity = { notBefore: now - 60_000, notAfter: now + 3_600_000 };
const authority = createCertificateAuthority({ commonName: "ca", ...validity });
const stranger = createCertificateAuthority({ commonName: "stranger", ...validity });
const subject = { commonName: "jane", organizations: ["system:masters", "dev"], usage: "client" as const };
const server = createApiServer();
/** How far the listener's clock is ahead. */
let ahead = 0;
let listener: Listener;

beforeAll(async () => {
  const serving = authority.issue({
    commonName: "server",
    hosts: ["127.0.0.1"],
    usage: "server",
    ...validity,
  });
  const clientAuthority = authority.certificate;
  listener = await listen((request, peer) => server.handle(request, peer), {
    host: "127.0.0.1",
    port: 0,
    serving,
    clientAuthority,
    now: () => Date.now() + ahead,
  });
});

afterAll(async () => {
  await listener.close();
  server.close();
});

/** Asks who is asking, with that client certificate. */
async function whoAmI(
  keys: { certificate: string; key: string } | undefined,
  headers: Record<string, string | string[]> = {},
  kept?: Agent,
) {
  const agent = kept ?? new Agent({ ca: authority.certificate, cert: keys?.certificate, key: keys?.key });
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  const text = await new Promise<string>((resolve, reject) => {
    const sent = httpsRequest(
      `${listener.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
      { method: "POST", agent, headers: { "content-type": "application/json", ...headers } },
      (response) => {
        let received = "";
        response.setEncoding("utf8").on("data", (chunk) => (received += chunk));
        response.on("end", () => resolve(received));
      },
    );
    sent.on("error", reject).end(body);
  });
  if (!kept) agent.destroy();
  return JSON.parse(text);
}

describe("client certificate on an open connection", () => {
  const keys = authority.issue({ ...subject, ...validity });
  const keptAlive = (maxVersion: "TLSv1.2" | "TLSv1.3" = "TLSv1.3") =>
    new Agent({
      ca: authority.certificate,
      cert: keys.certificate,
      key: keys.key,
      keepAlive: true,
      maxSockets: 1,
      maxVersion,
    });
  const jane = { status: { userInfo: { username: "jane" } } };

  it("is refused from the moment it has expired", async () => {
    const agent = keptAlive();
    expect(await whoAmI(keys, {}, agent)).toMatchObject(jane);
    ahead = 2 * 3_600_000;
    try {
      expect(await whoAmI(keys, {}, agent)).toMatchObject({ code: 401 });
    } finally {
      ahead = 0;
      agent.destroy();
    }
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)(
    "is refused when it has expired and a session of %s is resumed",
    async (version) => {
      const agent = keptAlive(version);
      expect(await whoAmI(keys, {}, agent)).toMatchObject(jane);
      const [socket] = Object.values(agent.freeSockets)[0] ?? [];
      await new Promise((resolve) => socket?.once("close", resolve).destroy());
      // The agent remembers the session.
      let isResumed = false;
      agent.on("free", (next) => {
        isResumed = (next as TLSSocket).isSessionReused();
      });
      ahead = 2 * 3_600_000;
      try {
        expect(await whoAmI(keys, {}, agent)).toMatchObject({ code: 401 });
      } finally {
        ahead = 0;
        agent.destroy();
      }
      if (version === "TLSv1.2") expect(isResumed).toBe(true);
    },
  );

  it("is refused when its CA is no longer trusted, and good again when it is", async () => {
    const agent = keptAlive();
    const serving = authority.issue({
      commonName: "server",
      hosts: ["127.0.0.1"],
      usage: "server",
      ...validity,
    });
    expect(await whoAmI(keys, {}, agent)).toMatchObject(jane);
    listener.renew({ serving, clientAuthority: stranger.certificate });
    expect(await whoAmI(keys, {}, agent)).toMatchObject({ code: 401 });
    listener.renew({ serving, clientAuthority: stranger.certificate + authority.certificate });
    expect(await whoAmI(keys, {}, agent)).toMatchObject(jane);
    listener.renew({ serving, clientAuthority: authority.certificate });
    agent.destroy();
  });
});

describe("TLS client", () => {
  it("is authenticated as the subject of its certificate", async () => {
    const { status } = await whoAmI(authority.issue({ ...subject, ...validity }));
    expect(status.userInfo).toMatchObject({
      username: "jane",
      groups: ["system:masters", "dev", "system:authenticated"],
      extra: {
        "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)],
      },
    });
  });

  it.each([
    ["by someone else", () => stranger.issue({ ...subject, ...validity })],
    ["for servers", () => authority.issue({ ...subject, usage: "server", hosts: ["x"], ...validity })],
  ])("is refused with a certificate made %s", async (_, issue) => {
    expect(await whoAmI(issue())).toMatchObject({ code: 401, message: "Unauthorized" });
  });

  it("is anonymous without a certificate", async () => {
    expect((await whoAmI(undefined)).message).toContain('User "system:anonymous"');
  });

  it("may be in several groups, with commas in their names", async () => {
    const headers = { "impersonate-user": "joe", "impersonate-group": ["cn=a, dc=b", "ops"] };
    const { status } = await whoAmI(authority.issue({ ...subject, ...validity }), headers);
    expect(status.userInfo.groups).toEqual(["cn=a, dc=b", "ops", "system:authenticated"]);
  });
});
