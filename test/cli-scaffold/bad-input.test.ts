// What cannot be done is said in one line that also says what to do, with a status of its own, and nothing is changed.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { Workspace } from "./command-line.js";

const repository = join(import.meta.dirname, "../..");
const order = "--group shop --version v1 --kind Order";
let shop: Workspace;
let cluster: Cluster;

beforeAll(async () => {
  shop = new Workspace();
  await shop.ok("init shop --domain example.com");
  shop.enter("shop");
  symlinkSync(join(repository, "node_modules"), shop.path("node_modules"));
  await shop.ok(`create api ${order}`);
  await shop.ok("manifests");
  cluster = await startCluster({ nodes: 0, controllers: "none" });
  const config = parse((await cluster.listen()).kubeconfig);
  writeFileSync(shop.path("kubeconfig"), stringify(config));
  config.users[0].user = { token: "of-nobody" };
  writeFileSync(shop.path("kubeconfig-of-nobody"), stringify(config));
}, 60_000);
afterAll(async () => {
  await cluster.close();
  shop[Symbol.dispose]();
});

/** Runs a command line that must fail, and returns what it says; nothing may have changed. */
async function refused(line: string, status = 2, workspace = shop): Promise<string> {
  const before = workspace.files();
  const ran = await workspace.run(line);
  expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status, stdout: "" });
  expect(ran.stderr.match(/\n/g), ran.stderr).toHaveLength(1);
  expect(workspace.files()).toEqual(before);
  return ran.stderr.trimEnd();
}

test("import crd: a CRD whose numbers are texts is refused by file and path, and nothing is written", async () => {
  using somewhere = new Workspace();
  const schema = {
    type: "object",
    properties: { spec: { type: "integer", maximum: "(process.exit(7), 5)" } },
  };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const names = { kind: "Order", plural: "orders" };
  const spec = { group: "shop.example.com", names, scope: "Namespaced", versions: [version] };
  const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", spec };
  writeFileSync(somewhere.path("evil.json"), JSON.stringify(crd));
  expect(await refused("import crd evil.json --out kinds", 2, somewhere)).toBe(
    'kubewright import crd: evil.json: spec.versions[0].schema.openAPIV3Schema.properties.spec.maximum: a finite number is needed, not "(process.exit(7), 5)"',
  );
  expect(Object.keys(somewhere.files())).toEqual(["evil.json"]);
});

describe("not in a project", () => {
  test.each(["create api", "create webhook", "import crd x.yaml", "upgrade"])("%s", async (line) => {
    using nowhere = new Workspace();
    expect(await refused(line, 2, nowhere)).toBe(
      `kubewright ${line.replace(" x.yaml", "")}: there is no PROJECT file here or above; run this in a project, or make one with kubewright init`,
    );
  });

  test.each([
    "manifests",
    "build",
    "install",
    "uninstall",
    "run",
    "dev",
    "deploy",
    "undeploy",
    "logs",
    "doctor",
  ])("%s", async (line) => {
    using nowhere = new Workspace();
    expect(await refused(line, 2, nowhere)).toBe(
      `kubewright ${line}: ${nowhere.root} is not in a project: there is no PROJECT file here or above; kubewright init creates one`,
    );
  });
});

describe("a broken PROJECT", () => {
  test.each([
    ["", "it is not a map"],
    [
      "projectName: [",
      "Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 15:",
    ],
    ["projectName: a\nversion: '1'\n", "domain is not a text"],
    ["projectName: a\ndomain: b\nversion: '1'\nresources: {}\n", "resources is not a list"],
    [
      "projectName: a\ndomain: b\nversion: '1'\nresources: [{ kind: X }]\n",
      "resources[0] lacks group, version or kind",
    ],
  ])("%j", async (text, what) => {
    using broken = new Workspace();
    writeFileSync(broken.path("PROJECT"), text);
    expect(await refused(`create api ${order}`, 2, broken)).toBe(
      `kubewright create api: ${broken.path("PROJECT")} is broken: ${what}; fix it, or restore it from version control`,
    );
  });
});

