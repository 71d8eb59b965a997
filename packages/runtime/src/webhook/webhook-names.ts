// The names of webhooks, their paths and their objects: derived, stable, and kubebuilder's where it has any.
import type { WebhookDefinition } from "./define-webhook.js";

export type WebhookType = "mutate" | "validate";

/** The path of conversions, of all kinds. */
export const conversionPath = "/convert";

/** The path by which an API server shows that it can reach the webhook server. */
export const probePath = "/probe";

/** `/mutate-model-github-com-v1-modelbox`; the core group is empty: `/validate--v1-pod`. */
export function webhookPath(type: WebhookType, { resource, name, subresource }: WebhookDefinition): string {
  const kind = resource.kind.toLowerCase();
  const parts = [type, resource.group.replaceAll(".", "-"), resource.version, kind];
  if (subresource) parts.push(subresource);
  if (name !== kind) parts.push(name);
  return `/${parts.join("-")}`;
}

/** The name in the message of a refusal: `validate.modelbox.v1.model.github.com`. */
export function webhookName(type: WebhookType, { resource, name, subresource }: WebhookDefinition): string {
  const parts = [type, name, resource.version, resource.group || "core.kubewright.dev"];
  return (subresource ? [type, subresource, ...parts.slice(1)] : parts).join(".");
}

/** The names of the objects that a manager's webhooks need. */
export function webhookObjectNames(manager: string) {
  return {
    mutating: `${manager}-mutating-webhook-configuration`,
    validating: `${manager}-validating-webhook-configuration`,
    service: `${manager}-webhook-service`,
    secret: `${manager}-webhook-server-cert`,
  };
}

/**
 * The lease of the process that writes the configurations, where webhooks are reached by URL. Configurations have no namespace,
 * so processes in different namespaces must share one in a namespace that every cluster has.
 */
export const holderLease = (manager: string) => ({ leaseName: `${manager}-webhooks`, namespace: "default" });
