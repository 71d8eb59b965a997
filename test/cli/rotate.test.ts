// New keys for a cluster that runs as a program of its own, and for one that does not, while clients of before go on.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Namespace } from "@kubewright/api";
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.js";
import { CliFixture } from "./cli-fixture.js";

const fixture = new CliFixture("modelbox");
const data = join(fixture.directory, "data");
const kubeconfig = join(fixture.directory, "kubeconfig");
const patience = 120_000;

beforeAll(() => fixture.bundle(), patience);
afterAll(() => fixture.close());

/** Lists namespaces with a kubeconfig, and with every kubectl there is. */
async function use(path: string): Promise<readonly (string | undefined)[]> {
  const client = clientFromKubeConfig(await loadKubeConfig({ path }));
  const { items } = await client.list(Namespace);
  await client.close();
  for (const { command } of findKubectls())
    expect(
      execFileSync(command, ["--kubeconfig", path, "get", "ns", "default", "-o", "name"]).toString(),
    ).toBe("namespace/default\n");
  return items.map(({ metadata }) => metadata?.name);
}

async function clusterIn(folder: string) {
  const args = ["cluster", "--nodes", "0", "--data-dir", folder, "--kubeconfig", kubeconfig];
  const running = fixture.start(args);
  await running.printed("cluster ready");
  return running;
}

const kept = (name: string): string => {
  const copy = join(fixture.directory, name);
  writeFileSync(copy, readFileSync(kubeconfig));
  return copy;
};

test(
  "kubectl of before and kubectl of now both trust a cluster whose CA has another key",
  async () => {
    const first = await clusterIn(data);
    const before = kept("before");
    const rotated = await fixture.start(["cluster", "rotate", "--data-dir", data]).ended;
    expect(rotated).toMatchObject({ code: 0, stderr: "" });
    expect(rotated.stdout).toContain("rotated: ca, service-account-key, token; in use now");
    const after = kept("after");
    expect(readFileSync(after, "utf8")).not.toBe(readFileSync(before, "utf8"));
    for (const path of [before, after]) expect(await use(path)).toContain("default");
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);

    const again = await fixture.start([
      ...["cluster", "rotate", "ca", "--data-dir", data],
      ...["--accept-for", "0s"],
    ]).ended;
    expect(again.stdout).toBe("rotated: ca; in use from the next start of the cluster on\n");
    const second = await clusterIn(data);
    expect(await use(kubeconfig)).toContain("default");
    expect(readFileSync(kubeconfig, "utf8").length).toBeLessThan(readFileSync(after, "utf8").length);
    second.child.kill("SIGTERM");
    await second.ended;
  },
  patience,
);

test("a folder that is no cluster's is said to be none", async () => {
  const { code, stderr } = await fixture.start(["cluster", "rotate", "--data-dir", fixture.project]).ended;
  expect(code).toBe(1);
  expect(stderr).toContain(`${fixture.project} is not the data directory of a cluster`);
}, 60_000);
