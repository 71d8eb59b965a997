import { readFileSync } from "node:fs";
import { defineCommand, exitStatus, type Options, UsageError } from "../command.js";
import { parseCrds } from "../import-crd/crd-documents.js";
import { type ImportedCrd, importCrds } from "../import-crd/import-crds.js";
import { printResult } from "../output.js";
import { findProject } from "../scaffold/project-file.js";
import { report } from "../scaffold/report.js";
import { outputOption } from "./shared-options.js";

const options = {
  "from-cluster": {
    type: "string",
    value: "NAME,…",
    description: "read CRDs, or all CRDs of API groups, from the current context",
  },
  kubeconfig: {
    type: "string",
    value: "FILE",
    description: "the kubeconfig to use (default: as kubectl does)",
  },
  context: {
    type: "string",
    value: "NAME",
    description: "the context to use (default: the current context)",
  },
  out: {
    type: "string",
    value: "DIR",
    description: "the output directory (default: src/api/GROUP/VERSION in the project)",
  },
  force: { type: "boolean", description: "overwrite existing files" },
  output: outputOption,
} as const satisfies Options;

/** `kubewright import crd`: other people's kinds, typed as one's own. */
export const importCrdCommand = defineCommand({
  example:
    "kubewright import crd cert-manager.crds.yaml\nkubewright import crd --from-cluster certificates.cert-manager.io\nkubewright import crd --from-cluster gateway.networking.k8s.io   # every kind of the group",
  positionals: { usage: "[FILE…]" },
  options,
  async run({ values, positionals: files }) {
    const names = (values["from-cluster"] ?? "").split(",").filter((name) => name !== "");
    if (files.length === 0 && names.length === 0)
      throw new UsageError("pass files with CustomResourceDefinitions, or use --from-cluster");
    const project = values.out === undefined ? findProject() : undefined;
    const directory = project?.directory ?? process.cwd();
    const imported = [...files.flatMap(readDefinitions), ...(await fromCluster(names, values))];
    const { changes, losses, notes } = importCrds(imported, {
      directory,
      project,
      folder: values.out,
      force: values.force,
    });
    const next = ["declare them in owns, watches or uses of a controller"];
    await printResult(values.output, { directory, changes, losses, notes }, () =>
      [
        report(directory, { changes, manual: [] }, next),
        ...losses.map((loss) => `warning: ${loss} could not be imported`),
        ...notes.map((note) => `note: ${note}`),
      ].join("\n"),
    );
    return exitStatus.done;
  },
});

function readDefinitions(file: string): readonly ImportedCrd[] {
  const from = file.split(/[\\/]/).at(-1) ?? file;
  return parseCrds(readText(file), file).map((crd) => ({ crd, from }));
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function fromCluster(
  names: readonly string[],
  choice: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
): Promise<readonly ImportedCrd[]> {
  if (names.length === 0) return [];
  const { crdsOfCluster } = await import("../import-crd/crds-of-cluster.js");
  return (await crdsOfCluster(names, choice)).map((crd) => ({ crd, from: "a cluster" }));
}
