// The serving certificate of kubelets: signed by the cluster, asked for in the name of a node as kubelets do. Where the cluster does
// not sign it, it is signed by an authority of this process alone.
import { CertificateSigningRequest, type Clock, sleep } from "@kubewright/api";
import { createCertificateAuthority, createCertificateRequest, type KeyPair } from "@kubewright/api/x509";
import type { Client } from "@kubewright/client";

const hour = 3_600_000;
const day = 24 * hour;
const lookEvery = 200;
const timeout = 15_000;

export interface KubeletCertificateOptions {
  /** May approve what the node asks for. */
  readonly client: Client;
  /** Acts as the node. */
  readonly asNode: Client;
  readonly node: string;
  readonly hosts: readonly string[];
  readonly clock: Clock;
}

/** The certificate; `why` says why it is not the cluster's, when it is not. */
export async function kubeletCertificate(
  options: KubeletCertificateOptions,
): Promise<KeyPair & { readonly why: string | undefined }> {
  const { node, hosts, clock } = options;
  try {
    return { ...(await signedByCluster(options)), why: undefined };
  } catch (error) {
    const validity = { notBefore: clock.now() - hour, notAfter: clock.now() + 365 * day };
    const authority = createCertificateAuthority({ commonName: "kubewright nodes", ...validity });
    const pair = authority.issue({ commonName: node, hosts, usage: "server", ...validity });
    return { ...pair, why: error instanceof Error ? error.message : String(error) };
  }
}

async function signedByCluster({
  client,
  asNode,
  node,
  hosts,
  clock,
}: KubeletCertificateOptions): Promise<KeyPair> {
  const { request, key } = createCertificateRequest({
    commonName: `system:node:${node}`,
    organizations: ["system:nodes"],
    hosts,
  });
  const { metadata } = await asNode.create(CertificateSigningRequest, {
    metadata: { generateName: "csr-" },
    spec: {
      request: Buffer.from(request).toString("base64"),
      signerName: "kubernetes.io/kubelet-serving",
      usages: ["digital signature", "server auth"],
    },
  });
  const name = metadata?.name ?? "";
  const condition = {
    type: "Approved",
    status: "True",
    reason: "SimulatedNode",
    message: "asked for by kubewright nodes",
  };
  await client.patch(
    CertificateSigningRequest,
    name,
    { merge: { status: { conditions: [condition] } } },
    { subresource: "approval" },
  );
  for (let waited = 0; waited < timeout; waited += lookEvery) {
    const { status } = await client.get(CertificateSigningRequest, name);
    if (status?.certificate)
      return { certificate: Buffer.from(status.certificate, "base64").toString(), key };
    await sleep(clock, lookEvery);
  }
  throw new Error(`the cluster did not sign CertificateSigningRequest ${name}`);
}
