// Certificates of the webhooks from cert-manager instead of the manager's own: an Issuer that signs for itself, and a Certificate of the
// webhook Service, mounted into the manager, which tells the API server whom to trust.
import { webhookObjectNames } from "@kubewright/runtime";
import type { Manifest, Operator } from "./operator.js";

/** Where the manager finds tls.crt, tls.key and ca.crt. */
export const certificateFolder = "/tmp/k8s-webhook-server/serving-certs";

const apiVersion = "cert-manager.io/v1";

/** The Issuer and the Certificate. */
export function webhookCertificate({ names, settings, labels }: Operator): readonly Manifest[] {
  const { namespace } = settings;
  const issuer = `${names.manager}-selfsigned-issuer`;
  const service = `${names.webhookService}.${namespace}.svc`;
  return [
    {
      apiVersion,
      kind: "Issuer",
      metadata: { name: issuer, namespace, labels },
      spec: { selfSigned: {} },
    },
    {
      apiVersion,
      kind: "Certificate",
      metadata: { name: `${names.manager}-serving-cert`, namespace, labels },
      spec: {
        dnsNames: [service, `${service}.cluster.local`],
        issuerRef: { kind: "Issuer", name: issuer },
        secretName: webhookObjectNames(names.manager).secret,
      },
    },
  ];
}

/** The volume with the certificate. */
export const certificateVolume = ({ names }: Operator) => ({
  name: "webhook-certs",
  secret: { secretName: webhookObjectNames(names.manager).secret },
});

/** Where it is mounted. */
export const certificateMount = {
  name: "webhook-certs",
  mountPath: certificateFolder,
  readOnly: true,
} as const;

/** Whether the certificate of the webhooks is cert-manager's to make. */
export const usesCertManager = ({ settings, hasWebhooks }: Operator): boolean =>
  settings.certManager && hasWebhooks;
