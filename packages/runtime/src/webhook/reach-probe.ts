// Probes whether the API server can reach this process at a URL, before any configuration that others depend on points there.
//
// The API server is made to call: by a webhook configuration that matches one label of its own, and by the dry run of a ConfigMap
// that has this label. Nothing is stored but the configuration, for a moment.
import { type Clock, ConfigMap, isForbidden, sleep, ValidatingWebhookConfiguration } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { requestOf, uidOf } from "./admission-request.js";
import type { Reviewed } from "./admission-route.js";
import type { ClientConfigOf } from "./webhook-configurations.js";
import { probePath } from "./webhook-names.js";

/** The path of the probe. */
export class ProbeRoute {
  readonly maxBytes = 1024 * 1024;
  #calls = 0;

  /** The number of calls. */
  get calls(): number {
    return this.#calls;
  }

  async review(body: unknown): Promise<Reviewed> {
    const request = requestOf(body, "AdmissionReview", "admission.k8s.io/v1");
    this.#calls++;
    const response = { uid: uidOf(request), allowed: true };
    return { body: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response }, code: 200 };
  }
}

export interface ReachProbeOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly clientConfig: ClientConfigOf;
  readonly route: ProbeRoute;
  /** Unique among probes. */
  readonly id: string;
}

const label = "kubewright.dev/webhook-probe";
const namespace = "default";
/** API servers load a new configuration a moment after it is stored. */
const attempts = 25;
const pause = 200;

/** Undefined when the API server has called, or when this process may not make it; otherwise the problem. */
export async function unreachableBecause(options: ReachProbeOptions): Promise<string | undefined> {
  const { client, id } = options;
  const name = `kubewright-webhook-probe-${id}`;
  try {
    await client.create(ValidatingWebhookConfiguration, configuration(name, options));
    return await askUntilCalled(options);
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  } finally {
    await client.delete(ValidatingWebhookConfiguration, name).catch(() => undefined);
  }
}

async function askUntilCalled({ client, clock, route, id }: ReachProbeOptions): Promise<string | undefined> {
  const object = { metadata: { name: `webhook-probe-${id}`, namespace, labels: { [label]: id } } };
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await sleep(clock, pause);
    try {
      await client.create(ConfigMap, object, { dryRun: true });
    } catch (error) {
      if (isForbidden(error)) return undefined;
      if (route.calls === 0) return error instanceof Error ? error.message : String(error);
    }
    if (route.calls > 0) return undefined;
  }
  return "it did not call within 5 seconds";
}

function configuration(
  name: string,
  { clientConfig, id }: ReachProbeOptions,
): ValidatingWebhookConfiguration {
  return {
    metadata: { name },
    webhooks: [
      {
        name: "probe.webhooks.kubewright.dev",
        clientConfig: clientConfig(probePath),
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Fail",
        timeoutSeconds: 3,
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        objectSelector: { matchLabels: { [label]: id } },
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      },
    ],
  };
}
