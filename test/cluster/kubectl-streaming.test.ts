// Logs, programs and ports of simulated pods, with the real kubectl: those of 1.31 and later speak WebSocket, older ones SPDY.
// Skipped, out loud, where there is none.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, rule, startCluster } from "@kubewright/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.js";

const kubectls = findKubectls();
if (kubectls.length === 0) console.warn("skipped: there is no kubectl on this machine");

describe.each(kubectls)("kubectl $version", ({ command }) => {
  const directory = mkdtempSync(join(tmpdir(), "kubewright-streaming-"));
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster({
      rules: [rule({ image: "ticker:*" }, { logs: { lines: (index) => `tick ${index}`, every: "50ms" } })],
    });
    writeFileSync(join(directory, "kubeconfig"), (await cluster.listen()).kubeconfig);
    await run("run p --image=ticker:1 --env=GREETING=hello");
    await run("wait pod/p --for=condition=Ready --timeout=30s");
  });

  afterAll(async () => {
    await cluster.close();
    rmSync(directory, { recursive: true, force: true });
  });

  interface Options {
    readonly input?: string;
    /** Ends the command when it has printed this, after `use`. */
    readonly until?: RegExp;
    readonly use?: (found: RegExpExecArray) => Promise<void>;
  }

  function run(
    line: string,
    { input = "", until, use }: Options = {},
  ): Promise<{ code: number; output: string }> {
    return new Promise((resolve, reject) => {
      const env = { ...process.env, KUBECONFIG: join(directory, "kubeconfig"), HOME: directory };
      const child = spawn(command, line.split(" "), { env });
      let output = "";
      let isFound = false;
      const hear = (chunk: Buffer): void => {
        output += chunk.toString();
        const found = until?.exec(output);
        if (!found || isFound) return;
        isFound = true;
        Promise.resolve(use?.(found)).then(() => child.kill("SIGINT"), reject);
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.once("error", reject);
      child.once("close", (code) => resolve({ code: code ?? -1, output }));
      child.stdin.end(input);
    });
  }

  test("exec prints, passes input on and returns the exit code", async () => {
    expect(await run("exec p -- printenv GREETING HOSTNAME")).toEqual({ code: 0, output: "hello\np\n" });
    expect(await run("exec -i p -- cat", { input: "typed\n" })).toEqual({ code: 0, output: "typed\n" });
    const failed = await run("exec p -- cat /nowhere");
    expect(failed.code).toBe(1);
    expect(failed.output).toContain("cat: can't open '/nowhere': No such file or directory");
    expect(failed.output).toContain("command terminated with exit code 1");
    expect((await run("exec p -c other -- true")).output).toContain("container other is not valid for pod p");
  });

  test("logs are followed", async () => {
    const { output } = await run("logs -f p", { until: /tick 2\n(?:tick \d+\n)*tick 9\n/ });
    expect(output).toMatch(/^tick 0\ntick 1\n/);
    expect((await run("logs p --tail=1")).output).toMatch(/^tick \d+\n$/);
  });

  test("attach shows what is written from now on", async () => {
    const { output } = await run("attach p", { until: /tick \d+\ntick \d+\n/ });
    expect(output).not.toContain("tick 0\n");
  });

  test("ports are forwarded, again and again", async () => {
    const answers: string[] = [];
    await run("port-forward pod/p :8080", {
      until: /Forwarding from 127\.0\.0\.1:(\d+) -> 8080/,
      use: async ([, port]) => {
        for (const path of ["/one", "/two"]) answers.push(await get(Number(port), path));
      },
    });
    expect(answers).toEqual([
      "pod default/p, port 8080: GET /one HTTP/1.1\n",
      "pod default/p, port 8080: GET /two HTTP/1.1\n",
    ]);
  });
});

function get(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve(text));
    })
      .on("error", reject)
      .end();
  });
}
