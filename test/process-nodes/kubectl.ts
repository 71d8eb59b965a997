// What people do with kubectl on process nodes, with the real kubectl.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pod } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { eventually, type ProcessCluster } from "./process-cluster.js";

const isThere = spawnSync("kubectl", ["version", "--client"]).status === 0;

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** kubectl with a kubeconfig of its own. */
class Kubectl {
  readonly folder = mkdtempSync(join(tmpdir(), "kubewright-kubectl-"));
  readonly #kubeconfig = join(this.folder, "kubeconfig");

  constructor(nodes: ProcessCluster) {
    writeFileSync(this.#kubeconfig, nodes.endpoint.kubeconfig);
  }

  start(args: readonly string[], { terminal = false } = {}): ChildProcess {
    const all = ["kubectl", "--kubeconfig", this.#kubeconfig, ...args];
    const quoted = all.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    return terminal
      ? spawn("script", ["-qefc", quoted, "/dev/null"], { stdio: "pipe" })
      : spawn("kubectl", all.slice(1), { stdio: "pipe" });
  }

  /** Runs it to its end, and writes each answer when what comes before it has been printed. */
  async run(
    args: readonly string[],
    options: {
      readonly terminal?: boolean;
      readonly answers?: readonly (readonly [after: string, text: string])[];
    } = {},
  ): Promise<Finished> {
    const child = this.start(args, options);
    const { answers = [] } = options;
    let [stdout, stderr, at] = ["", "", 0];
    const answer = (): void => {
      for (const [after, text] of answers.slice(at)) {
        if (!stdout.includes(after)) return;
        child.stdin?.write(text);
        at++;
      }
    };
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
      answer();
    });
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    if (answers.length === 0) child.stdin?.end();
    answer();
    const code = await new Promise<number>((resolve) => child.once("close", (end) => resolve(end ?? -1)));
    return { code, stdout, stderr };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Tests on a cluster that runs when they do. */
export function kubectlTests(cluster: () => ProcessCluster): void {
  const shell = (script: string, more: object = {}) => ({
    containers: [{ name: "c", image: "busybox", command: ["sh", "-c", script], ...more }],
  });
  const forever = "trap 'exit 0' TERM; while :; do sleep 0.1; done";

  describe.skipIf(!isThere)(isThere ? "kubectl" : "kubectl is not here", () => {
    test.concurrent("kubectl logs -f follows a program to its end, and --previous shows the run before", async () => {
      const nodes = cluster();
      using kubectl = new Kubectl(nodes);
      await nodes.run("k-logs", { restartPolicy: "Never", ...shell("echo one; sleep 1; echo two >&2") });
      await nodes.ready("k-logs").catch(() => undefined);
      expect(await kubectl.run(["logs", "-f", "k-logs"])).toMatchObject({ code: 0, stdout: "one\ntwo\n" });
      await nodes.run("k-again", shell("echo process $$$$ started; exit 1"));
      await nodes.until(
        Pod,
        "k-again",
        ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1,
      );
      expect((await kubectl.run(["logs", "k-again", "--previous"])).stdout).toBe("process 1 started\n");
      await nodes.remove("k-again");
    });

    test.concurrent("kubectl cp copies files in and out", async () => {
      const nodes = cluster();
      using kubectl = new Kubectl(nodes);
      await nodes.run("k-cp", shell(forever));
      await nodes.ready("k-cp");
      const bytes = randomBytes(300_000);
      writeFileSync(join(kubectl.folder, "there"), bytes);
      const there = await kubectl.run(["cp", join(kubectl.folder, "there"), "k-cp:/tmp/copied"]);
      expect(there).toMatchObject({ code: 0 });
      const back = await kubectl.run(["cp", "k-cp:/tmp/copied", join(kubectl.folder, "back")]);
      expect(back).toMatchObject({ code: 0 });
      expect(readFileSync(join(kubectl.folder, "back")).equals(bytes)).toBe(true);
      await nodes.remove("k-cp");
    });

    test.concurrent("kubectl exec -it gives a program a terminal, and its exit code", async () => {
      const nodes = cluster();
      using kubectl = new Kubectl(nodes);
      await nodes.run("k-exec", shell(forever));
      await nodes.ready("k-exec");
      const script =
        "test -t 0 && test -t 1 && echo terminal; printf 'name? '; read name; echo hello $name; exit 5";
      const args = ["exec", "-it", "k-exec", "--", "sh", "-c", script];
      const { code, stdout } = await kubectl.run(args, { terminal: true, answers: [["name? ", "you\n"]] });
      expect(stdout).toContain("terminal");
      expect(stdout).toContain("hello you");
      expect(code).toBe(5);
      await nodes.remove("k-exec");
    });

    test.concurrent("kubectl attach -i talks to the program of a container, as it writes, not by lines", async () => {
      const nodes = cluster();
      using kubectl = new Kubectl(nodes);
      await nodes.run("k-attach", {
        restartPolicy: "Never",
        ...shell("read first; printf 'more? '; read more; echo $first and $more", {
          stdin: true,
          stdinOnce: true,
        }),
      });
      await nodes.ready("k-attach");
      const { stdout } = await kubectl.run(["attach", "-i", "k-attach"], {
        answers: [
          ["", "salt\n"],
          ["more? ", "pepper\n"],
        ],
      });
      expect(stdout).toBe("more? salt and pepper\n");
      expect((await nodes.finished("k-attach")).status?.phase).toBe("Succeeded");
    });

    test.concurrent("kubectl run -it starts a shell in a terminal, and takes the pod away after it", async () => {
      const nodes = cluster();
      using kubectl = new Kubectl(nodes);
      const run = ["run", "k-run", "--rm", "-it", "--restart=Never", "--image=busybox", "--", "sh"];
      const { stdout } = await kubectl.run(run, {
        terminal: true,
        answers: [
          ["", "echo sum $((20 + 22)) on $HOSTNAME\n"],
          ["sum 42 on k-run", "exit\n"],
        ],
      });
      expect(stdout).toContain("sum 42 on k-run");
      expect(stdout).toContain('pod "k-run" deleted');
    });

    test.concurrent("kubectl port-forward reaches a server that listens to its loopback only", async () => {
      const nodes = cluster();
      using kubectl = new Kubectl(nodes);
      const server =
        'require("http").createServer((q, r) => r.end("hi " + q.url)).listen(18080, "127.0.0.1", () => console.log("up"))';
      await nodes.run("k-forward", {
        containers: [{ name: "c", image: "node:20", command: ["node", "-e", server] }],
      });
      await nodes.ready("k-forward");
      await eventually(
        async () => (await nodes.log("k-forward")).includes("up"),
        () => "not listening",
      );
      const child = kubectl.start(["port-forward", "k-forward", ":18080"]);
      let said = "";
      child.stdout?.on("data", (chunk) => {
        said += chunk;
      });
      const port = () => /127\.0\.0\.1:(\d+) ->/.exec(said)?.[1];
      await eventually(
        async () => port() !== undefined,
        () => `kubectl says ${said}`,
      );
      expect(await (await fetch(`http://127.0.0.1:${port()}/there`)).text()).toBe("hi /there");
      child.kill();
      await nodes.remove("k-forward");
    });
  });
}
