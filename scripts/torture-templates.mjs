// The projects that kubewright scaffolds, one for each template and each variant of it, to be tortured as they come.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const order = "--group shop --version v1 --kind Order";
const webhooks = `create webhook ${order} --defaulting --validation`;

/** A Deployment for a controller that has no kind of its own, and so no sample. */
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "nginx:1.27" }] }
`;

/** By name: the command lines after `kubewright init`. */
export const templates = {
  minimal: [`create api ${order}`],
  "minimal, cluster-scoped": [`create api ${order} --namespaced=false`],
  "minimal, webhooks and two versions": [
    `create api ${order}`,
    "create api --group shop --version v1alpha1 --kind Order",
    `${webhooks} --conversion`,
  ],
  app: [`create api ${order} --template app`],
  "app, cluster-scoped": [`create api ${order} --template app --namespaced=false`],
  "app, webhooks": [`create api ${order} --template app`, webhooks],
  "built-in kind": ["create api --group apps --version v1 --kind Deployment"],
};

/** Scaffolds a project with `command`, in a folder of its own that finds the packages in `modules`. Returns the folder. */
export function scaffold(name, command, modules) {
  const directory = mkdtempSync(join(tmpdir(), "kubewright-torture-"));
  symlinkSync(modules, join(directory, "node_modules"));
  const project = join(directory, "shop");
  run(command, ["init", "shop", "--domain", "example.com"], directory);
  for (const line of templates[name]) run(command, line.split(" "), project);
  run(command, ["manifests"], project);
  if (name === "built-in kind") {
    const samples = join(project, "config", "samples");
    mkdirSync(samples, { recursive: true });
    writeFileSync(join(samples, "deployment.yaml"), deployment);
  }
  return project;
}

function run(command, argv, cwd) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...argv], {
    cwd,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`kubewright ${argv.join(" ")}: ${stdout}${stderr}`);
}
