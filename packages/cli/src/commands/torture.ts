import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isObject, type KubeObject } from "@kubewright/api";
import { customKindsOf } from "@kubewright/runtime";
import type { TortureMode } from "@kubewright/testing";
import { parseAllDocuments } from "yaml";
import { defineCommand, exitStatus, type Options, UsageError } from "../command.js";
import { printResult } from "../output.js";
import { loadTortured } from "../run/load-tortured.js";
import { projectRoot } from "../run/project-root.js";
import { shellWord } from "../shell-word.js";
import { numberOf } from "./option-values.js";
import { outputOption } from "./shared-options.js";

const modes: readonly TortureMode[] = ["crashes", "staleness", "interleavings", "states"];

const options = {
  scenario: {
    type: "string",
    value: "FILE",
    description:
      "the file with the project's own scenario, invariants and settings (default: src/torture.ts, if it is there)",
  },
  samples: {
    type: "string",
    value: "DIR",
    description: "the objects to apply, vary and delete where there is no scenario (default: config/samples)",
  },
  only: {
    type: "string",
    value: "MODES",
    description: `some of ${modes.join(", ")}, separated by commas (default: all)`,
  },
  seeds: {
    type: "string",
    value: "N",
    description: "the number of random interleavings, and of random walks through states (default: 20)",
  },
  ignore: {
    type: "string",
    value: "FIELDS",
    description:
      "fields that may differ from run to run, as in status.lastRun or Secret.data, separated by commas",
  },
  replay: { type: "string", value: "RUN", description: "repeat one run, as a report names it" },
  output: outputOption,
} as const satisfies Options;

/** `kubewright torture`: the operator on embedded clusters, with a crash, a fault or a delay at every write. */
export const tortureCommand = defineCommand({
  example:
    'kubewright torture\nkubewright torture --only crashes,states\nkubewright torture --replay "crash-after@3"',
  options,
  async run({ values }) {
    const root = projectRoot();
    const modes = modesOf(values.only);
    const seeds = numberOf(values.seeds, "seeds", 100_000);
    const { definition, reload, settings, testing } = await loadTortured(root, values.scenario);
    checkReplay(values.replay, testing.parseReplay);
    const manager = settings.manager ?? definition;
    const resources = customKindsOf(manager);
    const folder = resolve(root, values.samples ?? join("config", "samples"));
    const scenario =
      settings.scenario ?? testing.objectsScenario(samplesIn(folder), { isDeleted: isCustom(resources) });
    const report = await testing.torture({
      reload: settings.manager ? undefined : reload,
      ...settings,
      manager,
      resources,
      scenario,
      modes: modes ?? settings.modes,
      seeds: seeds ?? settings.seeds,
      ignore: [...(settings.ignore ?? []), ...listOf(values.ignore)],
      replay: values.replay,
      onRun: (done, all) => progress(`${done} of ${all} runs`),
    });
    progress("");
    await printResult(values.output, report, () => testing.tortureText(report, commandOf(values)));
    return report.findings.length > 0 ? exitStatus.wanting : exitStatus.done;
  },
});

/** The command that a replay repeats: with the options that the runs depend on. */
function commandOf(values: {
  readonly scenario?: string | undefined;
  readonly samples?: string | undefined;
  readonly ignore?: string | undefined;
}): string {
  const { scenario, samples, ignore } = values;
  const given = Object.entries({ scenario, samples, ignore }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`],
  );
  return ["kubewright torture", ...given].join(" ");
}

function isCustom(kinds: readonly { readonly group: string }[]): (object: KubeObject) => boolean {
  const groups = new Set(kinds.map(({ group }) => group));
  return ({ apiVersion = "" }) => groups.has(apiVersion.split("/")[0] ?? "");
}

function modesOf(text: string | undefined): readonly TortureMode[] | undefined {
  if (text === undefined) return undefined;
  return listOf(text).map((name) => {
    const mode = modes.find((known) => known === name);
    if (!mode) throw new UsageError(`--only ${name}: some of ${modes.join(", ")} are needed`);
    return mode;
  });
}

function checkReplay(text: string | undefined, parse: (text: string) => unknown): void {
  if (text === undefined) return;
  try {
    parse(text);
  } catch (error) {
    throw new UsageError(`--replay: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function samplesIn(folder: string): readonly KubeObject[] {
  const objects = filesOf(folder)
    .filter((file) => /\.ya?ml$/.test(file) && file !== "kustomization.yaml")
    .sort()
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), "utf8")))
    .map((document): unknown => document.toJS())
    .filter((value) => isObject(value) && typeof value["kind"] === "string");
  if (objects.length === 0)
    throw new UsageError(`${folder} has no objects; kubewright manifests writes a sample of each kind there`);
  return objects as readonly KubeObject[];
}

function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const listOf = (text: string | undefined): readonly string[] =>
  (text ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** On a terminal, in one line that is written over. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}
