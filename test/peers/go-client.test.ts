// Go operators are built on client-go: the program in `go` puts the real one through what they do.
// It needs `go` and the sources of client-go 0.36 or later in GOPATH; Debian installs them with
// golang-k8s-client-go-dev.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Served } from "./served.js";

interface Outcome {
  readonly check?: string;
  readonly error?: string;
  readonly restart?: boolean;
}

const sources = join(import.meta.dirname, "go");
const directory = mkdtempSync(join(tmpdir(), "kubewright-go-"));
const kubeconfig = join(directory, "kubeconfig");
const program = join(directory, "peer");
const path = [process.env["GOPATH"], "/usr/share/gocode"].filter((part) => part !== undefined);
const env = {
  ...process.env,
  GOPATH: path.join(delimiter),
  GO111MODULE: "off",
  GOTOOLCHAIN: "local",
  CGO_ENABLED: "0",
};

// client-go brings the second of these from 0.36 on.
const packages = ["k8s.io/client-go/kubernetes", "k8s.io/streaming/pkg/httpstream"];
const present = spawnSync("go", ["list", ...packages], { env }).status === 0;
// The first build of client-go takes minutes; each attempt leaves what it compiled to the next.
const built = present
  ? spawnSync("go", ["build", "-o", program, "."], { cwd: sources, env, encoding: "utf8", timeout: 45_000 })
  : undefined;
const ready = built !== undefined && built.error === undefined;
if (!present) console.warn("skipped: there is no Go with the sources of client-go 0.36 on this machine");
else if (!ready) console.warn("skipped: client-go was not compiled in time; the next run goes on from there");

async function run(served: Served): Promise<Outcome[]> {
  const child = spawn(program, [kubeconfig], { stdio: ["pipe", "pipe", "ignore"] });
  const outcomes: Outcome[] = [];
  try {
    for await (const line of createInterface(child.stdout)) {
      const outcome = JSON.parse(line) as Outcome;
      if (outcome.restart) {
        await served.restart();
        child.stdin.write("done\n");
      } else outcomes.push(outcome);
    }
  } finally {
    child.kill();
  }
  return outcomes;
}

let served: Served;

beforeAll(async () => {
  served = await Served.start();
  writeFileSync(kubeconfig, served.kubeconfig);
});

afterAll(async () => {
  await served.close();
  rmSync(directory, { recursive: true });
});

test.skipIf(!ready)(
  "client-go finds what it would find in a real server",
  async () => {
    expect(built?.stderr).toBe("");
    const outcomes = await run(served);
    expect(outcomes.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(outcomes.length).toBeGreaterThanOrEqual(50);
  },
  60_000,
);
