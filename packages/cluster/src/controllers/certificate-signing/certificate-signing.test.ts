import { X509Certificate } from "node:crypto";
import { request as httpsRequest } from "node:https";
import { CertificateSigningRequest, ClusterRoleBinding, VirtualClock } from "@kubewright/api";
import { createCertificateRequest } from "@kubewright/api/x509";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, startCluster } from "../../cluster.js";

const day = 24 * 60 * 60_000;
type Usages = NonNullable<CertificateSigningRequest["spec"]["usages"]>;
const clientUsages: Usages = ["digital signature", "key encipherment", "client auth"];
const servingUsages: Usages = ["digital signature", "server auth"];
const node = { commonName: "system:node:n1", organizations: ["system:nodes"] };
const kubelet = { name: node.commonName, groups: ["system:nodes", "system:authenticated"] };

let clock: VirtualClock;
let cluster: Cluster;
beforeEach(async () => {
  // TLS goes by the real time.
  clock = new VirtualClock({ start: Date.now() });
  cluster = await startCluster({ clock, nodes: 0, controllers: ["csrapproving", "csrsigning"] });
});
afterEach(() => cluster.close());

interface Asked {
  readonly signer: string;
  readonly subject?: Parameters<typeof createCertificateRequest>[0];
  readonly usages?: Usages;
  readonly expirationSeconds?: number;
  readonly user?: typeof kubelet | undefined;
}

async function ask({ signer, subject, usages = clientUsages, expirationSeconds, user }: Asked) {
  const { request, key } = createCertificateRequest(
    subject ?? { commonName: "jane", organizations: ["dev"] },
  );
  const client = user ? cluster.connect({ user }) : cluster.client;
  await client.create(CertificateSigningRequest, {
    metadata: { name: "r" },
    spec: {
      request: Buffer.from(request).toString("base64"),
      signerName: `kubernetes.io/${signer}`,
      usages,
      expirationSeconds,
    },
  });
  await clock.settle();
  return { key };
}

async function decide(type: "Approved" | "Denied"): Promise<void> {
  const request = await cluster.client.get(CertificateSigningRequest, "r");
  const conditions = [{ type, status: "True", reason: "KubectlApprove", message: "" }];
  await cluster.client.update(
    CertificateSigningRequest,
    { ...request, status: { conditions } },
    { subresource: "approval" },
  );
  await clock.settle();
}

async function outcome() {
  const { status } = await cluster.client.get(CertificateSigningRequest, "r");
  const pem = status?.certificate && Buffer.from(status.certificate, "base64").toString();
  const conditions = (status?.conditions ?? []).map(({ type, reason, message }) => ({
    type,
    reason,
    message,
  }));
  return { conditions, pem, certificate: pem ? new X509Certificate(pem) : undefined };
}

/** As clusters that let nodes join do. */
async function giveNodes(...roles: readonly string[]): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  for (const name of roles)
    await cluster.client.create(ClusterRoleBinding, {
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name },
      subjects: [{ apiGroup, kind: "Group", name: "system:nodes" }],
    });
}

const mayAsk = "system:node-bootstrapper";
const mayRenew = "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient";

