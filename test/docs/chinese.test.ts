// The Chinese pages have the code of the English ones, and the commands of the notes are run: each with kubectl on one cluster, each output
// compared. Where a page starts an operator with the `kubewright` command, the same manager starts in this process.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, startCluster } from "@kubewright/cluster";
import {
  customKindsOf,
  type ManagerDefinition,
  type RunningManager,
  startManager,
} from "@kubewright/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import application from "../../operators/application/src/main.js";
import appservice from "../../operators/appservice/src/main.js";
import crontab from "../../operators/crontab/src/main.js";
import { simulated as etcd } from "../../operators/etcd/src/main.js";
import guestbook from "../../operators/guestbook/src/main.js";
import modelbox from "../../operators/modelbox/src/main.js";
import scheduledScaler from "../../operators/scheduled-scaler/src/main.js";
import { installKinds } from "../../packages/cli/src/run/install-kinds.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { blocksOf, isExpected, PageRunner, repository, stepsOf } from "./page-runner.js";

const operators: Readonly<Record<string, ManagerDefinition>> = {
  application,
  appservice,
  crontab,
  etcd,
  guestbook,
  modelbox,
  "scheduled-scaler": scheduledScaler,
};
const page = (path: string) => blocksOf(readFileSync(join(repository, path), "utf8"));

test.each([
  ["docs/zh/tutorial.md", "docs/tutorial.md"],
  ["docs/zh/README.md", "README.md"],
])("%s: its code and commands are those of %s, which are run", (chinese, english) => {
  expect(page(chinese)).toEqual(page(english));
});

const notes = ["application", "crd-etcd", "appservice", "guestbook", "modelbox"];

test.each(notes)(
  "docs/zh/note-%s.md: its walk-throughs are those of docs/from-kubebuilder.md, which are run",
  (note) => {
    const walkThroughs = page("docs/from-kubebuilder.md").map(({ text }) => text);
    const own = page(`docs/zh/note-${note}.md`).filter(({ info }) => info === "sh");
    expect(own.length).toBeGreaterThan(0);
    for (const { text } of own) expect(walkThroughs).toContain(text);
  },
);

let cluster: Cluster;
let kubeconfig: string;
let terminal: PageRunner;
beforeAll(async () => {
  cluster = await startCluster();
  ({ kubeconfig } = await cluster.listen());
  terminal = new PageRunner();
});
afterAll(async () => {
  await terminal.close();
  await cluster.close();
});

/** Goes to the folder of an operator, where its kubeconfig is, and starts it. */
async function start(name: string): Promise<RunningManager> {
  const definition = operators[name];
  if (!definition) throw new Error(`there is no operator ${name}`);
  const copy = join(terminal.directory, name);
  cpSync(join(repository, "operators", name, "config"), join(copy, "config"), { recursive: true });
  mkdirSync(join(copy, ".kubewright"));
  writeFileSync(join(copy, ".kubewright/kubeconfig"), kubeconfig);
  await terminal.run(`cd '${copy}'`);
  await installKinds(cluster.client, customKindsOf(definition));
  return startManager(definition, { client: cluster.client, webhooks: { mode: "url", port: 0 } });
}

test.skipIf(findKubectls().length === 0).each(notes)(
  "docs/zh/note-%s.md: every command does and prints what the page says",
  async (note) => {
    const running: RunningManager[] = [];
    try {
      for (const block of page(`docs/zh/note-${note}.md`)) {
        const [kind, background, name = ""] = block.info.split(" ");
        if (background === "background") running.push(await start(name));
        else if (kind === "console")
          for (const { command, expected } of stepsOf(block)) {
            const output = await terminal.run(command);
            expect(isExpected(output, expected), `$ ${command}\n${output}\nexpected:\n${expected}`).toBe(
              true,
            );
          }
      }
    } finally {
      for (const manager of running) await manager.close();
    }
  },
  90_000,
);
