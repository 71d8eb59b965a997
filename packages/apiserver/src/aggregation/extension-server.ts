// Aggregated API servers: reached at an address over TLS, or as a function of this process.
import type { APIService, Service, Transport } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import type { ServiceResolver } from "../listener/https-webhook-caller.js";
import type { Storage } from "../storage/index.js";
import { givenUrl } from "./api-services.js";

/** An APIService, as far as one needs to know to say where its server is. */
export interface ExtensionApi {
  /** `v1.metrics.k8s.io` */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service?: { readonly namespace: string; readonly name: string; readonly port: number } | undefined;
}

/**
 * Says where the server of an APIService is: at a URL, or in this process as a function, which finds the user in the headers
 * `x-remote-user` and `x-remote-group`. Undefined where its Service says that.
 */
export type ExtensionResolver = (api: ExtensionApi) => string | Transport | undefined;

/** How the API server finds extension API servers and authenticates to them. */
export interface AggregationOptions {
  /** Where servers behind this one are that no Service leads to. */
  readonly resolveExtension?: ExtensionResolver | undefined;
  /** The front proxy client certificate, by which extension API servers authenticate this server. */
  readonly frontProxy?: (() => KeyPair) | undefined;
}

/** The connection to an extension API server. */
export type ExtensionServer = LocalExtension | RemoteExtension;

export interface LocalExtension {
  readonly kind: "function";
  readonly transport: Transport;
  /** How failures name it. */
  readonly origin: string;
}

export interface RemoteExtension {
  readonly kind: "address";
  /** `https://127.0.0.1:8443` */
  readonly origin: string;
  /** The name its certificate must be for. */
  readonly serverName: string;
  /** PEM; those of the system when absent. */
  readonly authority: Buffer | undefined;
  readonly insecure: boolean;
}

const securePort = 443;

export const extensionApi = ({ metadata, spec }: APIService): ExtensionApi => ({
  name: metadata?.name ?? "",
  group: spec?.group ?? "",
  version: spec?.version ?? "",
  service: spec?.service && {
    namespace: spec.service.namespace ?? "",
    name: spec.service.name ?? "",
    port: spec.service.port ?? securePort,
  },
});

/** The server that was named without a Service; undefined where none was. */
export function namedServer(
  apiService: APIService,
  { resolveExtension }: AggregationOptions,
): ExtensionServer | undefined {
  const api = extensionApi(apiService);
  const place = resolveExtension?.(api) ?? givenUrl(apiService);
  if (place === undefined) return undefined;
  if (typeof place === "function")
    return { kind: "function", transport: place, origin: `https://${hostOf(api) ?? api.name}` };
  const url = new URL(place);
  return remote(apiService, url.origin, hostOf(api) ?? url.hostname);
}

/** The server behind the Service of an APIService. Throws in the words of kube-apiserver when there is no way to it. */
export async function serviceServer(
  apiService: APIService,
  storage: Storage,
  resolveService: ServiceResolver | undefined,
): Promise<ExtensionServer> {
  const api = extensionApi(apiService);
  if (!api.service) throw new Error(`APIService ${api.name} has no service`);
  const { namespace, name, port } = api.service;
  const place = await resolveService?.({ namespace, name, port });
  const host = hostOf(api) ?? "";
  // Functions are webhooks: they take reviews, not requests.
  if (place && typeof place !== "function")
    return remote(
      apiService,
      `https://${place.host.includes(":") ? `[${place.host}]` : place.host}:${place.port}`,
      host,
    );
  const service = storage.get("services", `${namespace}/${name}`) as unknown as Service | undefined;
  if (service?.spec?.type === "ExternalName")
    return remote(apiService, `https://${service.spec.externalName}:${port}`, host);
  throw new Error(`no way leads to service/${name} in "${namespace}" from outside of the cluster`);
}

const hostOf = ({ service }: ExtensionApi): string | undefined =>
  service && `${service.name}.${service.namespace}.svc`;

function remote({ spec }: APIService, origin: string, serverName: string): RemoteExtension {
  return {
    kind: "address",
    origin,
    serverName,
    authority: spec?.caBundle ? Buffer.from(spec.caBundle, "base64") : undefined,
    insecure: spec?.insecureSkipTLSVerify ?? false,
  };
}
