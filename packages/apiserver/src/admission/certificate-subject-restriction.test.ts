import { createCertificateRequest } from "@kubewright/api/x509";
import { expect, it } from "vitest";
import { kindServer } from "../kinds/fixtures/kind-server.js";

it.each([
  ["kubernetes.io/kube-apiserver-client", ["system:masters"], 403],
  ["kubernetes.io/kube-apiserver-client", ["developers"], 201],
  ["example.com/other", ["system:masters"], 201],
])("CertificateSubjectRestriction: %s for %j: %i", async (signerName, organizations, status) => {
  const { call } = await kindServer();
  const { request } = createCertificateRequest({ commonName: "u", organizations });
  const answer = await call("POST", "/apis/certificates.k8s.io/v1/certificatesigningrequests", {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "r" },
    spec: { request: Buffer.from(request).toString("base64"), signerName, usages: ["client auth"] },
  });
  expect(answer.status).toBe(status);
  if (status === 403)
    expect(answer.body.message).toBe(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
});
