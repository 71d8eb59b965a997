// A server whose webhooks are functions of the test: no sockets, and every question is kept.
import {
  type Clock,
  type MutatingWebhook,
  MutatingWebhookConfiguration,
  Namespace,
  type RuleWithOperations,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "@kubewright/api";
import { type AdmissionPlugin, createApiServer, type LocalWebhook } from "@kubewright/apiserver";
import { Client } from "@kubewright/client";

/** The request side of an AdmissionReview, as far as tests look at it. */
export interface ReviewRequest {
  readonly uid: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: string;
  readonly subResource?: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly object: Record<string, never> | null;
  readonly oldObject: Record<string, never> | null;
  readonly dryRun: boolean;
  readonly [field: string]: unknown;
}

/** What a webhook says; allowed and without a patch unless told. */
export interface Answer {
  readonly allowed?: boolean;
  readonly status?: object;
  readonly patch?: readonly object[];
  readonly warnings?: readonly string[];
}

export type Handler = (request: ReviewRequest) => Answer | undefined | Promise<Answer | undefined>;

/** A webhook that speaks AdmissionReview v1 properly. */
export function wellBehaved(handler: Handler): LocalWebhook {
  return async (_path, body) => {
    const { request } = body as { request: ReviewRequest };
    const { patch, ...answer } = (await handler(request)) ?? {};
    const patched = patch && {
      patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
      patchType: "JSONPatch",
    };
    return {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: request.uid, allowed: true, ...answer, ...patched },
    };
  };
}

const everyConfigMap: RuleWithOperations = {
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["*"],
  resources: ["configmaps"],
};

export interface WebhookServerOptions {
  readonly clock?: Clock;
  readonly plugins?: readonly AdmissionPlugin[];
}

export async function webhookServer({ clock, plugins }: WebhookServerOptions = {}) {
  const webhooks = new Map<string, LocalWebhook>();
  const server = createApiServer({
    clock,
    admission: plugins,
    disableAdmission: ["ServiceAccount"],
    resolveService: ({ name }) => webhooks.get(name),
  });
  const warnings: string[] = [];
  const client = new Client({ transport: server.transport(), onWarning: (text) => warnings.push(text) });
  await client.create(Namespace, { metadata: { name: "shop", labels: { team: "sales" } } });

  const stated = <T>(name: string, settings: Partial<T>) => ({
    name: `${name}.example.com`,
    clientConfig: { service: { namespace: "default", name, path: `/${name}` } },
    admissionReviewVersions: ["v1"],
    sideEffects: "None" as const,
    rules: [everyConfigMap],
    ...settings,
  });

  return {
    server,
    client,
    warnings,
    /** Registers a webhook and configures the server to ask it. */
    async mutating(name: string, webhook: LocalWebhook, settings: Partial<MutatingWebhook> = {}) {
      webhooks.set(name, webhook);
      await client.create(MutatingWebhookConfiguration, {
        metadata: { name },
        webhooks: [stated<MutatingWebhook>(name, settings)],
      });
    },
    async validating(name: string, webhook: LocalWebhook, settings: Partial<ValidatingWebhook> = {}) {
      webhooks.set(name, webhook);
      await client.create(ValidatingWebhookConfiguration, {
        metadata: { name },
        webhooks: [stated<ValidatingWebhook>(name, settings)],
      });
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      server.close();
    },
  };
}

/** Adds a label. */
export const labelled = (key: string, value = "yes", request?: ReviewRequest): Answer => ({
  patch:
    request?.object?.["metadata"]?.["labels"] === undefined
      ? [{ op: "add", path: "/metadata/labels", value: { [key]: value } }]
      : [{ op: "add", path: `/metadata/labels/${key}`, value }],
});

/** A handler that keeps what it was asked. */
export function recorder(handler: Handler = () => ({})) {
  const asked: ReviewRequest[] = [];
  const webhook = wellBehaved((request) => {
    asked.push(request);
    return handler(request);
  });
  return { asked, webhook };
}
