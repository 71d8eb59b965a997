import { KubeConfig as OfficialKubeConfig } from "@kubernetes/client-node";
import { Node, Pod } from "@kubewright/api";
import { expect, it } from "vitest";
import { clientFromKubeConfig } from "../client-from-kubeconfig.js";
import { json, loopback, testAuthority } from "../fixtures/loopback-server.js";

it("official client's KubeConfig: is accepted", async () => {
  const authority = testAuthority();
  const seen: { url: string; authorization: string | undefined; user: string | undefined }[] = [];
  const server = await loopback(
    (request, response) => {
      const { subject } = (
        request.socket as never as { getPeerCertificate(): { subject?: { CN: string } } }
      ).getPeerCertificate();
      seen.push({ url: request.url ?? "", authorization: request.headers.authorization, user: subject?.CN });
      json(response, { metadata: { name: "n1" } });
    },
    { ...authority.server(), ca: authority.ca, requestCert: true },
  );
  const client = authority.client("ann");
  const config = new OfficialKubeConfig();
  config.loadFromOptions({
    clusters: [{ name: "c", server: server.url, caData: Buffer.from(authority.ca).toString("base64") }],
    users: [
      {
        name: "u",
        token: "t0ken",
        certData: Buffer.from(client.cert).toString("base64"),
        keyData: Buffer.from(client.key).toString("base64"),
      },
    ],
    contexts: [{ name: "x", cluster: "c", user: "u", namespace: "team" }],
    currentContext: "x",
  });
  const ours = clientFromKubeConfig(config, { retry: false });
  expect((await ours.get(Node, "n1")).metadata?.name).toBe("n1");
  await ours.get(Pod, "web");
  expect(seen).toEqual([
    { url: "/api/v1/nodes/n1", authorization: "Bearer t0ken", user: "ann" },
    { url: "/api/v1/namespaces/team/pods/web", authorization: "Bearer t0ken", user: "ann" },
  ]);
  await Promise.all([ours.close(), server.close()]);
});

it("official client's KubeConfig: reports that it has no current cluster", () => {
  expect(() => clientFromKubeConfig(new OfficialKubeConfig())).toThrow("no current cluster");
});
