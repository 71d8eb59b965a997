import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Workspace } from "./command-line.js";

const order = "--group shop --version v1 --kind Order";

async function project(...lines: readonly string[]): Promise<Workspace> {
  const workspace = new Workspace();
  await workspace.ok("init shop --domain example.com");
  workspace.enter("shop");
  for (const line of lines) await workspace.ok(line);
  return workspace;
}

describe("init", () => {
  test("writes a whole project", async () => {
    using shop = await project();
    const files = Object.keys(shop.files());
    for (const path of [
      ...["package.json", "tsconfig.json", "biome.json", "PROJECT", "Makefile", "Dockerfile", "README.md"],
      ...[".gitignore", ".dockerignore", ".github/workflows/ci.yaml", "src/main.ts", "src/main.test.ts"],
      ...["src/api/.gitkeep", "src/controllers/.gitkeep", "src/webhooks/.gitkeep"],
      ...["crd", "rbac", "manager", "default", "prometheus", "network-policy"].map(
        (base) => `config/${base}/kustomization.yaml`,
      ),
    ])
      expect(files).toContain(path);
    for (const target of "manifests generate test lint build run install uninstall deploy undeploy docker-build docker-push build-installer help".split(
      " ",
    ))
      expect(shop.read("Makefile")).toMatch(new RegExp(`^${target}:`, "m"));
  });

  test("names the command that writes samples, as create api does, since there are none yet", async () => {
    using workspace = new Workspace();
    const init = await workspace.ok("init shop --domain example.com");
    workspace.enter("shop");
    const api = await workspace.ok(`create api ${order}`);
    for (const { stdout } of [init, api])
      expect(stdout).toContain("npx kubewright manifests   # writes config, with a sample of each kind");
    expect(Object.keys(workspace.files()).filter((path) => path.startsWith("config/samples/"))).toEqual([]);
    expect(workspace.read("README.md")).toContain("with a sample of each kind in config/samples");
  });

  test("uses the packages of the checkout it runs from", async () => {
    using shop = await project();
    const { dependencies, devDependencies } = JSON.parse(shop.read("package.json"));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      if (name.includes("kubewright")) expect(version).toMatch(/^file:\/.*\/packages\/\w+$/);
  });

  test("has the tools this repository has", async () => {
    using shop = await project();
    const { devDependencies: ours } = await import("../../package.json", { with: { type: "json" } }).then(
      (m) => m.default,
    );
    const { devDependencies } = JSON.parse(shop.read("package.json"));
    for (const name of ["@biomejs/biome", "@types/node", "typescript", "vitest"] as const)
      expect(devDependencies[name]).toBe(ours[name]);
  });

  test("says what it did to programs, too", async () => {
    using workspace = new Workspace();
    const { stdout } = await workspace.ok("new first --repo=github.com/me/first --owner Me --output json");
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ projectName: "first", domain: "example.com" });
    expect(result.changes).toContainEqual({ path: "PROJECT", change: "created" });
    workspace.enter("first");
    expect(JSON.parse(workspace.read("package.json"))).toMatchObject({
      author: "Me",
      repository: { url: "git+https://github.com/me/first.git" },
    });
  });

  test("writes over nothing unless told", async () => {
    using workspace = new Workspace();
    mkdirSync(workspace.path("full"));
    writeFileSync(workspace.path("full/mine"), "mine");
    const refused = await workspace.run("init full --domain example.com");
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("is not empty (it has mine)"),
    });
    expect(Object.keys(workspace.files())).toEqual(["full/mine"]);
    await workspace.ok("init full --domain example.com --force");
    expect(workspace.files()).toMatchObject({ "full/mine": "mine" });
    const again = await workspace.run("init full --domain example.com");
    expect(again.stderr).toContain("is a project already");
  });
});

