// Audit annotations of webhooks: whether each changed the object, its patch, and whether a failure was ignored.
import { stringifyJson } from "@kubewright/api";
import type { RequestContext } from "../../registry/request-context.js";
import type { Webhook } from "./webhook.js";

/** Records one call of one webhook in the audit annotations. */
export class WebhookAnnotations {
  readonly #context: RequestContext;
  readonly #webhook: Webhook;
  readonly #place: string;

  /** The index is its place among all webhooks of its sort. */
  constructor(context: RequestContext, webhook: Webhook, round: 0 | 1, index: number) {
    this.#context = context;
    this.#webhook = webhook;
    this.#place = `round_${round}_index_${index}`;
  }

  mutated(mutated: boolean): void {
    this.#annotate("mutation.webhook.admission.k8s.io", stringifyJson({ ...this.#names, mutated }));
  }

  /** A patch shows what was sent, so it takes a level that shows bodies. */
  patched(patch: unknown, patchType: string): void {
    const { record } = this.#context;
    const key = `patch.webhook.admission.k8s.io/${this.#place}`;
    if (record) record.annotate(key, stringifyJson({ ...this.#names, patch, patchType }), "Request");
  }

  failedOpen(sort: "mutation" | "validating"): void {
    this.#annotate(`failed-open.${sort}.webhook.admission.k8s.io`, this.#webhook.name);
  }

  get #names() {
    return { configuration: this.#webhook.configuration, webhook: this.#webhook.name };
  }

  #annotate(prefix: string, value: string): void {
    this.#context.record?.annotate(`${prefix}/${this.#place}`, value);
  }
}
