// Requests for certificates as people approve them, with the real kubectl. Skipped, out loud, where there is none.
import { X509Certificate } from "node:crypto";
import { createCertificateRequest } from "@kubewright/api/x509";
import { expect, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.js";
import { KubectlCluster } from "./kubectl-cluster.js";

const [kubectl] = findKubectls();
if (!kubectl) console.warn("skipped: there is no kubectl on this machine");

const manifest = (name: string) =>
  JSON.stringify({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: {
      request: Buffer.from(createCertificateRequest({ commonName: name }).request).toString("base64"),
      signerName: "kubernetes.io/kube-apiserver-client",
      usages: ["client auth"],
    },
  });

test.skipIf(!kubectl)(
  "kubectl certificate approve leads to a certificate, deny to none",
  async () => {
    if (!kubectl) return;
    await using cluster = await KubectlCluster.start(kubectl);
    for (const name of ["jane", "eve"]) await cluster.run("apply -f -", manifest(name));
    expect(await cluster.run("certificate approve jane")).toMatch("jane approved");
    expect(await cluster.run("certificate deny eve")).toMatch("eve denied");
    await cluster.run("wait csr/jane --for=jsonpath={.status.certificate} --timeout=60s");
    const listed = await cluster.run("get csr");
    expect(listed).toMatch(/^jane .*Approved,Issued$/m);
    expect(listed).toMatch(/^eve .*Denied$/m);
    const pem = Buffer.from(await cluster.run("get csr jane -o jsonpath={.status.certificate}"), "base64");
    expect(new X509Certificate(pem).subject).toBe("CN=jane");
  },
  120_000,
);
