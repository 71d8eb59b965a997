// The contents of simulated volumes, shared by the containers that mount them. Volumes of a pod go with it; volumes of claims
// stay for the next pod, until their PersistentVolume is gone, and those of nodes for as long as the cluster.
import {
  type Container,
  isNotFound,
  PersistentVolumeClaim,
  type Pod,
  Service,
  type Volume,
} from "@kubewright/api";
import { cgroupFiles } from "./cgroup-files.js";
import { containerEnvironment } from "./container-environment.js";
import type { ContainerRequest } from "./container-runtime.js";
import { hostNetworkHosts, hostsFile, nodeHosts } from "./hosts-file.js";
import { podToken } from "./pod-token.js";
import { linkedServices, serviceVariables } from "./service-variables.js";
import { FileTree, type Mount, VolumeFiles } from "./shell/file-tree.js";
import type { ProgramUser } from "./shell/program.js";
import { type TokenRequestOptions, volumeData } from "./volume-data.js";

/** The files and environment of a program when it starts. */
export interface Surroundings {
  readonly variables: ReadonlyMap<string, string>;
  readonly files: FileTree;
  readonly user: ProgramUser;
}

export class SimulatedVolumes {
  /** By uid of the pod, then by name of the volume. */
  readonly #ofPods = new Map<string, Map<string, VolumeFiles>>();
  /** By name of the node: the files of its own that pods mount. */
  readonly #ofNodes = new Map<string, VolumeFiles>();
  /** By name of the volume. */
  readonly #persistent = new Map<string, VolumeFiles>();

  /**
   * The variables of a container, and its files as they are now; `own` are those outside of volumes. Tokens of its service
   * account are there when asked for: making them takes time.
   */
  async surroundings(
    { pod, container, node }: ContainerRequest,
    own: VolumeFiles,
    { withTokens = false } = {},
  ): Promise<Surroundings> {
    const token = withTokens
      ? (options: TokenRequestOptions): Promise<string> => podToken(pod, node.client, options)
      : undefined;
    const mounts: Mount[] = [];
    for (const { name, mountPath, subPath, readOnly } of container.volumeMounts ?? []) {
      const volume = pod.spec?.volumes?.find((one) => one.name === name);
      if (!volume) continue;
      const data = await volumeData(volume, pod, { ...node, token });
      const onHost = volume.hostPath?.path;
      const path = mountPath.length > 1 ? mountPath.replace(/\/+$/, "") : mountPath;
      const files = data
        ? new VolumeFiles([...data].map(([at, { bytes }]) => [at, bytes] as const))
        : await this.#writable(pod, volume, node.client);
      mounts.push({
        path,
        volume: files,
        subPath: onHost === undefined ? subPath : partOf(onHost, subPath),
        readOnly: readOnly === true || data !== undefined,
      });
    }
    const limits = new VolumeFiles(cgroupFiles(container));
    mounts.push({ path: "/sys/fs/cgroup", volume: limits, subPath: undefined, readOnly: true });
    const readOnly = container.securityContext?.readOnlyRootFilesystem === true;
    // The file for its last message is mounted, and so can be written in any case.
    const path = container.terminationMessagePath ?? "/dev/termination-log";
    if (readOnly) mounts.push({ path, volume: new VolumeFiles(), subPath: undefined, readOnly: false });
    const hostname = hostnameOf(pod);
    const services = await linkedServices(
      pod,
      async (namespace) => (await node.client.list(Service, { namespace })).items,
    );
    const given: readonly (readonly [string, string])[] = [
      ["PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
      ["HOSTNAME", hostname],
      ["HOME", "/root"],
      ...serviceVariables(services),
    ];
    if (!own.get("etc/hostname")) own.set("etc/hostname", Buffer.from(`${hostname}\n`));
    const hosts = pod.spec?.hostNetwork ? hostNetworkHosts(pod) : hostsFile(pod, node.podIP);
    if (!own.get("etc/hosts")) own.set("etc/hosts", Buffer.from(hosts));
    return {
      variables: await containerEnvironment(pod, container, node, given),
      files: new FileTree(mounts, own, { readOnly }),
      user: userOf(pod, container),
    };
  }

  /** The pod is gone. */
  forget(podUid: string): void {
    this.#ofPods.delete(podUid);
  }

  #filesOfNode(node: string): VolumeFiles {
    const files = entry(this.#ofNodes, node);
    if (!files.get("etc/hosts")) files.set("etc/hosts", Buffer.from(nodeHosts));
    return files;
  }

  async #writable(
    pod: Pod,
    { name, persistentVolumeClaim, ephemeral, hostPath }: Volume,
    client: ContainerRequest["node"]["client"],
  ): Promise<VolumeFiles> {
    if (hostPath) return this.#filesOfNode(pod.spec?.nodeName ?? "");
    const claim =
      persistentVolumeClaim?.claimName ?? (ephemeral ? `${pod.metadata?.name}-${name}` : undefined);
    if (claim === undefined) return entry(entryMap(this.#ofPods, pod.metadata?.uid ?? ""), name);
    const namespace = pod.metadata?.namespace;
    try {
      const { spec, metadata } = await client.get(PersistentVolumeClaim, claim, { namespace });
      return entry(this.#persistent, spec?.volumeName ?? `claim ${metadata?.uid}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return new VolumeFiles();
    }
  }
}

function userOf({ spec }: Pod, { securityContext: own }: Container): ProgramUser {
  const { runAsUser, runAsGroup, fsGroup, supplementalGroups = [] } = spec?.securityContext ?? {};
  return {
    uid: own?.runAsUser ?? runAsUser ?? 0,
    gid: own?.runAsGroup ?? runAsGroup ?? 0,
    groups: [...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])],
  };
}

/** The name that a pod's programs see. */
export const hostnameOf = ({ metadata, spec }: Pod): string => spec?.hostname ?? metadata?.name ?? "";

/** A part of what a pod mounts of its node. */
const partOf = (path: string, subPath: string | undefined): string =>
  [path, subPath ?? ""].join("/").split("/").filter(Boolean).join("/");

function entry(map: Map<string, VolumeFiles>, key: string): VolumeFiles {
  const known = map.get(key) ?? new VolumeFiles();
  map.set(key, known);
  return known;
}

function entryMap(maps: Map<string, Map<string, VolumeFiles>>, key: string): Map<string, VolumeFiles> {
  const known = maps.get(key) ?? new Map<string, VolumeFiles>();
  maps.set(key, known);
  return known;
}
