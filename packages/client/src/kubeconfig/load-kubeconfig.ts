// Finds and merges kubeconfig files as kubectl does. The environment is handed in: a library does not look for it.

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { isObject } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import { inClusterConfig, isInCluster } from "./in-cluster.js";
import type { Environment, KubeConfig } from "./kubeconfig.js";
import { parseKubeConfig } from "./parse-kubeconfig.js";

/** Which kubeconfig is read, by path or environment, and which of its contexts is used. */
export interface LoadKubeConfigOptions {
  /** This file and no other. */
  readonly path?: string | undefined;
  /** Chosen over the `current-context` of the files. */
  readonly context?: string | undefined;
  /** The environment in which `KUBECONFIG` and `HOME` are looked up, and which exec plugins inherit; `process.env` to do as kubectl does. */
  readonly env?: Environment | undefined;
}

/**
 * Loads the kubeconfig that kubectl would: the file given, or those in `KUBECONFIG`, or `~/.kube/config`, or what a pod
 * is given.
 *
 * @example
 * const config = await loadKubeConfig({ env: process.env, context: "staging" });
 */
export async function loadKubeConfig(options: LoadKubeConfigOptions = {}): Promise<KubeConfig> {
  const { path, env = {}, context } = options;
  const config = path === undefined ? await fromEnvironment(env) : await required(path);
  return { ...config, currentContext: context ?? config.currentContext, env };
}

async function required(path: string): Promise<KubeConfig> {
  const config = await readOptional(resolve(path));
  if (config === undefined) throw new ConfigError(`${path}: there is no such kubeconfig`);
  return config;
}

/** Files of the list that do not exist are passed over; that none exists is an error. */
async function fromEnvironment(env: Environment): Promise<KubeConfig> {
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  const usual = join(env["HOME"] || homedir(), ".kube", "config");
  const paths = listed.length === 0 ? [usual] : [...new Set(listed.map((path) => resolve(path)))];
  const loaded = await Promise.all(paths.map(readOptional));
  const configs = loaded.filter((config) => config !== undefined);
  if (configs.length === 0) {
    if (isInCluster(env)) return inClusterConfig({ env });
    throw new ConfigError(`there is no kubeconfig at ${paths.join(", ")}; set KUBECONFIG or give a path`);
  }
  return mergeKubeConfigs(configs);
}

/** The first file to name an entry, or to set `current-context`, has the say. */
export function mergeKubeConfigs(configs: readonly KubeConfig[]): KubeConfig {
  // A later entry of a Map replaces an earlier one, so the files are read from the last to the first.
  const backwards = configs.toReversed();
  return {
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
    contexts: new Map(backwards.flatMap((config) => [...config.contexts])),
    clusters: new Map(backwards.flatMap((config) => [...config.clusters])),
    users: new Map(backwards.flatMap((config) => [...config.users])),
    files: configs.flatMap((config) => config.files),
  };
}

async function readOptional(path: string): Promise<KubeConfig | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (isObject(cause) && cause["code"] === "ENOENT") return undefined;
    throw new ConfigError(`cannot read the kubeconfig ${path}`, { cause });
  }
  return parseKubeConfig(text, path);
}
