// The shell commands of every page. Pages with a suite of their own are run there; all others are run here, line by line in a shell, with
// the command of this checkout and an embedded cluster. Lines that cannot be run are listed with the reason, and one that is not fails.
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CustomResourceDefinition, Deployment, isAlreadyExists, Namespace } from "@kubewright/api";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { customKindsOf, type RunningManager, startManager } from "@kubewright/runtime";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { putBase } from "../../packages/cli/src/image/testing/base-fixture.js";
import { OciRegistry } from "../../packages/cli/src/image/testing/oci-registry.js";
import { installKinds } from "../../packages/cli/src/run/install-kinds.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { builtPackages } from "../packages/packed-packages.js";
import { operators } from "./operators.js";
import { type Block, blocksOf, PageRunner, repository } from "./page-runner.js";

const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const markdownUnder = (folder: string): readonly string[] =>
  readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !/node_modules|templates|decisions/.test(path))
    .map((path) => join(folder, path));

/** Pages whose `sh` blocks have a suite: tutorial.test.ts, walked-pages.test.ts, and the walk-throughs of test/cli-scaffold. */
const elsewhere =
  /^(README|docs\/tutorial|docs\/from-kubebuilder|docs\/guides\/production|docs\/zh\/[\w-]+)\.md$/i;

const pages = ["docs", "examples", "operators", "packages"]
  .flatMap(markdownUnder)
  .filter((page) => !elsewhere.test(page))
  .filter((page) => blocksOf(read(page)).some(({ info }) => info === "sh"));

/** Lines that are not run, and where what they do is shown. */
const notRun: readonly (readonly [RegExp, string])[] = [
  [/^make run$/, "scripts/run.mjs runs until Ctrl-C; the operators of the page run in this process"],
  [/^make dev$/, "docs/tutorial.md runs `kubewright dev` until Ctrl-C"],
  [/^make test$/, "it is the suite of the operator, which this run contains"],
  [/^npm install\b.*/, "tutorial.test.ts installs the packages from a registry of its own"],
  [/^npm test$/, "tutorial.test.ts runs the tests of a project"],
  [/^npx kubewright torture\b.*/, "it takes minutes; test/cli/torture.test.ts runs it on a small operator"],
  [
    /^kubewright cluster --runtime process &$|^kubectl run l |^kubectl create deployment web --image=node/,
    "process nodes need namespaces of Linux; test/process-nodes runs such pods where they can be made",
  ],
];
const reasonFor = (line: string): string | undefined => notRun.find(([pattern]) => pattern.test(line))?.[1];

/** The commands of a block: continued lines are one, comments are gone. */
const commandsOf = ({ text }: Block): readonly string[] =>
  text
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s+)#.*$/, "").trim())
    .flatMap((line) => line.split(" && "))
    .filter((line) => line !== "");

/** Commands that go on until Ctrl-C, and what they print when they are ready. */
const endless: readonly (readonly [RegExp, string])[] = [
  [/kubewright run\b/, "started; Ctrl-C ends it"],
  [/kubewright cluster\b/, "cluster ready at"],
  [/kubewright nodes\b/, "nodes ready after"],
  [/ --watch\b/, "NAME"],
  [/ port-forward\b/, "Forwarding from"],
];

let cluster: Cluster;
let kubeconfig: string;
let images: OciRegistry;
let terminal: PageRunner;
const managers: RunningManager[] = [];

beforeAll(async () => {
  await builtPackages();
  cluster = await startCluster();
  ({ kubeconfig } = await cluster.listen());
  images = await OciRegistry.start();
  putBase(images, "distroless/nodejs", "nonroot");
  for (const definition of Object.values(operators))
    await installKinds(cluster.client, customKindsOf(definition));
}, 300_000);
afterEach(async () => {
  await terminal?.close();
  for (const manager of managers.splice(0)) await manager.close();
});
afterAll(async () => {
  await images[Symbol.asyncDispose]();
  await cluster.close();
});

/** A terminal in an empty folder. Its kubeconfig, where `make run` and `make dev` write it, leads to the cluster here. */
async function openTerminal(): Promise<PageRunner> {
  const opened = new PageRunner({
    tools: [join(repository, "node_modules/.bin")],
    env: { ENABLE_WEBHOOKS: "false" },
  });
  opened.write(".kubewright/kubeconfig", kubeconfig);
  await opened.succeed('export KUBECONFIG="$PWD/.kubewright/kubeconfig"');
  return opened;
}

/** What has to be there before a page is followed. */
async function prepare(page: string): Promise<void> {
  const [, operator] = /^operators\/([\w-]+)\/README\.md$/.exec(page) ?? [];
  if (operator) copyConfig(operator, "config");
  if (page === "docs/guides/commands.md") await prepareProject();
  if (page === "docs/guides/dashboard.md") await prepareDashboard(page);
  if (page === "docs/guides/guestbook.md") {
    copyConfig("guestbook", "operators/guestbook/config");
    const { guestbook } = operators;
    if (guestbook) managers.push(await startManager(guestbook, { client: cluster.client }));
  }
}

