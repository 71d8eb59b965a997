// The etcd of this machine: by version, in the folder that ETCD_BINARIES names or where `npm run etcd:fetch` puts it.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ImageProgram } from "@kubewright/cluster/process";
import { compareVersions } from "../../operators/etcd/src/cluster/version-path.js";

const folder = process.env["ETCD_BINARIES"] ?? join(import.meta.dirname, "../../.kubewright/etcd");

/** The versions that are there, the oldest first. */
export const versions: readonly string[] = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => existsSync(join(folder, name, "etcd")))
      .toSorted(compareVersions)
  : [];

/** The newest version of 3.5; undefined where there is none. */
export const newest = versions.findLast((version) => version.startsWith("3.5."));
export const oldest = versions.find((version) => version.startsWith("3.4."));

export const program = (version: string, name: string): string => join(folder, version, name);

/** The image map: a tag for each version. */
export const images = (): readonly ImageProgram[] =>
  versions.map((version) => ({
    image: `etcd:v${version}`,
    programs: Object.fromEntries(
      ["etcd", "etcdctl", "etcdutl"]
        .map((name) => [name, program(version, name)] as const)
        .filter(([, file]) => existsSync(file)),
    ),
    command: ["etcd"],
  }));
