// What manifests need to know beyond the code: the namespace, the image, and what a cluster offers. Kept in the `kubewright` field of
// package.json, so that every run and `--check` come to the same.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@kubewright/api";
import { UsageError } from "../command.js";
import { importedKinds } from "../scaffold/imported-kinds.js";
import { type ManagerSettings, managerSettings } from "./manager-settings.js";

export interface ManifestSettings {
  /** Where the manager runs; `<manager>-system` unless told. */
  readonly namespace: string;
  /** `controller:latest` unless told. */
  readonly image: string;
  /** Of the chart and the bundle: the project's. */
  readonly version: string;
  readonly description: string;
  readonly replicas: number;
  /** What its Deployment has beyond what follows from the code. */
  readonly manager: ManagerSettings;
  /** Whether config/default takes in the ServiceMonitor, which needs the Prometheus operator; off unless told. */
  readonly prometheus: boolean;
  /** Whether config/default takes in the NetworkPolicies; off unless told. */
  readonly networkPolicy: boolean;
  /** Kinds of somebody else: `Certificate.cert-manager.io`. */
  readonly imported: ReadonlySet<string>;
}

/** What the command line says over package.json. */
export interface SettingOverrides {
  readonly namespace?: string | undefined;
  readonly image?: string | undefined;
}

/** The settings of a project. */
export function manifestSettings(
  root: string,
  manager: string,
  overrides: SettingOverrides = {},
): ManifestSettings {
  const manifest = manifestOf(root);
  const own = recordOf(manifest["kubewright"]);
  const text = (name: string): string | undefined => textOf(own[name], `kubewright.${name}`);
  const replicas = own["replicas"] ?? 1;
  if (!Number.isInteger(replicas) || Number(replicas) < 0)
    throw new UsageError("package.json: kubewright.replicas: a number of replicas is needed");
  return {
    namespace: overrides.namespace ?? text("namespace") ?? `${manager}-system`,
    image: overrides.image ?? text("image") ?? "controller:latest",
    version: textOf(manifest["version"], "version") ?? "0.0.1",
    description: textOf(manifest["description"], "description") ?? `The operator ${manager}`,
    replicas: Number(replicas),
    manager: managerSettings(own["manager"]),
    prometheus: own["prometheus"] === true,
    networkPolicy: own["networkPolicy"] === true,
    imported: importedKinds(root),
  };
}

function manifestOf(root: string): Readonly<Record<string, unknown>> {
  const file = join(root, "package.json");
  if (!existsSync(file)) return {};
  try {
    return recordOf(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new UsageError(`${file} is broken: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function textOf(value: unknown, field: string): string | undefined {
  if (value === undefined || typeof value === "string") return value || undefined;
  throw new UsageError(`package.json: ${field} is not a text`);
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});
