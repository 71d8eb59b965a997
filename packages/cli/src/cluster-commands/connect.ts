// The cluster a command is about: the context kubectl would use, unless options say otherwise.
import { type Client, clientFromKubeConfig, type KubeConfig, loadKubeConfig } from "@kubewright/client";
import { withRemedy } from "./remedies.js";

export interface ContextChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

export interface Connection {
  readonly client: Client;
  /** As people know the cluster: `context minikube (https://127.0.0.1:8443)`. */
  readonly description: string;
}

/** A client for it, under the name of this command. */
export async function connect(choice: ContextChoice): Promise<Connection> {
  const config = await loadKubeConfig({ path: choice.kubeconfig, context: choice.context, env: process.env });
  const client = clientFromKubeConfig(config, {
    userAgent: "kubewright",
    fieldManager: "kubewright",
    interactive: process.stdin.isTTY,
  });
  return { client, description: describe(config) };
}

/** Uses a client of the cluster and closes it; what goes wrong with the cluster is said with what to do. */
export async function withCluster<T>(
  choice: ContextChoice,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    const connection = await connect(choice);
    await using _client = connection.client;
    return await use(connection);
  } catch (error) {
    throw withRemedy(error);
  }
}

function describe({ currentContext = "", contexts, clusters }: KubeConfig): string {
  const server = clusters.get(contexts.get(currentContext)?.cluster ?? "")?.server;
  return `context ${currentContext || "(none)"}${server ? ` (${server})` : ""}`;
}
