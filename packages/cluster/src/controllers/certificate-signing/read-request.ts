// A CertificateSigningRequest and what it carries.
import type { CertificateSigningRequest } from "@kubewright/api";
import { type CertificateRequest, parseCertificateRequest } from "@kubewright/api/x509";

/** Decodes the request. Throws a CertificateRequestError. */
export function readRequest({ spec }: CertificateSigningRequest): CertificateRequest {
  return parseCertificateRequest(Buffer.from(spec.request, "base64").toString("latin1"));
}

/** True when the request has the condition. */
export const hasCondition = ({ status }: CertificateSigningRequest, type: string): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
