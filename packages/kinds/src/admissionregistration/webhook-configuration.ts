// The two kinds that say which webhooks are called. They differ in one field.
import type { Draft, MutatingWebhookConfiguration } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { countExactGeneration } from "../count-generation.js";
import type { DraftObject, StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import { defaultRules, defaultSelectors } from "./default-matching.js";
import { validateWebhooks, type Webhook } from "./validate-webhook.js";

const webhooksOf = (object: DraftObject): readonly Draft<Webhook>[] =>
  draftAs<MutatingWebhookConfiguration>(object).webhooks ?? [];

const storedWebhooks = (object: StoredObject): readonly Webhook[] =>
  storedAs<MutatingWebhookConfiguration>(object).webhooks ?? [];

function defaultWebhook(webhook: Draft<Webhook>): void {
  webhook.failurePolicy ??= "Fail";
  defaultSelectors(webhook);
  defaultRules(webhook.rules);
  webhook.timeoutSeconds ??= 10;
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
}

const webhookKind = (resource: string, mutates: boolean): BuiltInKind => ({
  resource: `${resource}.admissionregistration.k8s.io`,
  strategy: {
    ...countExactGeneration("webhooks"),
    allowUnconditionalUpdate: false,
    metadata: { validator: "apimachinery", onUpdate: ["object"] },
    applyDefaults(object) {
      for (const webhook of webhooksOf(object)) {
        defaultWebhook(webhook);
        if (mutates) webhook.reinvocationPolicy ??= "Never";
      }
    },
    validateCreate: (object) => validateWebhooks(webhooksOf(object)),
    validateUpdate: (object, old) => validateWebhooks(webhooksOf(object), storedWebhooks(old)),
  },
});

export const mutatingWebhookConfigurations = webhookKind("mutatingwebhookconfigurations", true);
export const validatingWebhookConfigurations = webhookKind("validatingwebhookconfigurations", false);
