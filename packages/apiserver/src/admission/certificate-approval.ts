// CertificateApproval and CertificateSigning: approving and signing a request needs permission for its signer.

import type { CertificateSigningRequest } from "@kubewright/api";
import { deepEqual } from "@kubewright/api";
import { storedAs } from "@kubewright/kinds";

import type { AdmissionRequest } from "../registry/admission-control.js";
import type { AdmissionPlugin } from "./admission.js";
import { refused } from "./refuse.js";

export const certificateApproval: AdmissionPlugin = {
  name: "CertificateApproval",
  resources: ["certificatesigningrequests.certificates.k8s.io"],
  validate(request) {
    const before = requestOf(request, "approval");
    if (before) check(request, before, "approve");
  },
};

export const certificateSigning: AdmissionPlugin = {
  name: "CertificateSigning",
  resources: ["certificatesigningrequests.certificates.k8s.io"],
  validate(request) {
    const before = requestOf(request, "status");
    if (!before) return;
    const status = request.object?.["status"] as CertificateSigningRequest["status"];
    const same =
      status?.certificate === before.status?.certificate &&
      deepEqual(status?.conditions, before.status?.conditions);
    if (!same) check(request, before, "sign");
  },
};

function requestOf(
  { kind, subresource, operation, oldObject }: AdmissionRequest,
  wanted: string,
): CertificateSigningRequest | undefined {
  if (kind.group !== "certificates.k8s.io" || kind.plural !== "certificatesigningrequests") return undefined;
  if (subresource !== wanted || operation !== "UPDATE" || !oldObject) return undefined;
  return storedAs<CertificateSigningRequest>(oldObject);
}

/** The permission is granted for one signer, or for all signers of its domain. */
function check(
  request: AdmissionRequest,
  { spec }: CertificateSigningRequest,
  verb: "approve" | "sign",
): void {
  const { services, user } = request.context;
  const signer = spec.signerName;
  const allowed = [signer, `${signer.split("/", 1)[0]}/*`].some(
    (name) =>
      services.authorizer({
        kind: "resource",
        user,
        verb,
        group: "certificates.k8s.io",
        version: "*",
        resource: "signers",
        subresource: "",
        namespace: "",
        name,
      }).allowed,
  );
  if (!allowed) throw refused(request, `user not permitted to ${verb} requests with signerName "${signer}"`);
}
