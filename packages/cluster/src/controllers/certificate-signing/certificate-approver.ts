// Approves what kubelets ask for, when they may: their own client certificates, and those of nodes that are about to join.
import { CertificateSigningRequest, SubjectAccessReview } from "@kubewright/api";
import { type CertificateRequest, CertificateRequestError } from "@kubewright/api/x509";
import type { BuiltInController, ControllerEnvironment } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { hasCondition, readRequest } from "./read-request.js";
import { refusal, signers } from "./request-rules.js";

const name = "csrapproving";

/** The requests that are approved, and the permission their user needs. */
const recognized = [
  {
    permission: "selfnodeclient",
    message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
    isMeant: ({ spec }: CertificateSigningRequest, { commonName }: CertificateRequest): boolean =>
      spec.username === commonName,
  },
  {
    permission: "nodeclient",
    message: "Auto approving kubelet client certificate after SubjectAccessReview.",
    isMeant: (): boolean => true,
  },
] as const;

export const certificateApprover: BuiltInController = {
  name,
  start(environment) {
    const loop = new SyncLoop(environment, { name, sync });
    const requests = loop.watch(CertificateSigningRequest, ({ key, current }) => (current ? [key] : []));
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const request = requests.get(key);
      if (request?.spec.signerName !== signers.kubeletClient || request.status?.certificate) return;
      if (hasCondition(request, "Approved") || hasCondition(request, "Denied")) return;
      const asked = kubeletRequest(request);
      if (!asked) return;
      for (const { permission, message, isMeant } of recognized) {
        if (!isMeant(request, asked) || !(await isAllowed(environment, request, permission))) continue;
        await approve(environment, request, message);
        return;
      }
    }
  },
};

/** The decoded request, if it is one that a kubelet may make. */
function kubeletRequest(request: CertificateSigningRequest): CertificateRequest | undefined {
  try {
    const asked = readRequest(request);
    const problem = refusal(signers.kubeletClient, asked, request.spec.usages ?? []);
    return problem === undefined ? asked : undefined;
  } catch (error) {
    if (error instanceof CertificateRequestError) return undefined;
    throw error;
  }
}

async function isAllowed(
  { client }: ControllerEnvironment,
  { spec }: CertificateSigningRequest,
  subresource: string,
): Promise<boolean> {
  const { username: user, uid, groups, extra } = spec;
  const { status } = await client.live.create(SubjectAccessReview, {
    spec: {
      user,
      uid,
      groups,
      extra,
      resourceAttributes: {
        group: "certificates.k8s.io",
        resource: "certificatesigningrequests",
        verb: "create",
        subresource,
      },
    },
  });
  return status?.allowed ?? false;
}

async function approve(
  { client }: ControllerEnvironment,
  request: CertificateSigningRequest,
  message: string,
): Promise<void> {
  const condition = { type: "Approved", status: "True", reason: "AutoApproved", message };
  const status = { ...request.status, conditions: [...(request.status?.conditions ?? []), condition] };
  await client.update(CertificateSigningRequest, { ...request, status }, { subresource: "approval" });
}
