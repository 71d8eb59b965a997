// CertificateSubjectRestriction: kubernetes.io/kube-apiserver-client issues no certificates for the group system:masters.

import type { CertificateSigningRequest } from "@kubewright/api";
import { CertificateRequestError, parseCertificateRequest } from "@kubewright/api/x509";
import { draftAs } from "@kubewright/kinds";

import type { AdmissionPlugin } from "./admission.js";
import { written } from "./matches.js";
import { refused } from "./refuse.js";

const signer = "kubernetes.io/kube-apiserver-client";
const administrators = "system:masters";

export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  resources: ["certificatesigningrequests.certificates.k8s.io"],
  validate(request) {
    const object = written(request, "certificatesigningrequests.certificates.k8s.io", "CREATE");
    const spec = object && draftAs<CertificateSigningRequest>(object).spec;
    if (spec?.signerName !== signer || !organizationsOf(spec.request).includes(administrators)) return;
    throw refused(request, `use of ${signer} signer with ${administrators} group is not allowed`);
  },
};

/** A request that cannot be parsed is left to validation. */
function organizationsOf(request: string): readonly string[] {
  try {
    return parseCertificateRequest(Buffer.from(request, "base64").toString("latin1")).organizations;
  } catch (error) {
    if (error instanceof CertificateRequestError) return [];
    throw error;
  }
}
