// One Job of the namespace default, for tests of its controller.
import { Job, type JobSpec } from "@kubewright/api";
import type { VirtualCluster } from "./virtual-cluster.js";

export const inDefault = { namespace: "default" };

/** A Job whose container runs a script. */
export const job = (script: string, spec: Partial<JobSpec> = {}): Job => ({
  metadata: { name: "j", ...inDefault },
  spec: {
    template: {
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "c", image: "tool:1", command: ["sh", "-c", script] }],
      },
    },
    ...spec,
  },
});

/** Creates a Job, and returns it when nothing is in flight any more. */
export async function run(cluster: VirtualCluster, object: Job): Promise<Job> {
  await cluster.client.create(Job, object);
  await cluster.rest();
  return read(cluster);
}

export const read = (cluster: VirtualCluster) => cluster.client.get(Job, "j", inDefault);
