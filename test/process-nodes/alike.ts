// The same manifests on simulated and on process nodes: what a client sees of them is alike.
import {
  Deployment,
  EndpointSlice,
  Job,
  PersistentVolumeClaim,
  Pod,
  Service,
  StatefulSet,
} from "@kubewright/api";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { expect, test } from "vitest";
import { eventually, type Mode, namespace, ProcessCluster } from "./process-cluster.js";

const labels = (app: string) => ({ app });
const forever = "trap 'exit 0' TERM; while :; do sleep 0.1; done";
const readinessProbe = { exec: { command: ["test", "-f", "/tmp/ready"] }, periodSeconds: 1 };

async function apply({ client }: Cluster): Promise<void> {
  const container = {
    name: "c",
    image: "busybox",
    command: ["sh", "-c", `touch /tmp/ready; ${forever}`],
    readinessProbe,
  };
  const template = (app: string, more: object = {}) => ({
    metadata: { labels: labels(app) },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ ...container, ...more }] },
  });
  await client.create(Deployment, {
    metadata: { name: "web", namespace },
    spec: { replicas: 2, selector: { matchLabels: labels("web") }, template: template("web") },
  });
  await client.create(Service, {
    metadata: { name: "web", namespace },
    spec: { selector: labels("web"), ports: [{ port: 80 }] },
  });
  await client.create(Job, {
    metadata: { name: "sum", namespace },
    spec: {
      completions: 2,
      completionMode: "Indexed",
      template: {
        spec: {
          restartPolicy: "Never",
          containers: [
            {
              name: "c",
              image: "busybox",
              command: [
                "sh",
                "-c",
                'echo "index $JOB_COMPLETION_INDEX"; echo -n done > /dev/termination-log',
              ],
            },
          ],
        },
      },
    },
  });
  await client.create(StatefulSet, {
    metadata: { name: "db", namespace },
    spec: {
      serviceName: "db",
      replicas: 2,
      selector: { matchLabels: labels("db") },
      template: template("db", {
        command: [
          "sh",
          "-c",
          `echo "$HOSTNAME" >> /data/starts; cat /data/starts; touch /tmp/ready; ${forever}`,
        ],
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      }),
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  });
}

/** What can be seen, without what differs from run to run. */
async function seen({ client }: Cluster): Promise<object> {
  await eventually(
    async () => {
      const [web, sum, db] = await Promise.all([
        client.get(Deployment, "web", { namespace }),
        client.get(Job, "sum", { namespace }),
        client.get(StatefulSet, "db", { namespace }),
      ]);
      return (
        web.status?.availableReplicas === 2 && sum.status?.succeeded === 2 && db.status?.readyReplicas === 2
      );
    },
    () => "the example is not ready",
    30_000,
  );
  const before = (await client.get(Pod, "db-1", { namespace })).metadata?.uid;
  await client.delete(Pod, "db-1", { namespace });
  const isBack = ({ metadata, status }: Pod): boolean =>
    metadata?.uid !== before && (status?.containerStatuses?.[0]?.ready ?? false);
  await eventually(
    () => client.get(Pod, "db-1", { namespace }).then(isBack, () => false),
    () => "db-1 is not back",
  );
  const pods = await client.list(Pod, { namespace });
  const describePod = async ({ metadata, status, spec }: Pod): Promise<object> => {
    const lines: string[] = [];
    for await (const line of client.pods.log(metadata?.name ?? "", { namespace })) lines.push(line);
    const [first] = status?.containerStatuses ?? [];
    return {
      app: metadata?.labels?.["app"] ?? metadata?.labels?.["batch.kubernetes.io/job-completion-index"],
      phase: status?.phase,
      conditions: status?.conditions?.map(({ type, status: is }) => `${type}=${is}`).sort(),
      address: status?.podIP?.replace(/\.\d+$/, ""),
      volumes: spec?.volumes
        ?.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName)
        .filter(Boolean),
      ready: first?.ready,
      restarts: first?.restartCount,
      message: first?.state?.terminated?.message,
      log: lines,
    };
  };
  const found = await Promise.all(pods.items.map(describePod));
  const slices = await client.list(EndpointSlice, {
    namespace,
    labelSelector: "kubernetes.io/service-name=web",
  });
  const claims = await client.list(PersistentVolumeClaim, { namespace });
  return {
    pods: found.map((pod) => JSON.stringify(pod)).sort(),
    ready: slices.items[0]?.endpoints?.map(({ conditions }) => conditions?.ready),
    claims: claims.items.map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`).sort(),
  };
}

/** Runs them on both, in the way given. */
export function alikeTests({ userNamespace, missing }: Mode): void {
  test.skipIf(missing !== undefined)(
    "a Deployment, a Service, a Job and a StatefulSet with volumes are seen alike on simulated and on process nodes",
    { timeout: 60_000 },
    async () => {
      await using simulated = await startCluster();
      const nodes = await ProcessCluster.start({ userNamespace }, { nodes: 1 });
      try {
        await Promise.all([apply(simulated), apply(nodes.cluster)]);
        const [one, other] = await Promise.all([seen(simulated), seen(nodes.cluster)]);
        expect(one).toEqual(other);
      } finally {
        await nodes.close();
      }
    },
  );
}
