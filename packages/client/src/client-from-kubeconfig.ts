import type { ClientOptions } from "./caller.js";
import { Client } from "./client.js";
import { type ContextOptions, resolveContext } from "./kubeconfig/context-transport.js";
import type { KubeConfig } from "./kubeconfig/kubeconfig.js";
import {
  isOfficialKubeConfig,
  type OfficialKubeConfig,
  officialContext,
} from "./kubeconfig/official-kubeconfig.js";
import { type UndiciTransportOptions, undiciTransport } from "./transport/undici-transport.js";

/** The options of the client, apart from those of the kubeconfig. */
export type KubeConfigClientOptions = Omit<ClientOptions, "transport"> &
  ContextOptions &
  Pick<
    UndiciTransportOptions,
    | "answerTimeout"
    | "connectTimeout"
    | "keepAliveTimeout"
    | "maxConnections"
    | "middleware"
    | "onRequest"
    | "rateLimit"
    | "retry"
    | "tracing"
  >;

/**
 * A client for the current context of a kubeconfig, ours or the official client's.
 *
 * @example
 * await using client = clientFromKubeConfig(await loadKubeConfig({ env: process.env }));
 * for await (const pod of client.items(Pod, { namespace: "shop" })) console.log(pod.metadata?.name);
 */
export function clientFromKubeConfig(
  config: KubeConfig | OfficialKubeConfig,
  options: KubeConfigClientOptions = {},
): Client {
  const context = isOfficialKubeConfig(config)
    ? officialContext(config, options)
    : resolveContext(config, options);
  const transport = undiciTransport({ ...context.transport, ...options });
  return new Client({ defaultNamespace: context.namespace, ...options, transport });
}
