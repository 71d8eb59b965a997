// The Chinese pages have the code of the English ones. The commands of the notes, and of the pages of the operators, are run: each with
// kubectl on one cluster, each output compared. Where a page starts an operator with the `kubewright` command, the same manager starts in
// this process.
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { customKindsOf, type RunningManager } from "@kubewright/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installKinds } from "../../packages/cli/src/run/install-kinds.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { operators } from "./operators.js";
import { cronTabDefinition, cronTabObject } from "./own-crd.js";
import { PageCluster } from "./page-cluster.js";
import { type Block, blocksOf, type PageRunner, repository, stepsOf } from "./page-runner.js";

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

let place: PageCluster;
let terminal: PageRunner;
beforeAll(async () => {
  place = await PageCluster.start();
  ({ terminal } = place);
});
afterAll(() => place.close());

/** Goes to the folder of an operator, where its kubeconfig is, and starts it. */
async function start(name: string): Promise<RunningManager> {
  const definition = operators[name];
  if (!definition) throw new Error(`there is no operator ${name}`);
  const copy = join(terminal.directory, name);
  cpSync(join(repository, "operators", name, "config"), join(copy, "config"), { recursive: true });
  await terminal.run(`cd '${copy}'`);
  return place.dev(definition, copy);
}

/** Steps that simulated pods cannot show, and what does. */
const notWalked: readonly (readonly [RegExp, string])[] = [
  [
    /mongodb_v1_mongodb(backup|restore)|mdb(backup|restore)\b/,
    "they need pods of the operator's image: operators/mongodb tests them",
  ],
  [
    /mongodb-exporter|localhost:9216/,
    "metrics are served by a pod of the operator's image: operators/mongodb tests them",
  ],
];

/** Runs the steps of a block, and compares what each prints. */
async function walk(block: Block): Promise<void> {
  for (const step of stepsOf(block))
    if (!notWalked.some(([pattern]) => pattern.test(step.command))) await place.walk(step);
}

const withKubectl = test.skipIf(findKubectls().length === 0);

withKubectl.each(notes)(
  "docs/zh/note-%s.md: every command does and prints what the page says",
  async (note) => {
    const running: RunningManager[] = [];
    try {
      for (const block of page(`docs/zh/note-${note}.md`)) {
        const [kind, background, name = ""] = block.info.split(" ");
        if (background === "background") running.push(await start(name));
        else if (kind === "console") await walk(block);
      }
    } finally {
      for (const manager of running) await manager.close();
    }
  },
  90_000,
);

const walkedOperators = Object.keys(operators).filter((name) =>
  page(`docs/operators/${name}.md`).some(({ info }) => info === "console"),
);

/** Makes what a block takes for granted: a CA, and the files of the note on CRDs, in a cluster that has no such CRD yet. */
async function prepare({ text }: Block): Promise<void> {
  if (text.includes("delete secret my-etcd-cluster-ca"))
    await terminal.succeed("kubectl create secret generic my-etcd-cluster-ca");
  if (!text.includes("apply -f crontab-crd.yaml")) return;
  await terminal.succeed("kubectl delete crd crontabs.stable.example.com");
  terminal.write("crontab-crd.yaml", cronTabDefinition);
  terminal.write("my-crontab.yaml", cronTabObject);
}

withKubectl.each(walkedOperators)(
  "docs/operators/%s.md: every object is created, every command does and prints what the page says",
  async (name) => {
    const running = await start(name);
    try {
      await terminal.run('export KUBECONFIG="$PWD/.kubewright/kubeconfig"');
      for (const block of page(`docs/operators/${name}.md`)) {
        if (/^kind: (CronTab|EtcdCluster|MongoDBCommunity)$/m.test(block.text)) {
          terminal.write("object.yaml", block.text);
          await terminal.succeed("kubectl apply -f object.yaml");
        }
        if (block.info !== "console") continue;
        await prepare(block);
        await walk(block);
      }
      await terminal.run(
        "kubectl delete crontabs,etcdclusters,mongodbcommunity,hpas.autoscal.aiops.org,deployments --all",
      );
    } finally {
      await running.close();
    }
  },
  90_000,
);

withKubectl(
  "kubectl explain: shows the descriptions of the operators' fields, statuses and conditions",
  async () => {
    const { etcd } = operators;
    if (etcd) await installKinds(place.cluster.client, customKindsOf(etcd));
    await terminal.run(`cd '${terminal.directory}'`);
    terminal.write("kubeconfig", place.kubeconfig);
    const explain = (field: string) =>
      terminal.succeed(`kubectl --kubeconfig kubeconfig explain etcdclusters.${field}`);
    expect(await explain("spec.storageSpec")).toContain("Size of each claim");
    expect(await explain("status.members")).toContain("Name of the member");
    expect(await explain("status.conditions")).toMatch(/QuorumLost[\s\S]+True, False or Unknown/);
  },
);
