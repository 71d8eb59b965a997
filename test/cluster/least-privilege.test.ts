// Nobody in a cluster is an administrator but people, and the process that sets it up.
import {
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  Endpoints,
  HorizontalPodAutoscaler,
  Job,
  Namespace,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  ResourceQuota,
  Secret,
  Service,
  StatefulSet,
  ValidatingAdmissionPolicy,
  VirtualClock,
} from "@kubewright/api";
import { RequestLog, type RequestLogEntry } from "@kubewright/apiserver";
import type { Client } from "@kubewright/client";
import { rule, startCluster } from "@kubewright/cluster";
import { expect, test } from "vitest";

const namespace = "busy";
const labels = { app: "web" };
const template = {
  metadata: { labels },
  spec: {
    containers: [
      {
        name: "c",
        image: "web:1",
        envFrom: [{ configMapRef: { name: "settings" } }, { secretRef: { name: "late" } }],
        resources: { requests: { cpu: "100m" } },
      },
    ],
  },
};
const selector = { matchLabels: labels };
const once = {
  spec: { restartPolicy: "Never" as const, containers: [{ name: "c", image: "b", command: ["true"] }] },
};

/** Something for every controller to do. */
async function keepAllBusy(client: Client): Promise<void> {
  const metadata = (name: string) => ({ name, namespace });
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(ResourceQuota, { metadata: metadata("q"), spec: { hard: { pods: "50" } } });
  await client.create(ConfigMap, { metadata: metadata("settings"), data: { a: "b" } });
  await client.create(Deployment, { metadata: metadata("web"), spec: { replicas: 2, selector, template } });
  await client.create(StatefulSet, {
    metadata: metadata("db"),
    spec: {
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "c", image: "db" }] } },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  });
  const agent = { app: "agent" };
  await client.create(DaemonSet, {
    metadata: metadata("agent"),
    spec: {
      selector: { matchLabels: agent },
      template: {
        metadata: { labels: agent },
        spec: {
          containers: [{ name: "c", image: "agent" }],
          volumes: [
            {
              name: "scratch",
              ephemeral: {
                volumeClaimTemplate: {
                  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
                },
              },
            },
          ],
        },
      },
    },
  });
  await client.create(Job, {
    metadata: metadata("once"),
    spec: { ttlSecondsAfterFinished: 5, template: once },
  });
  await client.create(CronJob, {
    metadata: metadata("often"),
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template: once } } },
  });
  await client.create(Service, {
    metadata: metadata("web"),
    spec: { type: "NodePort", selector: labels, ports: [{ port: 80 }] },
  });
  await client.create(Service, { metadata: metadata("outside"), spec: { ports: [{ port: 80 }] } });
  await client.create(Endpoints, {
    metadata: metadata("outside"),
    subsets: [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 80 }] }],
  });
  await client.create(PodDisruptionBudget, {
    metadata: metadata("web"),
    spec: { minAvailable: 1, selector },
  });
  await client.create(HorizontalPodAutoscaler, {
    metadata: metadata("web"),
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 4,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
    },
  });
  const annotations = { "kubernetes.io/service-account.name": "default" };
  await client.create(Secret, {
    metadata: { ...metadata("token"), annotations },
    type: "kubernetes.io/service-account-token",
  });
  await client.create(ValidatingAdmissionPolicy, {
    metadata: { name: "p" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] },
        ],
      },
      validations: [{ expression: "object.spec.replicas < 10" }],
    },
  });
}

async function changeThings({ client, clock }: { readonly client: Client; readonly clock: VirtualClock }) {
  await clock.advance(1_000);
  await client.create(Secret, { metadata: { name: "late", namespace } });
  await clock.advance(120_000);
  const merge = { spec: { resources: { requests: { storage: "2Gi" } } } };
  await client.patch(PersistentVolumeClaim, "data-db-0", { merge }, { namespace });
  await client.patch(
    Deployment,
    "web",
    { merge: { spec: { template: { metadata: { annotations: { a: "b" } } } } } },
    { namespace },
  );
  await clock.advance(30_000);
  await client.delete(StatefulSet, "db", { namespace, propagationPolicy: "Foreground" });
  await clock.advance(60_000);
}

test("every part acts as itself, is refused nothing, and none but the API server is an administrator", {
  timeout: 60_000,
}, async () => {
  const clock = new VirtualClock();
  const requestLog = new RequestLog(1);
  const seen: RequestLogEntry[] = [];
  requestLog.subscribe((entry) => seen.push(entry));
  const problems: string[] = [];
  const onError = (where: string, error: unknown) => problems.push(`${where}: ${error}`);
  const rules = [rule({ labels }, { metrics: { cpu: "300m" } })];
  const nodes = [{ labels: { "node-role.kubernetes.io/worker": "" } }, {}];
  await using cluster = await startCluster({ clock, requestLog, onError, rules, nodes });
  const { client } = cluster;
  await keepAllBusy(client);
  await changeThings({ client, clock });
  const down = cluster.simulate(rule({ node: "node-2" }, { nodeDown: true }));
  await clock.advance(400_000);
  down.remove();
  await clock.advance(10_000);
  const refused = () =>
    seen.filter(({ status }) => status === 403).map(({ user, method, path }) => `${user} ${method} ${path}`);
  expect(refused()).toEqual([]);
  await client.delete(Namespace, namespace);
  await clock.advance(120_000);
  await expect(client.get(Namespace, namespace)).rejects.toMatchObject({ code: 404 });

  // Nobody can create anything in a namespace that is terminating.
  expect(refused().filter((line) => !line.includes(` POST /api/v1/namespaces/${namespace}/`))).toEqual([]);
  expect(problems).toEqual([]);
  const writers = new Set(
    seen.filter(({ method }) => !["GET", "HEAD"].includes(method)).map(({ user }) => user ?? ""),
  );
  const account = (name: string) => `system:serviceaccount:kube-system:${name}`;
  expect([...writers].toSorted()).toEqual(
    [
      "admin",
      "system:apiserver",
      "system:kube-controller-manager",
      "system:kube-scheduler",
      "system:node:node-1",
      "system:node:node-2",
      ...[
        "clusterrole-aggregation-controller",
        "cronjob-controller",
        "daemon-set-controller",
        "deployment-controller",
        "disruption-controller",
        "endpoint-controller",
        "endpointslice-controller",
        "endpointslicemirroring-controller",
        "ephemeral-volume-controller",
        "expand-controller",
        "generic-garbage-collector",
        "horizontal-pod-autoscaler",
        "job-controller",
        "namespace-controller",
        "node-controller",
        "persistent-volume-binder",
        "pv-protection-controller",
        "pvc-protection-controller",
        "replicaset-controller",
        "resourcequota-controller",
        "root-ca-cert-publisher",
        "service-account-controller",
        "service-cidrs-controller",
        "simulated-provisioner",
        "statefulset-controller",
        "ttl-after-finished-controller",
        "ttl-controller",
        "validatingadmissionpolicy-status-controller",
      ].map(account),
    ].toSorted(),
  );
  const byApiServer = seen.filter(({ user, method }) => user === "system:apiserver" && method !== "GET");
  const groups = new Set(byApiServer.map(({ path }) => path.split("/").slice(0, 3).join("/")));
  expect([...groups].toSorted()).toEqual([
    "/apis/apiregistration.k8s.io",
    "/apis/rbac.authorization.k8s.io",
    "/apis/storage.k8s.io",
  ]);
});
