// The address and the names of a manager's webhooks, derived from how they are served.
import { isIPv6 } from "node:net";
import { type ClientConfigOf, viaService, viaUrl } from "./webhook-configurations.js";
import { webhookObjectNames } from "./webhook-names.js";
import type { ServiceName, WebhookServing } from "./webhook-serving.js";

export class WebhookPlace {
  readonly #manager: string;
  readonly #serving: WebhookServing;
  readonly #namespace: string | undefined;

  /** `namespace` is the one the manager runs in, if that is known. */
  constructor(manager: string, serving: WebhookServing, namespace: string | undefined) {
    this.#manager = manager;
    this.#serving = serving;
    this.#namespace = namespace;
  }

  /** The Service the API server calls; throws when its namespace is unknown. */
  get service(): ServiceName {
    const { service } = this.#serving.mode === "service" ? this.#serving : {};
    const elsewhere = this.#serving.mode === "local" ? "default" : undefined;
    const namespace = service?.namespace ?? this.#namespace ?? elsewhere;
    const name = service?.name ?? webhookObjectNames(this.#manager).service;
    if (namespace !== undefined) return { name, namespace };
    throw new TypeError(`manager "${this.#manager}": webhooks need the namespace of their Service`);
  }

  /** The Secret certificates are kept in; undefined when they are not, or its namespace is unknown. */
  get secret(): ServiceName | undefined {
    if (this.#serving.mode === "local") return undefined;
    const { mode, certificates } = this.#serving;
    const isKept = certificates ? certificates.from === "secret" : mode === "service";
    if (!isKept) return undefined;
    const stated = certificates?.from === "secret" ? certificates : undefined;
    const { namespace = this.#namespace, name = webhookObjectNames(this.#manager).secret } = stated ?? {};
    return namespace === undefined ? undefined : { namespace, name };
  }

  /** The DNS names and addresses of the certificate. */
  get hosts(): readonly string[] {
    if (this.#serving.mode === "url") return [...new Set([this.#host, "127.0.0.1", "localhost"])];
    const { name, namespace } = this.service;
    return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}`];
  }

  /** `https://127.0.0.1:9443`, as in the configurations; undefined when the API server calls a Service. */
  url(port: number): string | undefined {
    if (this.#serving.mode !== "url") return undefined;
    return `https://${isIPv6(this.#host) ? `[${this.#host}]` : this.#host}:${port}`;
  }

  /** The client config of a path, with its CA bundle. */
  clientConfig(port: number, caBundle: string | undefined): ClientConfigOf {
    const bundle = caBundle === undefined ? undefined : Buffer.from(caBundle).toString("base64");
    const url = this.url(port);
    if (url !== undefined) return viaUrl(url, bundle);
    const { service } = this.#serving.mode === "service" ? this.#serving : {};
    return viaService({ ...this.service, port: service?.port }, bundle);
  }

  get #host(): string {
    if (this.#serving.mode !== "url") return "";
    return this.#serving.advertise ?? this.#serving.host ?? "127.0.0.1";
  }
}
