// The webhooks of all configurations in the store, kept ready: a write that went through is known to the next request.

import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

import type { Storage } from "../../storage/index.js";
import { Webhook } from "./webhook.js";

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

export class WebhookSource {
  readonly #storage: Storage;
  readonly #table: string;
  /** Per configuration, so that a change to one does not compile the expressions of all again. */
  readonly #known = new Map<string, readonly Webhook[]>();
  #unsubscribe: (() => void) | undefined;
  #all: readonly Webhook[] | undefined;

  constructor(storage: Storage, table: string) {
    this.#storage = storage;
    this.#table = table;
  }

  /** By the name of the configuration, then as the configuration orders them. */
  all(): readonly Webhook[] {
    this.#unsubscribe ??= this.#follow();
    this.#all ??= [...this.#storage.list(this.#table, { prefix: "" })].flatMap((object) =>
      this.#webhooksOf(object),
    );
    return this.#all;
  }

  close(): void {
    this.#unsubscribe?.();
  }

  #follow(): () => void {
    return this.#storage.subscribe(this.#table, this.#storage.revision, ({ object }) => {
      this.#known.delete(object.metadata.name);
      this.#all = undefined;
    });
  }

  #webhooksOf(object: StoredObject): readonly Webhook[] {
    const { name } = object.metadata;
    const known = this.#known.get(name) ?? webhooksOf(object as unknown as Configuration, name);
    this.#known.set(name, known);
    return known;
  }
}

function webhooksOf({ webhooks = [] }: Configuration, configuration: string): Webhook[] {
  const seen = new Map<string, number>();
  return webhooks.map((stated) => {
    const count = seen.get(stated.name) ?? 0;
    seen.set(stated.name, count + 1);
    return new Webhook(`${configuration}/${stated.name}/${count}`, stated, configuration);
  });
}
