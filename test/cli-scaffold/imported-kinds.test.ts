// Kinds of somebody else, imported: recorded, looked after, but neither installed nor deleted by the project.
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CustomResourceDefinition } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseCrds } from "../../packages/cli/src/import-crd/crd-documents.js";
import { Workspace } from "./command-line.js";

const repository = join(import.meta.dirname, "../..");
const fixtures = join(repository, "packages/cli/src/import-crd/fixtures");
const certificates = join(fixtures, "certificates.yaml");

async function project(): Promise<Workspace> {
  const shop = new Workspace();
  await shop.ok("init shop --domain example.com");
  shop.enter("shop");
  symlinkSync(join(repository, "node_modules"), shop.path("node_modules"));
  await shop.ok(["import", "crd", certificates]);
  return shop;
}

const certificate = {
  domain: "example.io",
  external: true,
  group: "certs",
  kind: "Certificate",
  path: "src/api/certs.example.io/v1/certificate.ts",
  version: "v1",
};

test("they are recorded in PROJECT, once", async () => {
  using shop = await project();
  expect(parse(shop.read("PROJECT")).resources).toEqual([certificate]);
  await shop.ok(["import", "crd", certificates, "--force"]);
  expect(parse(shop.read("PROJECT")).resources).toEqual([certificate]);
});

test("a kind of the project itself is not imported over", async () => {
  using shop = await project();
  await shop.ok("create api --group shop --version v1 --kind Order");
  await shop.ok("manifests");
  const before = shop.files();
  const { status, stderr } = await shop.run("import crd config/crd/bases/shop.example.com_orders.yaml");
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr:
      "kubewright import crd: Order of shop.example.com is a kind of this project already; import it elsewhere with --out\n",
  });
  expect(shop.files()).toEqual(before);
});

test.each(["--group certs.example.io --version v1", "--api-version certs.example.io/v1"])(
  "they get controllers and webhooks like any other kind: %s",
  async (which) => {
    using shop = await project();
    await shop.ok(`create api ${which} --kind Certificate`);
    await shop.ok(`create webhook ${which} --kind Certificate --validation`);
    const path = 'import { Certificate } from "../api/certs.example.io/v1/certificate.js";';
    for (const file of ["src/controllers/certificate.ts", "src/webhooks/certificate.ts"])
      expect(shop.read(file)).toContain(path);
    expect(parse(shop.read("PROJECT")).resources).toEqual([
      { ...certificate, controller: true, webhooks: { validation: true } },
    ]);
    expect(await shop.run(`create webhook ${which} --kind Certificate --conversion`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("converted by the project that defines them"),
    });
  },
);

test("their definitions stay with those they come from", async () => {
  using shop = await project();
  await shop.ok("create api --group certs.example.io --version v1 --kind Certificate");
  await shop.ok("manifests");
  expect(Object.keys(shop.files()).filter((path) => path.startsWith("config/crd/bases"))).toEqual([]);
  expect(shop.read("config/rbac/role.yaml")).toContain("certs.example.io");
  const cluster = await startCluster({ nodes: 0, controllers: "none" });
  try {
    writeFileSync(shop.path("kubeconfig"), (await cluster.listen()).kubeconfig);
    const on = "--kubeconfig kubeconfig";
    expect((await shop.ok(`install ${on}`)).stdout).toBe("the project defines no kinds\n");
    const { stdout } = await shop.run(`doctor ${on} -o json`);
    expect(JSON.parse(stdout).findings).toContainEqual({
      check: "kinds",
      state: "problem",
      message: "certificates.certs.example.io is external and not installed",
      remedy: "install the operator it comes with",
    });
    const [crd] = parseCrds(readFileSync(certificates, "utf8"), certificates);
    if (crd) await cluster.client.create(CustomResourceDefinition, crd);
    await shop.ok(`uninstall --force ${on}`);
    await cluster.client.get(CustomResourceDefinition, "certificates.certs.example.io");
  } finally {
    await cluster.close();
  }
}, 60_000);

test("what a cluster has is imported as from the file it was applied from", async () => {
  using shop = new Workspace();
  const cluster = await startCluster({ nodes: 0, controllers: "none" });
  try {
    writeFileSync(shop.path("kubeconfig"), (await cluster.listen()).kubeconfig);
    const files = ["issuers", "gateways", "monitors", "workflows"].map((name) =>
      join(fixtures, `${name}.yaml`),
    );
    const crds = files.flatMap((file) => parseCrds(readFileSync(file, "utf8"), file));
    for (const crd of crds) await cluster.client.create(CustomResourceDefinition, crd);
    const names = crds.map(({ metadata }) => metadata?.name).join(",");
    await shop.ok(["import", "crd", ...files, "--out", "from-files"]);
    await shop.ok(`import crd --from-cluster ${names} --kubeconfig kubeconfig --out from-cluster`);
    const bodies = (folder: string) =>
      Object.entries(shop.files())
        .filter(([path]) => path.startsWith(folder))
        .map(([path, text]) => [path.slice(folder.length), text.slice(text.indexOf("\n"))]);
    expect(bodies("from-cluster")).toHaveLength(crds.length);
    expect(bodies("from-cluster")).toEqual(bodies("from-files"));
  } finally {
    await cluster.close();
  }
}, 60_000);
