// What a process decides about the webhooks of the manager it starts: where they listen, how the API server reaches them, and
// where their certificates come from.

/** A Service of the cluster. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** Where a serving certificate comes from. */
export type CertificateSettings =
  | {
      /** Made by the manager and kept in a Secret that its replicas share. Rotated when a third of its life is left. */
      readonly from: "secret";
      /** `<manager>-webhook-server-cert` unless told. */
      readonly name?: string | undefined;
      /** The namespace the manager runs in unless told. */
      readonly namespace?: string | undefined;
      /** Milliseconds; 90 days unless told. */
      readonly lifetime?: number | undefined;
    }
  | {
      /** Made by the manager and known to this process only. */
      readonly from: "memory";
      readonly lifetime?: number | undefined;
    }
  | {
      /** `tls.crt`, `tls.key` and perhaps `ca.crt` of a directory, read again when they change. */
      readonly from: "files";
      readonly directory: string;
    };

/** Where the server listens. */
export interface ListenerSettings {
  /** 127.0.0.1 when reached by URL, else all addresses. */
  readonly host?: string | undefined;
  /** 9443 unless told; 0 for any that is free. */
  readonly port?: number | undefined;
}

/** On a developer's machine, beside the API server. The manager applies the configurations itself, and deletes them at its end. */
export interface UrlServing extends ListenerSettings {
  readonly mode: "url";
  /** The name or address the API server knows this machine by; the host unless told. */
  readonly advertise?: string | undefined;
  /** In memory unless told. */
  readonly certificates?: CertificateSettings | undefined;
}

/** In a cluster, behind a Service. */
export interface ServiceServing extends ListenerSettings {
  readonly mode: "service";
  /** `<manager>-webhook-service` in the namespace the manager runs in, unless told. */
  readonly service?:
    | {
        readonly name?: string | undefined;
        readonly namespace?: string | undefined;
        /** 443 unless told. */
        readonly port?: number | undefined;
      }
    | undefined;
  /** In a Secret unless told. */
  readonly certificates?: CertificateSettings | undefined;
  /**
   * How long, in milliseconds, a stopping manager goes on answering, since the endpoints of a Service forget a pod only after it has been
   * asked to stop. Default: 0. `runManager` sets 5 s in a pod.
   */
  readonly drain?: number | undefined;
  /** Whether the manager creates the configurations or only puts its authorities into them, which it does unless told. */
  readonly configurations?: "inject" | "apply" | undefined;
}

/**
 * In the process of the API server: no socket, no certificate. Configurations name a Service, and the API server must find the
 * function behind it:
 *
 * @example
 * const services = new Map<string, LocalWebhook>();
 * const cluster = await startCluster({ resolveService: ({ namespace, name }) => services.get(`${namespace}/${name}`) });
 * await startManager(manager, {
 *   client: cluster.client,
 *   webhooks: {
 *     mode: "local",
 *     connect({ namespace, name }, call) {
 *       services.set(`${namespace}/${name}`, call);
 *       return () => services.delete(`${namespace}/${name}`);
 *     },
 *   },
 * });
 */
export interface LocalServing {
  readonly mode: "local";
  /** Makes the function answer for the Service; returns how to end that. */
  connect(service: ServiceName, call: (path: string, body: unknown) => Promise<unknown>): () => unknown;
}

export type WebhookServing = UrlServing | ServiceServing | LocalServing;

/** What is done unless told: a server on this machine alone. */
export const defaultServing: UrlServing = { mode: "url" };