describe("create api", () => {
  test("adds a kind and tells the manager, whatever the user has made of main.ts", async () => {
    using shop = await project();
    const main = `// Mine.
import { defineManager } from "@kubewright/runtime";

const name = "shop"; // controllers: []
export default defineManager({
  name,
  leaderElection: true,
  controllers: [
    // none yet
  ],
});
`;
    writeFileSync(shop.path("src/main.ts"), main);
    await shop.ok(`create api ${order}`);
    const edited = shop.read("src/main.ts");
    expect(edited).toContain('import { orderController } from "./controllers/order.js";\n');
    expect(edited).toMatch(/controllers: \[orderController,\s*\/\/ none yet\s*\]/);
    expect(edited).toContain('const name = "shop"; // controllers: []');
  });

  test("says what to add where it cannot", async () => {
    using shop = await project();
    const main = 'import { manager } from "./manager.js";\nexport default manager;\n';
    writeFileSync(shop.path("src/main.ts"), main);
    const { stdout } = await shop.ok(`create api ${order}`);
    expect(stdout).toContain(
      'in src/main.ts, import { orderController } from "./controllers/order.js" and add orderController to controllers of defineManager',
    );
    expect(shop.read("src/main.ts")).toBe(main);
  });

  test("changes nothing when run again, and keeps what was edited", async () => {
    using shop = await project(`create api ${order}`, `create webhook ${order} --defaulting --validation`);
    writeFileSync(shop.path("src/controllers/order.ts"), "// mine\n");
    const before = shop.files();
    await shop.ok(`create api ${order}`);
    await shop.ok(`create webhook ${order} --defaulting --validation`);
    expect(shop.files()).toEqual(before);
    await shop.ok(`create api ${order} --force`);
    expect(shop.read("src/controllers/order.ts")).toContain("defineController(Order");
  });

  test("refuses to write over files it did not make", async () => {
    using shop = await project();
    mkdirSync(shop.path("src/controllers"), { recursive: true });
    writeFileSync(shop.path("src/controllers/order.ts"), "// mine\n");
    const before = shop.files();
    const { status, stderr } = await shop.run(`create api ${order}`);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        "kubewright create api: src/controllers/order.ts is there already; nothing was changed (--force overwrites)\n",
    });
    expect(shop.files()).toEqual(before);
  });

  test("makes a kind alone, and its controller later", async () => {
    using shop = await project(`create api ${order} --controller=false`);
    expect(shop.read("src/main.ts")).toContain("resources: [Order]");
    expect(shop.read("PROJECT")).not.toContain("controller:");
    await shop.ok(`add controller --api-version=shop.example.com/v1 --kind=Order`);
    expect(shop.read("src/main.ts")).toContain("controllers: [orderController]");
    expect(shop.read("PROJECT")).toContain("controller: true");
  });

  test("makes controllers for kinds of Kubernetes", async () => {
    using shop = await project(
      "create api --group apps --version v1 --kind Deployment",
      "create api --group core --version v1 --kind Pod",
      "create api --group networking --version v1 --kind Ingress",
    );
    for (const [file, kind] of [
      ["deployment", "Deployment"],
      ["pod", "Pod"],
      ["ingress", "Ingress"],
    ])
      expect(shop.read(`src/controllers/${file}.ts`)).toContain(`import { ${kind} } from "@kubewright/api"`);
    expect(Object.keys(shop.files()).filter((path) => path.startsWith("src/api/"))).toEqual([
      "src/api/.gitkeep",
    ]);
  });

  test("tells kinds of one name in two groups apart", async () => {
    using shop = await project(`create api ${order}`, "create api --group stock --version v1 --kind Order");
    expect(shop.read("src/main.ts")).toContain("controllers: [orderController, stockOrderController]");
    expect(shop.read("src/api/stock/v1/order.ts")).toContain('group: "stock.example.com"');
    expect(shop.read("src/controllers/stock-order.ts")).toContain('name: "stock-order"');
  });

  test("adds a version to a kind", async () => {
    using shop = await project(`create api ${order}`, "create api --group shop --version v2 --kind Order");
    expect(shop.read("src/api/v1/order.ts")).toContain("versions: { v2: orderV2 }");
    expect(shop.read("src/api/v1/order.ts")).toContain('import { orderV2 } from "../v2/order.js";');
  });

  test("begins a further version as a copy of the first, with the fields that were added to it", async () => {
    using shop = await project(`create api ${order}`);
    const source = shop.read("src/api/v1/order.ts");
    writeFileSync(
      shop.path("src/api/v1/order.ts"),
      source.replace("spec: z.object({", "spec: z.object({ replicas: z.int().default(1),"),
    );
    await shop.ok("create api --group shop --version v2 --kind Order");
    await shop.ok(`create webhook ${order} --conversion`);
    expect(shop.read("src/api/v2/order.ts")).toContain("replicas: z.int().default(1)");
    expect(shop.read("src/webhooks/order-conversion.test.ts")).toContain("roundTripLosses(orderConversion)");
  });
});

