// Signs approved CertificateSigningRequests.
import { X509Certificate } from "node:crypto";
import { CertificateSigningRequest, formatTime } from "@kubewright/api";
import { CertificateRequestError } from "@kubewright/api/x509";
import type { BuiltInController, ControllerEnvironment } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { hasCondition, readRequest } from "./read-request.js";
import { isKnownSigner, refusal } from "./request-rules.js";
import { validityOf } from "./validity.js";

const name = "csrsigning";

export const certificateSigner: BuiltInController = {
  name,
  start(environment) {
    const loop = new SyncLoop(environment, { name, sync });
    const requests = loop.watch(CertificateSigningRequest, ({ key, current }) => (current ? [key] : []));
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const request = requests.get(key);
      if (!request || !isKnownSigner(request.spec.signerName) || request.status?.certificate) return;
      if (!hasCondition(request, "Approved") || hasCondition(request, "Failed")) return;
      const status = signedStatus(environment, request);
      if (status)
        await environment.client.update(
          CertificateSigningRequest,
          { ...request, status },
          { subresource: "status" },
        );
    }
  },
};

type Status = NonNullable<CertificateSigningRequest["status"]>;

/** With a certificate, or why there is none; undefined for what nobody can read: that stays as it is. */
function signedStatus(
  { certificateAuthority, clock, report }: ControllerEnvironment,
  request: CertificateSigningRequest,
): Status | undefined {
  const { signerName, usages = [], expirationSeconds } = request.spec;
  try {
    const asked = readRequest(request);
    const problem = refusal(signerName, asked, usages);
    if (problem !== undefined) return failed(request, problem, clock.now());
    const authority = certificateAuthority();
    const ends = Date.parse(new X509Certificate(authority.certificate).validTo);
    const validity = validityOf(expirationSeconds, clock.now(), ends);
    const certificate = authority.sign(asked, { usages, ...validity });
    return { ...request.status, certificate: Buffer.from(certificate).toString("base64") };
  } catch (error) {
    // The request is immutable, so a retry is of no use.
    const isUnreadable = error instanceof CertificateRequestError;
    report(`${name} ${request.metadata?.name}`, isUnreadable ? new Error(unreadable(request, error)) : error);
    return undefined;
  }
}

const unreadable = ({ metadata }: CertificateSigningRequest, { message }: Error): string =>
  `unable to parse csr "${metadata?.name}": ${message}`;

function failed({ status }: CertificateSigningRequest, message: string, now: number): Status {
  const condition = {
    type: "Failed",
    status: "True",
    reason: "SignerValidationFailure",
    message,
    lastUpdateTime: formatTime(now),
  };
  return { ...status, conditions: [...(status?.conditions ?? []), condition] };
}
