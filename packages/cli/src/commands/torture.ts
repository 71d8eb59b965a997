import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isObject, type KubeObject } from "@kubewright/api";
import { customKindsOf, type ManagerDefinition } from "@kubewright/runtime";
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
      "the file whose default export has the project's own scenario, invariants and settings (default: src/torture.ts, if it is there)",
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
  shard: {
    type: "string",
    value: "I/N",
    description: "only the I-th of N parts of the runs, for several machines: 1/4 (default: all runs)",
  },
  ignore: {
    type: "string",
    value: "FIELDS",
    description:
      "fields that may differ from run to run, as in status.lastRun or Secret.data, separated by commas",
  },
  replay: {
    type: "string",
    value: "RUN",
    description: "the undisturbed run and this one only, as a report names it",
  },
  output: outputOption,
} as const satisfies Options;

const description = `It needs no cluster: every run has an embedded one of its own, in virtual time. The first run is undisturbed, and the writes of the operator are
noted. The others do the same again, and have to end in the same state:

  crashes        at every write: a crash before and after it, a failure, a lost answer, a conflict, a deletion or an edit by somebody else
  staleness      at every write: caches see no change for 30 s, also after a crash; after a crash they begin with an older state
  interleavings  from seeds: writes, timers and what caches see come late
  states         from seeds: the objects become others that their schemas allow, children are deleted and edited, pods fail, the operator crashes

What is found is reported with the shortest sequence that leads to it, and a command that repeats exactly that. All of it takes minutes.`;

/** `kubewright torture`: the operator on embedded clusters, with a crash, a fault or a delay at every write. */
export const tortureCommand = defineCommand({
  description,
  example:
    'kubewright torture\nkubewright torture --only crashes,states --seeds 100\nkubewright torture --replay "crash-after@3"',
  options,
  async run({ values }) {
    const root = projectRoot();
    const modes = modesOf(values.only);
    const seeds = numberOf(values.seeds, "seeds", 100_000);
    const shard = shardOf(values.shard);
    const { definition, reload, settings, testing } = await loadTortured(root, values.scenario);
    checkReplay(values.replay, testing.parseReplay);
    const manager = settings.manager ?? definition;
    const resources = customKindsOf(manager);
    const folder = resolve(root, values.samples ?? join("config", "samples"));
    const scenario =
      settings.scenario ?? testing.objectsScenario(samplesIn(folder), { isDeleted: isReconciled(manager) });
    const report = await testing.torture({
      reload: settings.manager ? undefined : reload,
      ...settings,
      manager,
      resources,
      scenario,
      modes: modes ?? settings.modes,
      seeds: seeds ?? settings.seeds,
      shard,
      ignore: [...(settings.ignore ?? []), ...listOf(values.ignore)],
      replay: values.replay,
      onRun: (done, all) => progress(`${done} of ${all} runs`),
    });
    progress("");
    await printResult(values.output, report, () => testing.tortureText(report, commandOf(values)));
    return report.findings.length > 0 ? exitStatus.problemsFound : exitStatus.done;
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
  return ["npx kubewright torture", ...given].join(" ");
}

/** Whether an object is of a kind that the operator has a controller for; others, such as a Secret that it needs, stay. */
function isReconciled({ controllers }: ManagerDefinition): (object: KubeObject) => boolean {
  const kinds = new Set(controllers.map(({ resource: { kind, group } }) => `${kind}.${group}`));
  return ({ apiVersion = "", kind }) => kinds.has(`${kind}.${apiVersion.split("/").slice(0, -1).join("/")}`);
}

function modesOf(text: string | undefined): readonly TortureMode[] | undefined {
  if (text === undefined) return undefined;
  return listOf(text).map((name) => {
    const mode = modes.find((known) => known === name);
    if (!mode) throw new UsageError(`--only ${name}: some of ${modes.join(", ")} are needed`);
    return mode;
  });
}

function shardOf(text: string | undefined): { readonly index: number; readonly count: number } | undefined {
  if (text === undefined) return undefined;
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > count)
    throw new UsageError(`--shard ${text}: I/N is needed, with I from 1 to N, as in 1/4`);
  return { index, count };
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
    throw new UsageError(
      `${folder} has no objects; kubewright manifests writes a sample of each kind of the project there, --samples names another folder, and src/torture.ts may have a scenario`,
    );
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
