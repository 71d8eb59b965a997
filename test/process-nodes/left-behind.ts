// What process nodes leave behind: nothing, after many pods, and after a kill in the middle. A short part of it runs with the tests;
// `npm run test:process-nodes` runs 200 pods and ten kills.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deployment, Pod } from "@kubewright/api";
import { clientFromKubeConfig, parseKubeConfig } from "@kubewright/client";
import { describe, expect, test } from "vitest";
import { OtherProcess } from "./other-process.js";
import {
  eventually,
  foreignProcesses,
  isLong,
  type Mode,
  namespace,
  ProcessCluster,
} from "./process-cluster.js";

const pods = isLong ? 200 : 12;
const kills = isLong ? 10 : 1;
const atOnce = 10;

const states = join(tmpdir(), `kubewright-nodes-${process.getuid?.()}`);
const inMemory = `/dev/shm/kubewright-nodes-${process.getuid?.()}`;
const mounts = (): number => readFileSync("/proc/self/mountinfo", "utf8").split("\n").length;
const interfaces = (): readonly string[] => readdirSync("/sys/class/net").sort();
const descriptors = (): number => readdirSync("/proc/self/fd").length;
const groups = (): readonly string[] => {
  try {
    return readdirSync("/sys/fs/cgroup/memory").filter((name) => name.startsWith("kubewright-"));
  } catch {
    return [];
  }
};

const noNewProcesses = async (before: ReadonlyMap<number, string>): Promise<void> =>
  eventually(
    async () => [...foreignProcesses().keys()].every((pid) => before.has(pid)),
    () => `left behind: ${[...foreignProcesses()].filter(([pid]) => !before.has(pid)).join("\n")}`,
  );

/** Tests of one way to keep pods apart; they count what is on the machine, so that nothing else of this kind may run meanwhile. */
export function leftBehindTests({ userNamespace, missing }: Mode): void {
  describe.skipIf(missing !== undefined)(missing ?? "this machine has them", () => {
    test(`${pods} pods, started and stopped, leave nothing`, { timeout: 600_000 }, async () => {
      const before = { processes: foreignProcesses(), mounts: mounts(), interfaces: interfaces() };
      const nodes = await ProcessCluster.start({ userNamespace });
      const one = async (at: number): Promise<void> => {
        const limits = at % 5 === 0 ? { resources: { limits: { memory: "64Mi" } } } : {};
        const script = "echo up; trap 'exit 0' TERM; while :; do sleep 0.2; done";
        await nodes.run(`p-${at}`, {
          volumes: [{ name: "scratch", emptyDir: at % 2 === 0 ? { medium: "Memory" } : {} }],
          containers: [
            {
              name: "c",
              image: "busybox",
              command: ["sh", "-c", script],
              volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
              ...limits,
            },
          ],
        });
        await nodes.ready(`p-${at}`);
        await nodes.remove(`p-${at}`);
      };
      // What is opened once stays open.
      await one(0);
      const quiet = { descriptors: descriptors(), processes: foreignProcesses().size };
      for (let at = 1; at < pods; at += atOnce)
        await Promise.all(Array.from({ length: Math.min(atOnce, pods - at) }, (_, more) => one(at + more)));
      await eventually(
        async () => foreignProcesses().size <= quiet.processes && descriptors() <= quiet.descriptors + 2,
        () =>
          `${foreignProcesses().size} processes, ${descriptors()} descriptors; before ${JSON.stringify(quiet)}`,
      );
      expect(nodes.problems).toEqual([]);
      await nodes.close();
      await noNewProcesses(before.processes);
      expect({ mounts: mounts(), interfaces: interfaces() }).toEqual({
        mounts: before.mounts,
        interfaces: before.interfaces,
      });
    });

    test(`a cluster that is killed, ${kills} times, takes its processes along`, {
      timeout: 300_000,
    }, async () => {
      const before = { processes: foreignProcesses(), mounts: mounts(), interfaces: interfaces() };
      for (let time = 0; time < kills; time++) {
        const other = await OtherProcess.start(
          `{ runtime: new ProcessRuntime({ userNamespace: ${userNamespace}, agent }) }`,
        );
        await using client = clientFromKubeConfig(
          await parseKubeConfig(other.kubeconfig, "the other process"),
        );
        const containers = [
          {
            name: "c",
            image: "busybox",
            command: ["sh", "-c", "sleep 1000 & sleep 1000"],
            resources: { limits: { memory: "64Mi" } },
            volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
          },
        ];
        const volumes = [{ name: "scratch", emptyDir: { medium: "Memory" } }];
        await client.create(Deployment, {
          metadata: { name: "d", namespace },
          spec: {
            replicas: 4,
            selector: { matchLabels: { a: "b" } },
            template: { metadata: { labels: { a: "b" } }, spec: { containers, volumes } },
          },
        });
        await eventually(
          async () =>
            (await client.list(Pod, { namespace })).items.some(({ status }) => status?.phase === "Running"),
          () => "no pod runs",
        );
        // Some run, and some are in the middle of it.
        expect(foreignProcesses().size).toBeGreaterThan(before.processes.size);
        await other.stop("kill");
        await noNewProcesses(before.processes);
        for (const folder of [states, inMemory])
          expect(readdirSync(folder).some((name) => name.startsWith(`${other.pid}-`))).toBe(true);
      }
      // The next start takes the files and the control groups away.
      const next = await ProcessCluster.start({ userNamespace });
      await next.close();
      const alive = (name: string): boolean => {
        try {
          return readlinkSync(`/proc/${name.replace(/^kubewright-/, "").split("-")[0]}/exe`) !== "";
        } catch {
          return false;
        }
      };
      expect(readdirSync(states).filter((name) => !alive(name))).toEqual([]);
      expect(readdirSync(inMemory).filter((name) => !alive(name))).toEqual([]);
      expect(groups().filter((name) => !alive(name))).toEqual([]);
      expect({ mounts: mounts(), interfaces: interfaces() }).toEqual({
        mounts: before.mounts,
        interfaces: before.interfaces,
      });
    });
  });
}