const copyConfig = (operator: string, target: string): void =>
  cpSync(join(repository, "operators", operator, "config"), join(terminal.folder, target), {
    recursive: true,
  });

/** A project as the tutorial makes it, and the definitions that the page imports. */
async function prepareProject(): Promise<void> {
  const definition = (group: string, kind: string): CustomResourceDefinition => {
    const plural = `${kind.toLowerCase()}s`;
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: `${plural}.${group}`,
        annotations: { "api-approved.kubernetes.io": "unapproved, as in a test" },
      },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural, kind },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: { spec: { type: "object", properties: { secretName: { type: "string" } } } },
              },
            },
          },
        ],
      },
    };
  };
  await cluster.client.create(CustomResourceDefinition, definition("gateway.networking.k8s.io", "Gateway"));
  await terminal.succeed('export XDG_CACHE_HOME="$HOME"');
  await terminal.succeed("kubewright init --domain example.com --yes shop");
  await terminal.succeed("cd shop");
  linkModules();
  await terminal.succeed("kubewright create api --group shop --version v1 --kind Order");
  await terminal.succeed(`npm pkg set kubewright.base=${images.host}/distroless/nodejs:nonroot`);
  terminal.write("cert-manager.crds.yaml", JSON.stringify(definition("cert-manager.io", "Certificate")));
}

/** A deployed manager and the user that the page makes. */
async function prepareDashboard(page: string): Promise<void> {
  const labels = { app: "shop" };
  const existing = (error: unknown): void => {
    if (!isAlreadyExists(error)) throw error;
  };
  await cluster.client.create(Namespace, { metadata: { name: "shop-system" } }).catch(existing);
  await cluster.client
    .create(Deployment, {
      metadata: { name: "shop-controller-manager", namespace: "shop-system" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "manager", image: "shop:1" }] } },
      },
    })
    .catch(existing);
  const objects = blocksOf(read(page)).find(({ text }) => text.includes("kind: ServiceAccount"));
  terminal.write("user.yaml", objects?.text ?? "");
  await terminal.succeed("kubectl apply -f user.yaml");
  await terminal.succeed("kubectl -n shop-system wait --for=condition=Available deployment --all");
}

/** Names that stand for what readers have: a registry, and a port that is free. */
const own = (line: string): string =>
  line.replace("registry.example.com", images.host).replace(/ 8082 &$/, " :8082 &");

/** The modules that `npm install` would bring: those of this checkout. */
const linkModules = (): void =>
  symlinkSync(join(repository, "node_modules"), join(terminal.folder, "node_modules"));

async function follow(line: string): Promise<void> {
  if (line === "npm install" && !existsSync(join(terminal.folder, "node_modules"))) linkModules();
  if (reasonFor(line)) return;
  const ready = endless.find(([pattern]) => pattern.test(line))?.[1];
  if (!ready) return void (await terminal.succeed(own(line)));
  terminal.start(own(line).replace(/ &$/, ""));
  await terminal.printed(ready);
}

/** Settings that a page shows are made: in package.json, and in the file for patches. */
function setUp({ info, text }: Block): void {
  if (info === "yaml") {
    terminal.write("config/patches/kustomization.yaml", text);
    return;
  }
  const file = join(terminal.folder, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  const { kubewright } = JSON.parse(text);
  writeFileSync(file, JSON.stringify({ ...manifest, kubewright: { ...manifest.kubewright, ...kubewright } }));
}

const linesOf = (page: string): readonly string[] =>
  blocksOf(read(page))
    .filter(({ info }) => info === "sh")
    .flatMap(commandsOf);
const isRun = (page: string): boolean => linesOf(page).some((line) => !reasonFor(line));

test.each(pages.filter((page) => !isRun(page)))(
  "%s: its commands are listed as not run, with a reason",
  (page) => {
    expect(linesOf(page).map(reasonFor)).not.toContain(undefined);
  },
);

test.skipIf(findKubectls().length === 0).each(pages.filter(isRun))(
  "%s: its commands run",
  async (page) => {
    terminal = await openTerminal();
    await prepare(page);
    for (const block of blocksOf(read(page))) {
      if (block.info === "sh") for (const line of commandsOf(block)) await follow(line);
      if (page === "docs/guides/commands.md" && /^(json|yaml)$/.test(block.info)) setUp(block);
    }
    if (page === "docs/guides/commands.md") {
      await terminal.succeed("kubewright manifests");
      expect(readFileSync(join(terminal.folder, "dist/install.yaml"), "utf8")).toContain("hostNetwork: true");
    }
    if (/^operators/.test(page))
      await terminal.succeed("kubectl --kubeconfig .kubewright/kubeconfig delete -k config/samples");
  },
  60_000,
);

test("every reason not to run a line is one for a line that there is", () => {
  const lines = pages.flatMap(linesOf);
  const idle = notRun.filter(([pattern]) => !lines.some((line) => pattern.test(line)));
  expect(idle.map(([pattern]) => String(pattern))).toEqual([]);
});
