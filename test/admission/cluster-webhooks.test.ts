// A cluster hands on how its server finds webhooks.
import { ConfigMap, ValidatingWebhookConfiguration } from "@kubewright/api";
import type { LocalWebhook, WebhookService } from "@kubewright/apiserver";
import { type ClusterOptions, startCluster } from "@kubewright/cluster";
import { expect, it } from "vitest";
import { wellBehaved } from "./webhook-server.js";

const deny = wellBehaved(() => ({ allowed: false, status: { message: "closed" } }));
const service: WebhookService = { namespace: "ops", name: "guard", path: "/check", port: 8443 };

async function refusal(options: ClusterOptions): Promise<unknown> {
  await using cluster = await startCluster({ nodes: 0, controllers: "none", ...options });
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
  await cluster.client.create(ValidatingWebhookConfiguration, {
    metadata: { name: "guard" },
    webhooks: [
      {
        name: "guard.example.com",
        clientConfig: { service },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        rules: [rule as never],
      },
    ],
  });
  const metadata = { name: "x", namespace: "default" };
  return cluster.client.create(ConfigMap, { metadata }).catch((error: unknown) => error);
}

it("a webhook behind a service is a function of the process", async () => {
  const asked: WebhookService[] = [];
  const resolveService = (wanted: WebhookService): LocalWebhook => {
    asked.push(wanted);
    return deny;
  };
  expect(await refusal({ resolveService })).toMatchObject({
    message: expect.stringContaining('admission webhook "guard.example.com" denied the request: closed'),
  });
  expect(asked).toMatchObject([service]);
});

it("all webhooks are called by the host", async () => {
  const urls: unknown[] = [];
  const failure = await refusal({
    callWebhook: ({ endpoint, body }) => {
      urls.push(endpoint.service?.name);
      return Promise.resolve(deny("/", body));
    },
  });
  expect(failure).toMatchObject({ message: expect.stringContaining("denied the request: closed") });
  expect(urls).toEqual(["guard"]);
});

it("services cannot be reached when nobody says where they are", async () => {
  expect(await refusal({})).toMatchObject({
    message: expect.stringContaining(
      'Post "https://guard.ops.svc:8443/check?timeout=10s": service "guard" not found',
    ),
  });
});
