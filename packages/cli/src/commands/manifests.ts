import { defineCommand, exitStatus, type Options } from "../command.js";
import { carryOut, type KeptFile, type ManifestPlan } from "../manifests/file-plan.js";
import { planManifests } from "../manifests/generate.js";
import { nameWarnings } from "../manifests/name-warnings.js";
import { printResult } from "../output.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { outputOption } from "./shared-options.js";

const options = {
  check: { type: "boolean", description: "write nothing; fail and list the files that are out of date" },
  force: { type: "boolean", description: "overwrite generated files that were edited by hand" },
  helm: { type: "boolean", description: "also write a Helm chart (dist/chart)" },
  olm: { type: "boolean", description: "also write a bundle for the Operator Lifecycle Manager (bundle)" },
  image: {
    type: "string",
    value: "IMAGE",
    description: "the image of the manager (default: kubewright.image in package.json)",
  },
  namespace: {
    type: "string",
    short: "n",
    value: "NAME",
    description:
      "the namespace of the manager (default: kubewright.namespace in package.json, else NAME-system)",
  },
  output: outputOption,
} as const satisfies Options;

/** `kubewright manifests`: writes what follows from the code, or says what is stale. */
export const manifestsCommand = defineCommand({
  example:
    "kubewright manifests\nkubewright manifests --check   # in CI: status 3 when something is stale\nkubectl apply -k config/default",
  options,
  async run({ values }) {
    const { check = false, force = false, helm, olm, image, namespace } = values;
    const { root, definition } = await loadProject(projectRoot());
    for (const line of nameWarnings(definition)) process.stderr.write(`${line}\n`);
    const plan = planManifests(root, definition, { helm, olm, image, namespace, check, force });
    for (const line of [...plan.kept.map(keptText), ...plan.warnings]) process.stderr.write(`${line}\n`);
    if (check) return report(plan, values.output);
    carryOut(root, plan);
    const kept = plan.kept.map(({ path }) => path);
    const result = { written: [...plan.write.keys()], removed: plan.remove, kept };
    await printResult(values.output, result, () => summary(plan));
    return exitStatus.done;
  },
});

const keptText = ({ path, isStale }: KeptFile): string =>
  `${path} was edited by hand, so it stays as it is${isStale ? ", though the code has changed since" : ""}; --force overwrites it`;

function summary({ write, remove }: ManifestPlan): string {
  if (write.size + remove.length === 0) return "nothing changed";
  return [
    ...[...write.keys()].map((path) => `wrote ${path}`),
    ...remove.map((path) => `removed ${path}`),
  ].join("\n");
}

/** Files that somebody keeps are their own; those that the code has moved away from need another look. */
async function report({ write, remove, kept }: ManifestPlan, format: string | undefined): Promise<number> {
  const stale = [...write.keys()];
  const edited = kept.filter(({ isStale }) => isStale).map(({ path }) => path);
  const lines = [
    ...stale.map((path) => `stale: ${path}`),
    ...edited.map((path) => `edited by hand, and the code has changed since: ${path}`),
    ...remove.map((path) => `no longer generated: ${path}`),
  ];
  const remedy =
    stale.length + remove.length > 0
      ? "kubewright manifests brings them up to date"
      : "kubewright manifests --force overwrites them; config/patches is kept";
  await printResult(format, { stale, edited, obsolete: remove }, () =>
    lines.length === 0 ? "up to date" : [...lines, remedy].join("\n"),
  );
  return lines.length === 0 ? exitStatus.done : exitStatus.problemsFound;
}
