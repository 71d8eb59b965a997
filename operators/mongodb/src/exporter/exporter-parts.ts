// The Deployment, Service and Secret of the exporter. It is a pod of its own, of the operator's image, beside the members: another version
// of the operator, or other settings of the exporter, never restart a mongod.
import { createHmac } from "node:crypto";
import { Deployment, Secret, Service } from "@kubewright/api";
import {
  defaultKeyOfPassword,
  defaultMetricsPath,
  defaultPrometheusPort,
  type MongoDBCommunity,
} from "../api/v1/mongo-db-community.js";
import { type AgentLogin, loginFiles } from "../client/login-files.js";
import { exporterSecret } from "../replica-set/agent-certificates.js";
import type { ClientCertificate } from "../replica-set/client-certificate.js";
import type { Context } from "../replica-set/context.js";
import {
  addressOf,
  exporterName,
  exporterUser,
  managedBy,
  type Place,
  placeOf,
  podName,
  selectorOf,
} from "../replica-set/names.js";
import type { Objection } from "../replica-set/objection.js";
import type { WantedUser } from "../replica-set/observed.js";
import { certificateSecret } from "../replica-set/tls.js";
import { type ExporterSettings, exporterFolders, settingsVariable } from "./exporter-settings.js";
import { type ExporterState, exporterState } from "./exporter-state.js";

/** The exporter's password at the members: it follows from the operator's, so that it is known without being kept. */
export const exporterPassword = (operatorPassword: string): string =>
  createHmac("sha256", operatorPassword).update("exporter").digest("base64url");

/** The exporter's user, who may look and nothing else. */
export const wantedExporter = (operatorPassword: string): WantedUser => ({
  name: exporterUser,
  db: "admin",
  password: exporterPassword(operatorPassword),
  secret: undefined,
  roles: [{ role: "clusterMonitor", db: "admin" }],
  mechanisms: ["SCRAM-SHA-256"],
});

export interface ExporterMeans {
  /** The operator's own password at the members. */
  readonly password: string;
  readonly agentImage: () => Promise<string>;
  /** Undefined where it logs in with a password. */
  readonly certificate: ClientCertificate | undefined;
}

export interface KeptExporter {
  readonly objections: readonly Objection[];
  /** Undefined where it was not looked at. */
  readonly state: ExporterState | undefined;
}

/** While a replica set is paused. */
export const unseenExporter: KeptExporter = { objections: [], state: undefined };

/** Keeps the exporter as the spec has it; answers with what stands in its way. */
export async function keepExporter(
  mongodb: MongoDBCommunity,
  ctx: Context,
  { password, agentImage, certificate }: ExporterMeans,
): Promise<KeptExporter> {
  const { prometheus } = mongodb.spec;
  if (!prometheus) {
    await removeExporter(mongodb, ctx);
    return { objections: [], state: { kind: "none" } };
  }
  const { name } = placeOf(mongodb);
  let image: string;
  try {
    image = await agentImage();
  } catch (error) {
    const message = `spec.prometheus: ${(error as Error).message}`;
    return { objections: [{ reason: "ImageUnknown", message }], state: { kind: "failing", message } };
  }
  const objections = await missingSecrets(ctx, prometheus);
  // Without its certificate it would not start; one that runs with a password goes on for as long as members take it.
  if (certificate?.problem)
    return { objections, state: { kind: "failing", message: certificate.problem.message } };
  const encoded = Buffer.from(exporterPassword(password), "utf8").toString("base64");
  await ctx.apply(Secret, {
    metadata: { name: exporterName(name), labels: managedBy },
    data: { password: encoded },
  });
  const deployment = await ctx.apply(
    Deployment,
    deploymentOf(mongodb, prometheus, image, certificate?.login),
  );
  await ctx.apply(Service, serviceOf(mongodb, prometheus.port ?? defaultPrometheusPort));
  return { objections, state: await exporterState(ctx, deployment) };
}

async function removeExporter(mongodb: MongoDBCommunity, ctx: Context): Promise<void> {
  const name = exporterName(placeOf(mongodb).name);
  for (const kind of [Deployment, Service, Secret] as const) {
    const child = ctx.children(kind).find(({ metadata }) => metadata?.name === name);
    if (child) await ctx.delete(kind, name);
  }
}

type Prometheus = NonNullable<MongoDBCommunity["spec"]["prometheus"]>;

