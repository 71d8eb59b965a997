// The `webhooks` of a manager, by sort: admission and conversion.
import type { ConversionDefinition } from "./define-conversion.js";
import type { WebhookDefinition } from "./define-webhook.js";
import { webhookName } from "./webhook-names.js";

/** A webhook of either sort. */
export type AnyWebhook = WebhookDefinition | ConversionDefinition;

/** The settings of a manager that its webhooks depend on. */
export interface WebhookManager {
  readonly name: string;
  /** All namespaces if undefined. */
  readonly namespaces?: readonly string[] | undefined;
  readonly webhooks?: readonly AnyWebhook[] | undefined;
}

type Holder = Pick<WebhookManager, "webhooks">;

export const webhooksOf = ({ webhooks = [] }: Holder): readonly WebhookDefinition[] =>
  webhooks.filter((entry) => entry.kind === "kubewright.webhook");

export const conversionsOf = ({ webhooks = [] }: Holder): readonly ConversionDefinition[] =>
  webhooks.filter((entry) => entry.kind === "kubewright.conversion");

/** Throws when two webhooks have the same path. */
export function refuseTwins(manager: WebhookManager): void {
  const names = [
    ...webhooksOf(manager).map((definition) => webhookName("validate", definition)),
    ...conversionsOf(manager).map(({ hub }) => `the conversion of ${hub.kind}.${hub.group}`),
  ];
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin === undefined) return;
  const what = twin.replace(/^validate\./, "webhook ");
  throw new Error(`manager "${manager.name}" has ${what} twice; give one another name`);
}
