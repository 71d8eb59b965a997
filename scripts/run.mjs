// `make run`: the embedded cluster with every operator of this repository and its samples, until Ctrl-C.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const kubeconfig = join(root, ".kubewright", "kubeconfig");

spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: "inherit" });
const { startCluster } = await import("@kubewright/cluster");
const { startManager } = await import("@kubewright/runtime");
const { CustomResourceDefinition } = await import("@kubewright/api");
const { parseAllDocuments } = await import("yaml");

const cluster = await startCluster();
const endpoint = await cluster.listen();
mkdirSync(dirname(kubeconfig), { recursive: true });
writeFileSync(kubeconfig, endpoint.kubeconfig, { mode: 0o600 });
say(`cluster ready at ${endpoint.url}`);

const managers = [];
for (const name of readdirSync(join(root, "operators"))) await startOperator(name);
say(`\n  export KUBECONFIG=${kubeconfig}\n  kubectl get deployments,services\n\nCtrl-C ends it.`);

await new Promise((resolve) => {
  process.once("SIGINT", resolve);
  process.once("SIGTERM", resolve);
});
for (const manager of managers) await manager.close();
await cluster.close();
rmSync(kubeconfig, { force: true });

/** Installs the operator's kinds, starts it and applies its samples. */
async function startOperator(name) {
  const directory = join(root, "operators", name);
  if (!existsSync(join(directory, "dist", "main.js"))) return;
  const { default: definition } = await import(join(directory, "dist", "main.js"));
  for (const { resource } of definition.controllers) {
    if (typeof resource.crd === "function")
      await cluster.client.apply(CustomResourceDefinition, resource.crd());
  }
  managers.push(
    await startManager(definition, {
      client: cluster.client,
      onError: (where, error) => say(`${name}: ${where}: ${error instanceof Error ? error.message : error}`),
    }),
  );
  say(`operator ${name} started`);
  await applySamples(join(directory, "config", "samples"), definition);
}

async function applySamples(directory, definition) {
  if (!existsSync(directory)) return;
  for (const file of readdirSync(directory).filter((entry) => /\.ya?ml$/.test(entry))) {
    for (const document of parseAllDocuments(readFileSync(join(directory, file), "utf8"))) {
      const object = document.toJS();
      const kind = definition.controllers
        .map(({ resource }) => resource)
        .find((resource) => resource.kind === object?.kind);
      if (!kind) continue;
      object.metadata.namespace ??= "default";
      await cluster.client.apply(kind, object, { fieldManager: "samples" });
      say(`applied ${object.kind} ${object.metadata.name}`);
    }
  }
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
