// Where a webhook server's certificate comes from, whoever makes it.
import type { KeyPair } from "@kubewright/api/x509";

export interface CertificateSource {
  /** Resolves when there is a certificate; calls back with it, and with each that follows. */
  start(onChange: (served: ServedCertificate) => void): Promise<void>;
  close(): Promise<void>;
}

export interface ServedCertificate extends KeyPair {
  /** Whom clients must trust, PEM; undefined when somebody else tells them. */
  readonly authorities: string | undefined;
}