async function missingSecrets(
  ctx: Context,
  { passwordSecretRef, tlsSecretKeyRef }: Prometheus,
): Promise<readonly Objection[]> {
  const { name, key = defaultKeyOfPassword } = passwordSecretRef;
  const missing = async (secret: string, keys: readonly string[]) => {
    const { data = {} } = (await ctx.get(Secret, secret)) ?? {};
    return keys.find((each) => !data[each]);
  };
  const objections: Objection[] = [];
  if ((await missing(name, [key])) !== undefined)
    objections.push({
      reason: "PasswordMissing",
      message: `nobody can read the metrics: there is no ${key} in the Secret ${name} of spec.prometheus.passwordSecretRef`,
    });
  const file = tlsSecretKeyRef && (await missing(tlsSecretKeyRef.name, ["tls.crt", "tls.key"]));
  if (file !== undefined)
    objections.push({
      reason: "CertificateMissing",
      message: `the metrics are not served: there is no ${file} in the Secret ${tlsSecretKeyRef?.name} of spec.prometheus.tlsSecretKeyRef`,
    });
  return objections;
}

function settingsOf(
  mongodb: MongoDBCommunity,
  prometheus: Prometheus,
  certified: AgentLogin | undefined,
): ExporterSettings {
  const place = placeOf(mongodb);
  const { port = defaultPrometheusPort, metricsPath = defaultMetricsPath, username } = prometheus;
  const ordinals = Array.from({ length: mongodb.spec.members ?? 1 }, (_, ordinal) => ordinal);
  return {
    replicaSet: place.name,
    hosts: ordinals.map((ordinal) => addressOf(place, podName(place.name, ordinal))),
    isSecure: mongodb.spec.security.tls?.enabled === true,
    login: certified ? { user: certified.user, db: certified.db } : { user: exporterUser, db: "admin" },
    port,
    path: metricsPath,
    username,
    isServedWithTls: prometheus.tlsSecretKeyRef !== undefined,
  };
}

const podLabels = ({ name }: Place) => ({ app: exporterName(name) });

function deploymentOf(
  mongodb: MongoDBCommunity,
  prometheus: Prometheus,
  image: string,
  certified: AgentLogin | undefined,
) {
  const place = placeOf(mongodb);
  const settings = settingsOf(mongodb, prometheus, certified);
  const files = filesOf(mongodb, prometheus, settings);
  return {
    metadata: { name: exporterName(place.name), labels: managedBy },
    spec: {
      replicas: 1,
      // One that exits again and again is ready for a moment each time.
      minReadySeconds: 10,
      selector: { matchLabels: podLabels(place) },
      template: {
        metadata: { labels: { ...podLabels(place), ...managedBy } },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65_532,
            fsGroup: 65_532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              name: "exporter",
              image,
              args: ["exporter"],
              env: [{ name: settingsVariable, value: JSON.stringify(settings) }],
              ports: [{ name: "prometheus", containerPort: settings.port }],
              readinessProbe: {
                httpGet: {
                  path: "/healthz",
                  port: "prometheus",
                  scheme: settings.isServedWithTls ? "HTTPS" : "HTTP",
                },
              },
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
              volumeMounts: files.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true })),
            },
          ],
          volumes: files.map(({ name, secret }) => ({ name, secret })),
        },
      },
    },
  } satisfies Deployment;
}

function filesOf(mongodb: MongoDBCommunity, prometheus: Prometheus, { isSecure, login }: ExporterSettings) {
  const { name } = placeOf(mongodb);
  const { passwordSecretRef, tlsSecretKeyRef } = prometheus;
  const file = (
    volume: string,
    mountPath: string,
    secretName: string,
    keys: readonly (readonly [string, string])[],
  ) => ({
    name: volume,
    mountPath,
    secret: { secretName, defaultMode: 0o440, items: keys.map(([key, path]) => ({ key, path })) },
  });
  const key = passwordSecretRef.key ?? defaultKeyOfPassword;
  return [
    file(
      "login",
      exporterFolders.login,
      login.db === "$external" ? exporterSecret(mongodb.spec) : exporterName(name),
      loginFiles(login).map((key) => [key, key] as const),
    ),
    file("readers", exporterFolders.readers, passwordSecretRef.name, [[key, "password"]]),
    ...(isSecure
      ? [file("client-tls", exporterFolders.tls, certificateSecret(name), [["ca.crt", "ca.crt"]])]
      : []),
    ...(tlsSecretKeyRef
      ? [
          file("serving-tls", exporterFolders.serving, tlsSecretKeyRef.name, [
            ["tls.crt", "tls.crt"],
            ["tls.key", "tls.key"],
          ]),
        ]
      : []),
  ];
}

/** It carries the label of the members' Service, by which monitors written for MongoDB's operator select it. */
function serviceOf(mongodb: MongoDBCommunity, port: number) {
  const place = placeOf(mongodb);
  return {
    metadata: { name: exporterName(place.name), labels: { ...selectorOf(place.name), ...managedBy } },
    spec: {
      selector: podLabels(place),
      ports: [{ name: "prometheus", port, targetPort: "prometheus" }],
    },
  } satisfies Service;
}