describe("names that cannot be, or clash", () => {
  const api = (more: string) => `create api --group shop --version v1 ${more}`;
  test.each([
    ["create api", "--group, --version, --kind are missing"],
    [api(""), "--kind is missing"],
    [
      "create api --group Shop --version v1 --kind Cart",
      "--group Shop: lower-case letters, digits and dashes are needed, such as shop",
    ],
    [
      "create api --group shop --version 1 --kind Cart",
      "--version 1: a version such as v1, v1beta1 or v2alpha1 is needed",
    ],
    [
      api("--kind cart"),
      "--kind cart: a name of letters and digits with a capital first is needed; did you mean Cart?",
    ],
    [
      api("--kind Cart-1"),
      "--kind Cart-1: a name of letters and digits with a capital first is needed, such as ModelBox",
    ],
    [api("--kind Cart --plural Carts"), "--plural Carts: lower-case letters, digits and dashes are needed"],
    [api("--kind ORDER"), "--kind ORDER: shop.example.com has Order already, which differs only in case"],
    [
      api("--kind Orders --plural orders"),
      "Order of shop.example.com has the plural orders already; choose another with --plural",
    ],
    [api("--kind Set"), "--kind Set: the name is reserved in TypeScript or Kubernetes; choose another"],
    [
      api("--kind OrderList"),
      "--kind OrderList: names that end with List are those of lists; choose another",
    ],
    [
      "create api --group apps --version v2 --kind Deployment",
      "--version v2: Deployment of apps is served as v1; to define your own kind in apps.example.com, add --resource",
    ],
    [
      "create api --group apps --version v1 --kind Deploymnt",
      "--kind Deploymnt: the group apps of Kubernetes has Deployment; to define your own kind in apps.example.com, add --resource",
    ],
    [
      "create api --api-version a/b/c --kind Cart",
      "--api-version a/b/c: GROUP/VERSION is needed, such as app.example.com/v1",
    ],
  ])("%s", async (line, message) => {
    expect(await refused(line.trim())).toBe(`kubewright create api: ${message}`);
  });

  test.each([
    ["--domain EXAMPLE", "--domain EXAMPLE: lower-case words joined by dots are needed, such as example.com"],
    [
      "--domain a.k8s.io",
      "--domain a.k8s.io: groups under k8s.io and kubernetes.io are reserved for Kubernetes itself; use your own domain",
    ],
    [
      "--project-name A_b",
      'the project name "A_b" must be lower-case letters, digits and dashes, at most 50; choose one with --project-name',
    ],
  ])("init %s", async (options, message) => {
    using nowhere = new Workspace();
    expect(await refused(`init new ${options}`, 2, nowhere)).toBe(`kubewright init: ${message}`);
  });
});

test("a folder that is not empty, and one that is a project", async () => {
  using full = new Workspace();
  mkdirSync(full.path("full"));
  writeFileSync(full.path("full/mine"), "mine");
  expect(await refused("init full --domain example.com", 2, full)).toBe(
    `kubewright init: ${full.path("full")} is not empty (it has mine); name another folder, or use --force to overwrite what is in the way`,
  );
  expect(await refused("init --domain example.com")).toBe(
    `kubewright init: ${shop.path("")} is a project already; kubewright create api adds a kind to it (--force starts over)`.replace(
      "/ is",
      " is",
    ),
  );
});

describe("no cluster", () => {
  test("run without a kubeconfig", async () => {
    expect(await refused("run --kubeconfig nowhere", 1)).toBe(
      "kubewright run: nowhere: there is no such kubeconfig; kubewright run --embedded starts its own cluster",
    );
  }, 30_000);

  test.each(["install", "uninstall", "undeploy", "logs"])(
    "%s without a kubeconfig",
    async (command) => {
      expect(await refused(`${command} --kubeconfig nowhere`, 1)).toBe(
        `kubewright ${command}: nowhere: there is no such kubeconfig; kubewright cluster starts a cluster and writes a kubeconfig for it`,
      );
    },
    30_000,
  );

  test.each(["install", "deploy --image x:1", "logs"])(
    "%s with one that leads nowhere",
    async (command) => {
      const config = parse(shop.read("kubeconfig"));
      config.clusters[0].cluster.server = "https://127.0.0.1:9";
      using lost = new Workspace();
      writeFileSync(lost.path("kubeconfig"), stringify(config));
      expect(await refused(`${command} --kubeconfig ${lost.path("kubeconfig")}`, 1)).toMatch(
        /^kubewright \w+: .*https:\/\/127\.0\.0\.1:9.*; start the cluster, or choose another with --context$/,
      );
    },
    30_000,
  );
});

describe("no permission", () => {
  test.each(["install", "uninstall", "logs"])(
    "%s by somebody the cluster does not know",
    async (command) => {
      expect(await refused(`${command} --kubeconfig kubeconfig-of-nobody`, 1)).toMatch(
        /^kubewright \w+: .*Unauthorized; log in again, or fix the user in the kubeconfig$/,
      );
    },
    30_000,
  );
});

describe("options and commands that there are not", () => {
  test.each([
    ["creat api", 'kubewright: there is no command "creat api"; did you mean kubewright create api?'],
    ["create apis", 'kubewright: there is no command "create apis"; did you mean kubewright create api?'],
    ["create", "kubewright: create what? There is create api, create webhook"],
    ["manifest", 'kubewright: there is no command "manifest"; did you mean kubewright manifests?'],
    ["frobnicate", 'kubewright: there is no command "frobnicate"; kubewright --help lists them'],
    ["--versio", "kubewright: there is no option --versio; did you mean --version?"],
    ["create api --knd Cart", "kubewright create api: unknown option --knd; did you mean --kind?"],
    ["run --embeded", "kubewright run: unknown option --embeded; did you mean --embedded?"],
    ["run -x", "kubewright run: unknown option -x; --help lists the options"],
    ["create api --controller=maybe", "kubewright create api: --controller=maybe: true or false is needed"],
    ["create api --template huge", "kubewright create api: --template huge: one of minimal, app is needed"],
    ["create api --group", "kubewright create api: --group needs a value"],
    ["install twice", 'kubewright install: unexpected argument "twice"'],
    ["completion csh", "kubewright completion: csh: one of bash, zsh, fish is needed; did you mean zsh?"],
    ["build --push", "kubewright build: --push needs --image, as in --image registry/name:tag"],
    ["run --data-dir d", "kubewright run: --data-dir needs --embedded"],
    ["deploy --timeout soon", "kubewright deploy: --timeout soon: a number of seconds is needed"],
  ])("%s", async (line, message) => {
    expect(await refused(line)).toBe(message);
  });
});
