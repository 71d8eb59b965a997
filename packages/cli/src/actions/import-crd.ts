import { readFileSync } from "node:fs";
import { type Action, exitStatus, UsageError } from "../command.js";
import type { ImportCrdFlags } from "../commands/import-crd.js";
import { parseCrds } from "../import-crd/crd-documents.js";
import { type ImportedCrd, importCrds } from "../import-crd/import-crds.js";
import { printResult } from "../output.js";
import { findProject } from "../scaffold/project-file.js";
import { report } from "../scaffold/report.js";

/** Does what `kubewright import crd` says. */
export const importCrdAction: Action<ImportCrdFlags> = async ({ values, positionals: files }) => {
  const names = (values["from-cluster"] ?? "").split(",").filter((name) => name !== "");
  if (files.length === 0 && names.length === 0)
    throw new UsageError("name files with CustomResourceDefinitions, or use --from-cluster");
  const project = values.out === undefined ? findProject() : undefined;
  const directory = project?.directory ?? process.cwd();
  const imported = [...files.flatMap(readDefinitions), ...(await fromCluster(names, values))];
  const { changes, losses } = importCrds(imported, {
    directory,
    project,
    folder: values.out,
    force: values.force,
  });
  const next = ["declare them in owns, watches or uses of a controller"];
  await printResult(values.output, { directory, changes, losses }, () =>
    [
      report(directory, { changes, manual: [] }, next),
      ...losses.map((loss) => `warning: ${loss} could not be said`),
    ].join("\n"),
  );
  return exitStatus.done;
};

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
