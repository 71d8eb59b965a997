// What manifests need to know beyond the code: the namespace, the image, and what a cluster offers. Kept in the `kubewright` field of
// package.json, so that every run and `--check` come to the same.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@kubewright/api";
import { UsageError } from "../command.js";
import { importedKinds } from "../scaffold/imported-kinds.js";
import { type EditedFiles, editedFiles, unstatedImage } from "./edited-files.js";
import { type ManagerSettings, managerSettings } from "./manager-settings.js";
import { type OwnPatches, readPatches } from "./own-patches.js";
import {
  checkedDeployment,
  checkedImage,
  checkedNamespace,
  checkedVersion,
  checkManagerName,
} from "./setting-checks.js";

export interface ManifestSettings {
  /** The namespace of the manager. Default: `<manager>-system`. */
  readonly namespace: string;
  /** The name of the Deployment. Default: `<manager>-controller-manager`. */
  readonly deployment: string;
  /** Default: `controller:latest`. */
  readonly image: string;
  /** Of the chart and the bundle: the project's. */
  readonly version: string;
  readonly description: string;
  readonly replicas: number;
  /** What its Deployment has beyond what follows from the code. */
  readonly manager: ManagerSettings;
  /** Whether config/default takes in the ServiceMonitor and the alerts, which need the Prometheus operator. Default: false. */
  readonly prometheus: boolean;
  /** Whether there is a dashboard for Grafana in config/grafana. Default: false. */
  readonly grafana: boolean;
  /** Whether cert-manager makes the certificate of the webhooks, and not the manager itself. Default: false. */
  readonly certManager: boolean;
  /** Whether config/default takes in the NetworkPolicies. Default: false. */
  readonly networkPolicy: boolean;
  /** Kinds of somebody else: `Certificate.cert-manager.io`. */
  readonly imported: ReadonlySet<string>;
  /** The user's own, from config/patches. */
  readonly patches: OwnPatches;
  /** Generated files that somebody edited: what they say counts. */
  readonly edited: EditedFiles;
}

/** What the command line says over package.json. */
export interface SettingOverrides {
  readonly namespace?: string | undefined;
  readonly image?: string | undefined;
  /** Takes no notice of edited files, which are about to be overwritten. */
  readonly force?: boolean | undefined;
}

/** The settings of a project. */
export function manifestSettings(
  root: string,
  manager: string,
  overrides: SettingOverrides = {},
): ManifestSettings {
  const manifest = projectManifest(root);
  const own = recordOf(manifest["kubewright"]);
  const text = (name: string): string | undefined => textOf(own[name], `kubewright.${name}`);
  const replicas = own["replicas"] ?? 1;
  if (!Number.isInteger(replicas) || Number(replicas) < 0)
    throw new UsageError("package.json: kubewright.replicas: a number of replicas is needed");
  checkManagerName(manager);
  return {
    namespace: checkedNamespace(overrides.namespace ?? text("namespace") ?? `${manager}-system`),
    deployment: checkedDeployment(text("deployment") ?? `${manager}-controller-manager`),
    image: checkedImage(overrides.image ?? text("image") ?? unstatedImage),
    version: checkedVersion(textOf(manifest["version"], "version") ?? "0.0.1"),
    description: textOf(manifest["description"], "description") ?? `The operator ${manager}`,
    replicas: Number(replicas),
    manager: managerSettings(own["manager"]),
    prometheus: own["prometheus"] === true,
    grafana: own["grafana"] === true,
    certManager: own["certManager"] === true,
    networkPolicy: own["networkPolicy"] === true,
    imported: importedKinds(root),
    patches: readPatches(root),
    edited: overrides.force ? new Map() : editedFiles(root),
  };
}

/** The package.json of a project; empty where there is none. */
export function projectManifest(root: string): Readonly<Record<string, unknown>> {
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
