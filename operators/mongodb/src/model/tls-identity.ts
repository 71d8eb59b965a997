// What a member of the model has read of its certificate files: who it is, and whom it trusts.
import type { X509Certificate } from "node:crypto";
import { certificatesIn } from "../client/pem.js";
import { isOfMember } from "../client/subject-name.js";
import { isTrusted } from "../client/trust.js";

export interface TlsFiles {
  /** A certificate and its key, one after the other. */
  readonly certificateKey: string;
  readonly ca: string;
}

export class TlsIdentity {
  readonly files: TlsFiles;
  readonly chain: readonly X509Certificate[];
  readonly #authorities: readonly X509Certificate[];

  constructor(files: TlsFiles) {
    this.files = files;
    this.chain = certificatesIn(files.certificateKey);
    this.#authorities = certificatesIn(files.ca);
  }

  /** Whether a handshake with a certificate goes on. */
  trusts(chain: readonly X509Certificate[], now: number): boolean {
    return isTrusted(chain, this.#authorities, now);
  }

  /** True for the certificate of a member. */
  isMember(certificate: X509Certificate): boolean {
    const [own] = this.chain;
    return own !== undefined && isOfMember(own, certificate);
  }
}
