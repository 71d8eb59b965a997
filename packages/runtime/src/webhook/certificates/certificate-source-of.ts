// Chooses the source of certificates.
import type { Clock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { Logger } from "../../logging/logger.js";
import type { CertificateObserver } from "../../metrics/webhook-metrics.js";
import type { CertificateSettings, ServiceName } from "../webhook-serving.js";
import type { CertificateSource } from "./certificate-source.js";
import { FileCertificates } from "./file-certificates.js";
import { ManagedCertificates, memoryStore } from "./managed-certificates.js";
import { SecretStore } from "./secret-store.js";

export interface CertificateSourceOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: (() => number) | undefined;
  readonly observer: CertificateObserver | undefined;
  readonly hosts: readonly string[];
  readonly secret: ServiceName | undefined;
  /** True when the CA bundles of all configurations are up to date. */
  readonly isTrusted: () => boolean;
  readonly onError: (error: unknown) => void;
}

const day = 24 * 60 * 60 * 1000;
const defaultLifetime = 90 * day;
/** The time a CA is trusted before a certificate of its is served, where certificates are valid for days. */
const longOverlap = 10 * 60 * 1000;

export function certificateSource(
  settings: CertificateSettings,
  { client, clock, log, random, observer, hosts, secret, isTrusted, onError }: CertificateSourceOptions,
): CertificateSource {
  if (settings.from === "files")
    return new FileCertificates({ directory: settings.directory, clock, observer, onError });
  if (settings.from === "secret" && !secret)
    throw new TypeError("webhooks need the namespace of the Secret with their certificates");
  const store = secret ? new SecretStore({ client, clock, random, ...secret, onError }) : memoryStore();
  const { lifetime = defaultLifetime } = settings;
  return new ManagedCertificates({
    store,
    policy: { hosts, lifetime, overlap: Math.min(longOverlap, lifetime / 20) },
    clock,
    isTrusted,
    onStep: (step, why) => log.info("webhook certificate", { step, why }),
    onError,
  });
}
