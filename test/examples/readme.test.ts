// The README of every example is followed to the letter: each command with kubectl on one cluster, each output compared. Where a README
// starts its operator with the `kubewright` command, the same manager starts in this process.
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningManager, startManager } from "@kubewright/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageCluster } from "../docs/page-cluster.js";
import { blocksOf, type PageRunner, stepsOf } from "../docs/page-runner.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { folder, managers, names, read } from "./examples.js";

const withKubectl = test.skipIf(findKubectls().length === 0);
let place: PageCluster;
let terminal: PageRunner;

beforeAll(async () => {
  place = await PageCluster.start();
  ({ terminal } = place);
});
afterAll(() => place.close());

/** Does what a `kubewright` command of a README does: writes the kubeconfig, and starts the operator of the example. */
async function start(name: string, command: string): Promise<RunningManager | undefined> {
  const definition = managers[name]!;
  const copy = join(terminal.directory, name);
  switch (command) {
    case "npx kubewright dev":
      return place.dev(definition, copy);
    case "npx kubewright cluster --kubeconfig ./kubeconfig":
      writeFileSync(join(copy, "kubeconfig"), place.kubeconfig);
      return undefined;
    case "npx kubewright run":
      return startManager(definition, { client: place.cluster.client });
    default:
      throw new Error(`${name}: this suite cannot stand in for ${command}`);
  }
}

withKubectl.each(names.filter((name) => name !== "09-testing"))(
  "%s: every command of its README does and prints what it says",
  async (name) => {
    cpSync(join(folder, name), join(terminal.directory, name), { recursive: true });
    await terminal.run(`cd '${join(terminal.directory, name)}'`);
    const running: RunningManager[] = [];
    try {
      for (const block of blocksOf(read(`${name}/README.md`)))
        for (const step of stepsOf(block)) {
          if (block.info !== "console background") await place.walk(step);
          else {
            const manager = await start(name, step.command);
            if (manager) running.push(manager);
          }
        }
    } finally {
      for (const manager of running) await manager.close();
    }
  },
  60_000,
);

test("09-testing: its README runs the test file beside it, which has as many tests as it says", () => {
  const steps = blocksOf(read("09-testing/README.md")).flatMap(stepsOf);
  const count = read("09-testing/src/main.test.ts").match(/^test\(/gm)?.length;
  expect(steps).toEqual([
    { command: "npx vitest run examples/09-testing", expected: `…Tests  ${count} passed…` },
  ]);
});
