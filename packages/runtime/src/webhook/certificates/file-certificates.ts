// Certificates that somebody else keeps in files (cert-manager through a mounted Secret), read again when they change. Files are
// looked at rather than watched: kubelet swaps whole directories, which watchers miss.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Timer } from "@kubewright/api";
import type { CertificateObserver } from "../../metrics/webhook-metrics.js";
import type { CertificateSource, ServedCertificate } from "./certificate-source.js";

export interface FileCertificatesOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly observer?: CertificateObserver | undefined;
  readonly onError: (error: unknown) => void;
}

const interval = 10_000;

export class FileCertificates implements CertificateSource {
  readonly #options: FileCertificatesOptions;
  #onChange: (served: ServedCertificate) => void = () => undefined;
  #current: ServedCertificate | undefined;
  #timer: Timer | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: FileCertificatesOptions) {
    this.#options = options;
  }

  async start(onChange: (served: ServedCertificate) => void): Promise<void> {
    this.#onChange = onChange;
    await this.#refresh();
    this.#arm();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#reading;
  }

  #arm(): void {
    const { clock, onError } = this.#options;
    if (this.#isClosed) return;
    this.#timer = clock.setTimer(interval, () => {
      this.#reading = this.#refresh()
        .catch(onError)
        .finally(() => this.#arm());
    });
  }

  async #refresh(): Promise<void> {
    const { clock, observer, directory } = this.#options;
    const idle = clock.busy("reading certificates");
    try {
      const next = await readPair(directory);
      const { certificate, key, caBundle } = this.#current ?? {};
      if (next.certificate === certificate && next.key === key && next.caBundle === caBundle) return;
      observer?.read();
      this.#current = next;
      this.#onChange(next);
    } catch (error) {
      observer?.failed();
      throw error;
    } finally {
      idle();
    }
  }
}

async function readPair(directory: string): Promise<ServedCertificate> {
  const read = (name: string): Promise<string> => readFile(join(directory, name), "utf8");
  const [certificate, key, caBundle] = await Promise.all([
    read("tls.crt"),
    read("tls.key"),
    read("ca.crt").catch(() => undefined),
  ]);
  // Files caught in the middle of a change do not belong together: the old ones stay until they do.
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error(`the key in ${directory} is not that of the certificate there`);
  return { certificate, key, caBundle: caBundle || undefined };
}