describe("create webhook", () => {
  test("adds what is asked for to what is there", async () => {
    using shop = await project(`create api ${order}`, `create webhook ${order} --defaulting`);
    expect(shop.read("src/webhooks/order.ts")).not.toContain("validate(");
    await shop.ok(`create webhook ${order} --validation`);
    expect(shop.read("src/webhooks/order.ts")).toMatch(/default\([\s\S]*validate\(/);
    expect(shop.read("src/main.ts").match(/orderWebhook/g)).toHaveLength(2);
  });

  test("needs two versions to convert between", async () => {
    using shop = await project(`create api ${order}`);
    expect(await shop.run(`create webhook ${order} --conversion`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("has only version v1"),
    });
    await shop.ok("create api --group shop --version v2 --kind Order");
    await shop.ok(`create webhook ${order} --conversion`);
    expect(shop.read("src/api/v1/order.ts")).toContain('conversion: "webhook"');
    expect(shop.read("src/webhooks/order-conversion.ts")).toContain("v2: {");
  });
});

describe("bad input: one line, what to do, nothing changed", () => {
  const kind = (more: string) => `create api --group shop --version v1 ${more}`;
  test.each([
    ["create api --group shop --version v1", "--kind is missing"],
    ["create api", "--group, --version, --kind are missing"],
    [kind("--kind order"), "did you mean Order?"],
    [kind("--kind ORDER"), "differs only in case"],
    [kind("--kind Orders --plural orders"), "has the plural orders already"],
    [kind("--kind Set"), "reserved"],
    [kind("--kind Cart --plural Carts"), "--plural Carts"],
    [kind("--knd Cart"), "unknown option --knd; did you mean --kind?"],
    ["create api --group Shop --version v1 --kind Cart", "--group Shop"],
    ["create api --group shop --version 1 --kind Cart", "a version such as v1"],
    [
      "create api --group apps --version v1 --kind Deploymnt",
      "has Deployment; to define your own kind in apps.example.com, add --resource",
    ],
    ["create api --group apps --version v2 --kind Deployment", "is served as v1"],
    ["create api --api-version a/b/c --kind Cart", "GROUP/VERSION is needed"],
    [kind("--kind Cart --resource=false"), "src/api/v1/cart.ts is not there"],
    [kind("--kind Cart --template huge"), "one of minimal, app is needed"],
    [kind("--kind Cart --controller=maybe"), "true or false is needed"],
    ["create webhook --group shop --version v1 --kind Order", "choose at least one of --defaulting"],
    ["create webhook --group shop --version v1 --kind Cart --defaulting", "PROJECT has no Cart"],
    ["create webhook --group apps --version v1 --kind Deployment --conversion", "by Kubernetes itself"],
    ["create", "create what? There is create api, create webhook"],
    ["create apis", 'there is no command "create apis"; did you mean kubewright create api?'],
    ["import crd", "pass files"],
    ["import crd nowhere.yaml", "nowhere.yaml: ENOENT"],
    ["import crd PROJECT", "PROJECT: there is no CustomResourceDefinition in it"],
    ["completion csh", "one of bash, zsh, fish is needed"],
  ])("%s", async (line, message) => {
    using shop = await project(`create api ${order}`);
    const before = shop.files();
    const { status, stdout, stderr } = await shop.run(line);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(shop.files()).toEqual(before);
  });

  test.each([
    ["", "it is not a map"],
    ["projectName: [", "PROJECT is broken"],
    ["projectName: a\nversion: '1'\n", "domain is not a text"],
    ["projectName: a\ndomain: b\nversion: '1'\nresources: {}\n", "resources is not a list"],
    [
      "projectName: a\ndomain: b\nversion: '1'\nresources: [{ kind: X }]\n",
      "resources[0] lacks group, version or kind",
    ],
  ])("with PROJECT %j", async (text, message) => {
    using shop = await project();
    writeFileSync(shop.path("PROJECT"), text);
    const { status, stderr } = await shop.run(`create api ${order}`);
    expect({ status, lines: stderr.trimEnd().split("\n").length }).toEqual({ status: 2, lines: 1 });
    expect(stderr).toContain(message);
  });

  test.each(["create api --group a --version v1 --kind B", "upgrade", "import crd x.yaml"])(
    "%s outside a project",
    async (line) => {
      using workspace = new Workspace();
      const { status, stderr } = await workspace.run(line);
      expect(status).toBe(2);
      expect(stderr).toContain("there is no PROJECT file here or above");
    },
  );
});
