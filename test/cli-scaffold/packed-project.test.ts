// From an empty folder to a tested operator, with the packages as they are published, outside the repository.
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalRegistry, startRegistry } from "./local-registry.js";
import { installPacked } from "./packed-packages.js";

const folder = mkdtempSync(join(tmpdir(), "kubewright-packed-project-"));
const shop = join(folder, "shop");
let modules = "";

let registry: LocalRegistry;

beforeAll(async () => {
  const packed = await installPacked(folder);
  modules = packed.modules;
  registry = await startRegistry(packed.archives);
}, 600_000);
afterAll(() => {
  registry?.close();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl) console.log("kubectl is not here; what it would show is not shown");

/** A whole minute for what takes a second: the machine may be busy. */
const patience = 120_000;
const environment = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", NODE_OPTIONS: "" };

/** The one that the project installed, once it has; before, the one that is there to make it. */
function command(): string {
  const installed = join(shop, "node_modules/kubewright/bin/kubewright.js");
  return existsSync(installed) ? installed : join(modules, "kubewright/bin/kubewright.js");
}

function run(line: string, cwd = shop): string {
  const [program = "", ...words] = line.split(" ");
  const [file, first] = program === "kubewright" ? [process.execPath, [command()]] : [program, []];
  try {
    return execFileSync(file, [...first, ...words], {
      cwd,
      encoding: "utf8",
      env: environment,
      stdio: "pipe",
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${line}\n${stdout}\n${stderr}`);
  }
}

/** Starts the operator and waits until it says that it works. */
async function runEmbedded(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [command(), "run", "--embedded"], {
    cwd: shop,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (status) => reject(new Error(`run ended with status ${status}:\n${printed}`)));
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        printed += chunk.toString();
        if (printed.includes("started; Ctrl-C ends it")) resolve();
      });
  });
  return child;
}

describe("from an empty folder", () => {
  test(
    "to a project that depends on the published version, in moments",
    () => {
      const started = performance.now();
      run("kubewright init shop --domain example.com", folder);
      run("kubewright create api --group shop --version v1 --kind Order");
      const took = performance.now() - started;
      const { dependencies, devDependencies } = JSON.parse(readFileSync(join(shop, "package.json"), "utf8"));
      const { version } = JSON.parse(readFileSync(join(modules, "kubewright/package.json"), "utf8"));
      expect(dependencies["@kubewright/api"]).toBe(version);
      expect(devDependencies["kubewright"]).toBe(version);
      expect(took, "ten times what it may take on a machine with nothing else to do").toBeLessThan(15_000);
      console.log(`init and create api: ${Math.round(took)} ms`);
    },
    patience,
  );

  test(
    "whose packages npm installs from a registry, by their versions",
    async () => {
      const options = [
        "--registry",
        registry.url,
        "--cache",
        join(folder, "cache"),
        "--no-audit",
        "--no-fund",
      ];
      await promisify(execFile)("npm", ["install", ...options], { cwd: shop, env: environment });
      const names = readdirSync(join(shop, "node_modules/@kubewright"));
      expect(names.toSorted()).toEqual(readdirSync(join(modules, "@kubewright")).toSorted());
      expect(registry.fetched).toContain("kubewright");
      expect(run("npx kubewright --version")).toBe(run("kubewright --version"));
      rmSync(join(folder, "cache"), { recursive: true, force: true });
    },
    3 * patience,
  );

  test(
    "with webhooks and a second version",
    () => {
      run("kubewright create api --group shop --version v1alpha1 --kind Order");
      run("kubewright create api --group apps --version v1 --kind Deployment");
      run(
        "kubewright create webhook --group shop --version v1 --kind Order --defaulting --validation --conversion",
      );
      run("kubewright create api --group web --version v1 --kind Site --template app");
    },
    patience,
  );

  test("that lints and compiles", () => void [run("npm run lint"), run("npm run typecheck")], patience);

  test(
    "whose tests pass on a cluster of its own",
    () => {
      const printed = run("npm test");
      expect(printed).toMatch(/Tests\s+\d+ passed/);
      console.log(/Duration.*/.exec(printed)?.[0]);
    },
    patience,
  );

  test(
    "whose manifests follow an edit",
    () => {
      run("kubewright manifests");
      run("kubewright manifests --check");
      const file = join(shop, "src/api/v1/order.ts");
      const edited = readFileSync(file, "utf8").replace(
        "spec: z.object({",
        'spec: z.object({\n    urgent: z.boolean().default(false).describe("Before all others"),',
      );
      writeFileSync(file, edited);
      expect(() => run("kubewright manifests --check")).toThrow("shop.example.com_orders.yaml");
      run("kubewright manifests");
      const crd = readFileSync(join(shop, "config/crd/bases/shop.example.com_orders.yaml"), "utf8");
      expect(crd).toContain("Before all others");
    },
    patience,
  );

  test(
    "that is built to one file, which plain Node runs",
    () => {
      run("npm run build");
      expect(run(`${process.execPath} dist/main.js --help`)).toContain('the manager "shop"');
    },
    patience,
  );

  test.skipIf(!hasKubectl)(
    "that runs, and does for a sample what it should",
    async () => {
      const operator = await runEmbedded();
      try {
        const kubectl = `kubectl --kubeconfig ${join(shop, ".kubewright/kubeconfig")}`;
        run(`${kubectl} apply -f config/samples/shop_v1_order.yaml`);
        run(`${kubectl} wait --for=condition=Ready --timeout=60s orders.shop.example.com --all`);
        const labels = run(`${kubectl} get orders.shop.example.com -o jsonpath={.items[0].metadata.labels}`);
        expect(labels, "its webhook labels it").toContain('"app.kubernetes.io/managed-by":"shop"');
      } finally {
        operator.kill("SIGINT");
      }
      const [status] = await once(operator, "exit");
      expect(status).toBe(0);
    },
    patience,
  );

  test(
    "and tell in the same way what is wrong",
    () => {
      expect(() => run("kubewright create api --group shop --version v1 --kind order")).toThrow(
        "did you mean Order?",
      );
    },
    patience,
  );
});
