// Webhooks without sockets: the API server finds the functions of the manager under test where its Service would be.
import type { LocalWebhook, ServiceResolver } from "@kubewright/apiserver";

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

const keyOf = ({ namespace, name }: ServiceName): string => `${namespace}/${name}`;

export class LocalWebhooks {
  readonly #services = new Map<string, LocalWebhook>();

  /** Lets a function answer for a Service until the returned function is called, or another takes its place. */
  connect(service: ServiceName, call: LocalWebhook): () => void {
    const key = keyOf(service);
    this.#services.set(key, call);
    return () => {
      if (this.#services.get(key) === call) this.#services.delete(key);
    };
  }

  readonly resolve: ServiceResolver = (service) => this.#services.get(keyOf(service));
}
