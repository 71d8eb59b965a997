// The serving certificate of a metrics server or a dashboard: generated at start, or read from files that somebody else renews (cert-manager).
import { readFile } from "node:fs/promises";
import type { Clock, Timer } from "@kubewright/api";
import { createCertificateAuthority, type KeyPair } from "@kubewright/api/x509";
import type { CertificateObserver } from "./webhook-metrics.js";

/** Files with PEM text. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface ServingCertificateOptions {
  /** Made here when undefined. */
  readonly files: CertificateFiles | undefined;
  /** Of a certificate made here. */
  readonly commonName: string;
  /** Names a certificate made here is good for. */
  readonly hosts: readonly string[];
  readonly clock: Clock;
  readonly observer: CertificateObserver;
  readonly onError: (error: unknown) => void;
}

const hour = 3_600_000;
const lifetime = 365 * 24 * hour;
const renewal = lifetime / 2;
const reading = 60_000;

export class ServingCertificate {
  readonly #options: ServingCertificateOptions;
  #current: KeyPair | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: ServingCertificateOptions) {
    this.#options = options;
  }

  /** The certificate to begin with; from then on `onRenewed` is called with each new one. */
  async open(onRenewed: (certificate: KeyPair) => void): Promise<KeyPair> {
    const current = await this.#obtain();
    this.#current = current;
    this.#arm(onRenewed);
    return current;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #arm(onRenewed: (certificate: KeyPair) => void): void {
    const { clock, files, onError } = this.#options;
    if (this.#isClosed) return;
    this.#timer = clock.setTimer(files ? reading : renewal, () => {
      this.#renew(onRenewed)
        .catch(onError)
        .finally(() => this.#arm(onRenewed));
    });
  }

  async #renew(onRenewed: (certificate: KeyPair) => void): Promise<void> {
    const next = await this.#obtain();
    if (next.certificate === this.#current?.certificate && next.key === this.#current.key) return;
    // Files that do not belong together, caught in the middle of a change, throw here and are read again.
    onRenewed(next);
    this.#current = next;
  }

  async #obtain(): Promise<KeyPair> {
    const { files, observer, clock } = this.#options;
    if (!files) return this.#make();
    const release = clock.busy("reading a certificate");
    try {
      const [certificate, key] = await Promise.all([
        readFile(files.certificate, "utf8"),
        readFile(files.key, "utf8"),
      ]);
      observer.read();
      return { certificate, key };
    } catch (error) {
      observer.failed();
      throw error;
    } finally {
      release();
    }
  }

  #make(): KeyPair {
    const { clock, hosts, commonName } = this.#options;
    const now = clock.now();
    const valid = { notBefore: now - hour, notAfter: now + lifetime };
    const ca = createCertificateAuthority({ commonName, ...valid });
    return ca.issue({ commonName, hosts, usage: "server", ...valid });
  }
}