describe("CertificateSigningRequest", () => {
  it("is signed for a year once it is approved", async () => {
    await ask({ signer: "kube-apiserver-client" });
    expect((await outcome()).conditions).toEqual([]);
    await decide("Approved");
    const { certificate } = await outcome();
    expect(certificate?.subject).toBe("O=dev\nCN=jane");
    expect(Date.parse(certificate?.validTo ?? "") - clock.now()).toBeGreaterThan(364 * day);
  });

  it("is not signed when it is denied", async () => {
    await ask({ signer: "kube-apiserver-client" });
    await decide("Denied");
    expect((await outcome()).certificate).toBeUndefined();
  });

  it.each([
    [600, 10 * 60_000],
    [7200, 2 * 60 * 60_000],
    [30 * 86_400, 30 * day - 5 * 60_000],
    [1000 * 86_400, 365 * day - 5 * 60_000],
  ])("for %i seconds gets that duration, within bounds", async (expirationSeconds, expected) => {
    await ask({ signer: "kube-apiserver-client", expirationSeconds });
    await decide("Approved");
    const { certificate } = await outcome();
    const left = Date.parse(certificate?.validTo ?? "") - clock.now();
    expect(Math.abs(left - expected)).toBeLessThanOrEqual(1000);
  });

  it.each([
    [
      { signer: "kube-apiserver-client", usages: servingUsages },
      "invalid usage for client certificate: server auth",
    ],
    [
      { signer: "kube-apiserver-client", usages: clientUsages.slice(0, 1) },
      "missing required usage for client certificate: client auth",
    ],
    [{ signer: "kubelet-serving", usages: servingUsages }, "subject organization is not system:nodes"],
    [
      { signer: "kubelet-serving", subject: node, usages: servingUsages },
      "DNS or IP subjectAltName is required",
    ],
    [
      { signer: "kubelet-serving", subject: { ...node, hosts: ["n1"] } },
      "usages did not match [digital signature key encipherment server auth]",
    ],
    [
      { signer: "kube-apiserver-client-kubelet", subject: { ...node, hosts: ["n1"] } },
      "DNS subjectAltNames are not allowed",
    ],
    [
      { signer: "kube-apiserver-client-kubelet", subject: { ...node, commonName: "n1" } },
      "subject common name does not begin with system:node:",
    ],
  ])("%j fails", async (asked, message) => {
    await ask(asked);
    await decide("Approved");
    const { conditions, certificate } = await outcome();
    expect(certificate).toBeUndefined();
    expect(conditions.at(-1)).toEqual({ type: "Failed", reason: "SignerValidationFailure", message });
  });

  it("of another signer is left alone", async () => {
    const { request } = createCertificateRequest({ commonName: "jane" });
    await cluster.client.create(CertificateSigningRequest, {
      metadata: { name: "r" },
      spec: {
        request: Buffer.from(request).toString("base64"),
        signerName: "example.com/own",
        usages: ["client auth"],
      },
    });
    await decide("Approved");
    expect((await outcome()).certificate).toBeUndefined();
  });

  it.each([
    ["the administrator for a node", undefined, "Auto approving kubelet client certificate"],
    ["a kubelet for itself", kubelet, "Auto approving self kubelet client certificate"],
  ])("of %s is approved automatically", async (_who, user, message) => {
    await giveNodes(mayAsk, mayRenew);
    await ask({ signer: "kube-apiserver-client-kubelet", subject: node, user });
    expect(await outcome()).toMatchObject({
      conditions: [
        { type: "Approved", reason: "AutoApproved", message: `${message} after SubjectAccessReview.` },
      ],
      certificate: expect.any(X509Certificate),
    });
  });

  it("of a kubelet that is not trusted waits for approval", async () => {
    await giveNodes(mayAsk);
    await ask({ signer: "kube-apiserver-client-kubelet", subject: node, user: kubelet });
    expect((await outcome()).conditions).toEqual([]);
  });

  it.each(["kubelet-serving", "kube-apiserver-client"])("for %s waits for approval", async (signer) => {
    await ask({ signer, subject: { ...node, hosts: ["n1"] }, usages: servingUsages });
    expect((await outcome()).conditions).toEqual([]);
  });

  it("gives a client an identity for the API server", async () => {
    const { url, kubeconfig } = await cluster.listen();
    const { key } = await ask({ signer: "kube-apiserver-client" });
    await decide("Approved");
    const { pem } = await outcome();
    const authority = /certificate-authority-data"?: "?([A-Za-z0-9+/=]+)/.exec(kubeconfig)?.[1] ?? "";
    const { status } = await whoAmI(url, {
      ca: Buffer.from(authority, "base64").toString(),
      cert: pem ?? "",
      key,
    });
    expect(status.userInfo).toMatchObject({ username: "jane", groups: ["dev", "system:authenticated"] });
  });
});

function whoAmI(
  url: string,
  credentials: { readonly ca: string; readonly cert: string; readonly key: string },
): Promise<{ readonly status: { readonly userInfo: unknown } }> {
  return new Promise((resolve, reject) => {
    const asked = httpsRequest(
      `${url}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
      { method: "POST", headers: { "content-type": "application/json" }, ...credentials },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
      },
    );
    asked.on("error", reject);
    asked.end('{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}');
  });
}
