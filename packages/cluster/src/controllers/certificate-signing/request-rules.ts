// The requirements of Kubernetes' signers on certificate requests, with its messages.
import type { CertificateRequest } from "@kubewright/api/x509";

/** The signers that a cluster itself has; `legacy-unknown` cannot be asked for any more. */
export const signers = {
  client: "kubernetes.io/kube-apiserver-client",
  kubeletClient: "kubernetes.io/kube-apiserver-client-kubelet",
  kubeletServing: "kubernetes.io/kubelet-serving",
} as const;

type Rule = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

const rules: ReadonlyMap<string, Rule> = new Map([
  [signers.client, (_request, usages) => clientUsages(usages)],
  [signers.kubeletClient, kubeletClient],
  [signers.kubeletServing, kubeletServing],
]);

/** True when the cluster has the signer. */
export const isKnownSigner = (signer: string | undefined): boolean => rules.has(signer ?? "");

/** Why the signer refuses the request; undefined when it does not. */
export function refusal(
  signer: string,
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  return rules.get(signer)?.(request, usages);
}

function clientUsages(usages: readonly string[]): string | undefined {
  const odd = usages.find(
    (usage) => !["digital signature", "key encipherment", "client auth"].includes(usage),
  );
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`;
  return usages.includes("client auth")
    ? undefined
    : "missing required usage for client certificate: client auth";
}

function kubeletClient(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return notOfNodes;
  if (request.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (request.emailAddresses.length > 0) return noEmail;
  if (request.ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (request.uris.length > 0) return noUris;
  if (!isNode(request)) return notNode;
  return areUsages(usages, "client auth")
    ? undefined
    : "usages did not match [client auth digital signature key encipherment]";
}

function kubeletServing(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return notOfNodes;
  if (request.dnsNames.length === 0 && request.ipAddresses.length === 0)
    return "DNS or IP subjectAltName is required";
  if (request.emailAddresses.length > 0) return noEmail;
  if (request.uris.length > 0) return noUris;
  if (!areUsages(usages, "server auth"))
    return "usages did not match [digital signature key encipherment server auth]";
  return isNode(request) ? undefined : notNode;
}

const notOfNodes = "subject organization is not system:nodes";
const notNode = "subject common name does not begin with system:node:";
const noEmail = "Email subjectAltNames are not allowed";
const noUris = "URI subjectAltNames are not allowed";

const isNode = ({ commonName }: CertificateRequest): boolean => commonName.startsWith("system:node:");

const isOfNodes = ({ organizations }: CertificateRequest): boolean =>
  organizations.length === 1 && organizations[0] === "system:nodes";

/** Signatures and the purpose; keys that can encipher may say so. */
function areUsages(usages: readonly string[], purpose: string): boolean {
  const left = new Set(usages);
  left.delete("key encipherment");
  return left.size === 2 && left.has("digital signature") && left.has(purpose);
}
