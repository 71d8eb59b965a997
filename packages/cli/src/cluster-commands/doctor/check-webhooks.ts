// Whether the API server could ask the webhooks: they are configured, their certificate is good, and it is the one that is trusted.
import { X509Certificate } from "node:crypto";
import {
  EndpointSlice,
  isForbidden,
  isNotFound,
  Lease,
  MutatingWebhookConfiguration,
  type ResourceDescriptor,
  Secret,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { holderLease, webhookObjectNames } from "@kubewright/runtime";
import { ports } from "../../manifests/operator.js";
import { sampleObject } from "../../manifests/sample.js";
import { type Check, type Finding, ok, type Patient, problem, warning } from "./finding.js";

const check = "webhooks";
const day = 24 * 60 * 60 * 1000;

/** Webhooks can be asked. */
export const checkWebhooks: Check = async (patient) => {
  const { client, operator } = patient;
  if (!operator.hasWebhooks) return [ok(check, "the operator has none")];
  const names = webhookObjectNames(operator.names.manager);
  const { mutating, validating } = operator.webhooks;
  const configurations = [
    ...(mutating ? [await found(client, MutatingWebhookConfiguration, names.mutating)] : []),
    ...(validating ? [await found(client, ValidatingWebhookConfiguration, names.validating)] : []),
  ];
  const there = configurations.filter((one) => one !== undefined);
  if (there.length < configurations.length)
    return [
      warning(
        check,
        "no configuration points at them, so they are never called",
        "kubewright deploy, or kubewright run",
      ),
    ];
  const clients = there.flatMap(({ webhooks = [] }) => webhooks.map(({ clientConfig }) => clientConfig));
  const url = clients.find((config) => config.url !== undefined)?.url;
  if (url !== undefined) return [await checkHolder(patient, new URL(url).origin)];
  const findings = [...(await checkService(patient)), ...(await checkCertificate(patient, clients))];
  return findings.every(({ state }) => state === "ok")
    ? [...findings, ...(await checkCalls(patient))]
    : findings;
};

/** The API server is asked for a dry run of each kind, for which it has to call the webhooks; what they answer does not matter. */
async function checkCalls({ client, operator }: Patient): Promise<readonly Finding[]> {
  const asked = new Set(
    (operator.definition.webhooks ?? []).map((webhook) =>
      "resource" in webhook ? webhook.resource : undefined,
    ),
  );
  for (const kind of operator.kinds.filter((each) => asked.has(each))) {
    const { metadata: _metadata, ...sample } = sampleObject(kind);
    const place = kind.scope === "Namespaced" ? { namespace: operator.settings.namespace } : {};
    const object = { ...sample, metadata: { generateName: "kubewright-doctor-", ...place } };
    const failure = await client.create(kind, object as never, { dryRun: true }).then(
      () => undefined,
      (error: unknown) =>
        error instanceof Error && /failed calling webhook/.test(error.message) ? error.message : undefined,
    );
    if (failure !== undefined)
      return [
        problem(
          check,
          `the API server cannot call them: ${failure}`,
          `let it reach port ${ports.webhooks} of the manager's pods: NetworkPolicies, firewalls between control plane and nodes, proxies`,
        ),
      ];
  }
  return [];
}

/** Webhooks at a URL work as long as the process there does, which renews a lease meanwhile. */
async function checkHolder({ client, operator }: Patient, origin: string): Promise<Finding> {
  const { leaseName, namespace } = holderLease(operator.names.manager);
  const lease = await client.get(Lease, leaseName, { namespace }).catch((error: unknown) => {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  });
  const { holderIdentity: holder, renewTime, leaseDurationSeconds = 0 } = lease?.spec ?? {};
  if (holder && Date.parse(renewTime ?? "") + leaseDurationSeconds * 1000 > Date.now())
    return warning(
      check,
      `the API server calls ${origin}, where ${holder} runs`,
      "that works while kubewright run does; kubewright deploy moves them to a Service",
    );
  return problem(
    check,
    `the API server calls ${origin}, where no operator seems to run: writes may be rejected`,
    "kubewright run or kubewright deploy takes the webhooks over; kubewright undeploy deletes their configurations",
  );
}

async function checkService({ client, operator }: Patient): Promise<readonly Finding[]> {
  const { webhookService: name } = operator.names;
  const { namespace } = operator.settings;
  const { items } = await client.list(EndpointSlice, {
    namespace,
    labelSelector: `kubernetes.io/service-name=${name}`,
  });
  const ready = items
    .flatMap(({ endpoints = [] }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false);
  if (ready.length > 0) return [];
  return [
    problem(
      check,
      `no pod is ready behind Service ${namespace}/${name}`,
      "kubewright logs says why the manager is not ready",
    ),
  ];
}

async function checkCertificate(
  { client, operator }: Patient,
  clients: readonly WebhookClientConfig[],
): Promise<readonly Finding[]> {
  const { namespace } = operator.settings;
  const { secret: name } = webhookObjectNames(operator.names.manager);
  const restart = `kubectl -n ${namespace} rollout restart deployment/${operator.names.deployment}`;
  if (clients.some(({ caBundle }) => !caBundle))
    return [
      problem(
        check,
        "the configuration has no caBundle, so the API server trusts no certificate",
        `the manager does it when it runs: kubewright logs; ${restart}`,
      ),
    ];
  const secret = await client.get(Secret, name, { namespace }).catch((error: unknown) => {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  });
  const pem = secret?.data?.["tls.crt"];
  if (!pem) return [warning(check, `there is no certificate in Secret ${namespace}/${name}`, restart)];
  const certificate = parsed(Buffer.from(pem, "base64").toString());
  if (!certificate)
    return [
      problem(
        check,
        `the certificate in Secret ${namespace}/${name} cannot be read`,
        `kubectl -n ${namespace} delete secret ${name}; the manager makes another`,
      ),
    ];
  return [validity(certificate, restart), ...trust(certificate, clients, restart)];
}

function validity(certificate: X509Certificate, restart: string): Finding {
  const left = Date.parse(certificate.validTo) - Date.now();
  if (left < 0) return problem(check, `the certificate ended on ${certificate.validTo}`, restart);
  if (left < 7 * day)
    return warning(
      check,
      `the certificate ends on ${certificate.validTo}`,
      `the manager should have renewed it: ${restart}`,
    );
  return ok(check, `the certificate is valid until ${certificate.validTo}`);
}

function trust(
  certificate: X509Certificate,
  clients: readonly WebhookClientConfig[],
  restart: string,
): readonly Finding[] {
  const isTrusted = clients.every(({ caBundle = "" }) =>
    authorities(Buffer.from(caBundle, "base64").toString()).some((authority) =>
      certificate.verify(authority.publicKey),
    ),
  );
  return isTrusted
    ? []
    : [problem(check, "the API server trusts another authority than that of the certificate", restart)];
}

function authorities(text: string): readonly X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map(parsed).filter((one) => one !== undefined);
}

function parsed(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

async function found<T, I>(
  client: Client,
  resource: ResourceDescriptor<T, I>,
  name: string,
): Promise<T | undefined> {
  try {
    return await client.get(resource, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
