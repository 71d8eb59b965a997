// Certificates in a Secret, as `kubernetes.io/tls` has them, so that all replicas serve the same one. Writes are guarded by the
// version that was read: of two replicas that rotate at once, one succeeds and the other reads again.
import { type Clock, isAlreadyExists, isConflict, isNotFound, Secret } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { Informer } from "../../informer/informer.js";
import type { CertificateSet, StagedPair } from "./certificate-set.js";
import type { CertificateStore } from "./managed-certificates.js";

export interface SecretStoreOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly onError: (error: unknown) => void;
}

const stagedAt = "kubewright.dev/staged-at";
const unreadable: CertificateSet = {
  current: { certificate: "", key: "" },
  next: undefined,
  caBundle: "",
};

export class SecretStore implements CertificateStore {
  readonly #options: SecretStoreOptions;
  /** As it was read last; undefined when there was none. */
  #read: Secret | undefined;

  constructor(options: SecretStoreOptions) {
    this.#options = options;
  }

  async read(): Promise<CertificateSet | undefined> {
    const { client, name, namespace } = this.#options;
    this.#read = await client.get(Secret, name, { namespace }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    return this.#read && setIn(this.#read);
  }

  async write(set: CertificateSet): Promise<boolean> {
    const { client, name, namespace } = this.#options;
    try {
      if (!this.#read)
        await client.create(Secret, { metadata: { name, namespace }, ...contentsOf(set, undefined) });
      else await client.update(Secret, { ...this.#read, ...contentsOf(set, this.#read) });
      return true;
    } catch (error) {
      // It was deleted or changed since it was read: the caller reads it again.
      if (isAlreadyExists(error) || isConflict(error) || (this.#read && isNotFound(error))) return false;
      throw error;
    }
  }

  watch(onChange: () => void): () => Promise<void> {
    const { client, clock, random, namespace, name, onError } = this.#options;
    const fieldSelector = `metadata.name=${name}`;
    const informer = new Informer({
      client,
      clock,
      random,
      resource: Secret,
      namespaces: [namespace],
      fieldSelector,
      onError,
    });
    informer.onChange(({ initial }) => {
      if (!initial) onChange();
    });
    informer.start();
    return () => informer.close();
  }
}

/** Decodes a Secret; one that cannot be decoded gives a set that is not valid. */
function setIn({ data = {}, metadata }: Secret): CertificateSet {
  const certificate = decoded(data["tls.crt"]);
  const key = decoded(data["tls.key"]);
  const caBundle = decoded(data["ca.crt"]);
  if (!certificate || !key || !caBundle) return { ...unreadable, caBundle };
  return {
    current: { certificate, key },
    next: stagedIn(data, metadata?.annotations?.[stagedAt]),
    caBundle,
  };
}

function stagedIn(data: NonNullable<Secret["data"]>, since = ""): StagedPair | undefined {
  const certificate = decoded(data["next.crt"]);
  const key = decoded(data["next.key"]);
  const time = Date.parse(since);
  return certificate && key && !Number.isNaN(time) ? { certificate, key, since: time } : undefined;
}

/** The type of an existing Secret cannot be changed; its other keys stay. */
function contentsOf({ current, next, caBundle }: CertificateSet, old: Secret | undefined): Secret {
  const { [stagedAt]: _since, ...annotations } = old?.metadata?.annotations ?? {};
  const { "next.crt": _certificate, "next.key": _key, ...data } = old?.data ?? {};
  return {
    type: old?.type ?? "kubernetes.io/tls",
    ...(old
      ? {
          metadata: {
            ...old.metadata,
            annotations: next
              ? { ...annotations, [stagedAt]: new Date(next.since).toISOString() }
              : annotations,
          },
        }
      : {}),
    data: {
      ...data,
      "tls.crt": encoded(current.certificate),
      "tls.key": encoded(current.key),
      "ca.crt": encoded(caBundle),
      ...(next ? { "next.crt": encoded(next.certificate), "next.key": encoded(next.key) } : {}),
    },
  };
}

const encoded = (text: string): string => Buffer.from(text).toString("base64");
const decoded = (text = ""): string => Buffer.from(text, "base64").toString("utf8");
