// Serves the metrics of a manager and further pages: without TLS on loopback, or with TLS, authentication and authorization by the
// API server.
import type { Clock } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import {
  HttpListener,
  type HttpRequest,
  type HttpResponse,
  type ListenOptions,
  notFound,
} from "../serving/http-listener.js";
import type { ManagerService } from "../serving/manager-service.js";
import { BearerGuard } from "./bearer-guard.js";
import { LocalGuard } from "./local-guard.js";
import type { MetricsRegistry } from "./registry.js";
import { type CertificateFiles, ServingCertificate } from "./serving-certificate.js";
import { contentTypes, formatFor } from "./text-format.js";
import type { CertificateObserver } from "./webhook-metrics.js";

/** The authentication and authorization of scrapes. */
export interface SecureServing {
  /** The certificate, renewed by somebody else; without it one is made at start. */
  readonly files?: CertificateFiles | undefined;
  /** Names and addresses a certificate made at start is good for. */
  readonly hosts?: readonly string[] | undefined;
}

/** A page besides metrics; undefined when there is none under the path. */
export type Page = (query: URLSearchParams) => HttpResponse | undefined;

export interface MetricsServerOptions extends ListenOptions {
  readonly registry: MetricsRegistry;
  /** By path. */
  readonly pages: ReadonlyMap<string, Page>;
  readonly secure: SecureServing | undefined;
  /** The bearer token that is asked for without TLS. */
  readonly token?: string | undefined;
  readonly client: Client;
  readonly clock: Clock;
  readonly certificates: CertificateObserver;
  readonly onError: (error: unknown) => void;
}

export class MetricsServer implements ManagerService {
  readonly name = "metrics";
  readonly #options: MetricsServerOptions;
  readonly #guard: BearerGuard | LocalGuard;
  #certificate: ServingCertificate | undefined;
  #listener: HttpListener | undefined;

  constructor(options: MetricsServerOptions) {
    this.#options = options;
    this.#guard = options.secure
      ? new BearerGuard(options.client, options.clock)
      : new LocalGuard(options.host ?? "127.0.0.1", options.token);
  }

  get url(): string | undefined {
    return this.#listener?.url;
  }

  async start(): Promise<void> {
    const { port, host, secure, clock, certificates, onError } = this.#options;
    if (secure)
      this.#certificate = new ServingCertificate({
        files: secure.files,
        commonName: "kubewright-metrics",
        hosts: ["localhost", "127.0.0.1", ...(secure.hosts ?? [])],
        clock,
        observer: certificates,
        onError,
      });
    const certificate = await this.#certificate?.open((next) => this.#listener?.renew(next));
    const respond = (request: HttpRequest): Promise<HttpResponse> => this.#respond(request);
    this.#listener = new HttpListener({ port, host, certificate, respond, clock, onError });
    await this.#listener.listen();
  }

  async close(): Promise<void> {
    this.#certificate?.close();
    await this.#listener?.close();
  }

  async #respond({ path, query, headers }: HttpRequest): Promise<HttpResponse> {
    const access = await this.#guard.check(headers, path);
    if (access.status !== 200) return { status: access.status, body: `${access.message}\n` };
    const { registry, pages, onError } = this.#options;
    if (path !== "/metrics") return pages.get(path)?.(query) ?? notFound;
    const format = formatFor(headers.accept);
    return { status: 200, contentType: contentTypes[format], body: registry.format(format, onError) };
  }
}
