// All manifests of a project, planned and written.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ManagerDefinition } from "@kubewright/runtime";
import { chartFiles, chartFolder } from "./chart.js";
import { configFiles, editedOf, installObjects, type Output } from "./config-files.js";
import { editWarnings } from "./edited-files.js";
import { type ManifestPlan, planFiles } from "./file-plan.js";
import { manifestSettings, type SettingOverrides } from "./manifest-settings.js";
import { bundleFiles, bundleFolder } from "./olm-bundle.js";
import { type Operator, operatorOf } from "./operator.js";
import { usesLeader } from "./rbac.js";
import { sampleFiles } from "./sample-files.js";
import { yamlDocuments } from "./yaml-text.js";

export interface GenerateOptions extends SettingOverrides {
  readonly helm?: boolean | undefined;
  readonly olm?: boolean | undefined;
  /** Leaves out what is built rather than kept, unless it is there. */
  readonly check?: boolean | undefined;
}

/** Everything in one file, for `kubectl apply -f`. */
export const installFile = "dist/install.yaml";

/** What has to change for the project's files to follow from its code. */
export function planManifests(
  root: string,
  definition: ManagerDefinition,
  options: GenerateOptions = {},
): ManifestPlan {
  const operator = operatorOf(definition, manifestSettings(root, definition.name, options));
  const isBuilt = options.check === true && !existsSync(join(root, installFile));
  const extras: readonly (readonly [boolean | undefined, string, (operator: Operator) => Output])[] = [
    [options.helm, chartFolder, chartFiles],
    [options.olm, bundleFolder, bundleFiles],
  ];
  const wanted = extras.filter(([asked]) => asked).map(([, folder, make]) => ({ folder, ...make(operator) }));
  const files = new Map([
    ...configFiles(operator),
    ...sampleFiles(root, operator),
    ...(isBuilt ? [] : [[installFile, yamlDocuments(installObjects(operator))] as const]),
    ...wanted.flatMap((output) => [...output.files]),
  ]);
  const folders = ["config", ...wanted.map(({ folder }) => folder)];
  return {
    ...planFiles(root, files, { folders, force: options.force }),
    warnings: [
      ...editWarnings(
        editedOf(operator),
        wanted.map(({ folder }) => folder),
      ),
      ...wanted.flatMap(({ warnings }) => warnings),
      ...replicaWarnings(operator),
    ],
  };
}

/** Replicas that all work at the same time undo each other's work. */
function replicaWarnings({ definition, settings }: Operator): readonly string[] {
  const isShared = definition.controllers.length === 0 || definition.sharding || usesLeader(definition);
  if (settings.replicas < 2 || isShared) return [];
  return [
    `kubewright.replicas is ${settings.replicas}, but ${definition.name} elects no leader: all of them would reconcile; leave leaderElection: false out of src/main.ts`,
  ];
}
