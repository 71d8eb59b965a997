// The folder of a pod on this machine: its volumes, and the files that every container finds in its place.
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, normalize } from "node:path";
import {
  type Container,
  isNotFound,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  type Volume,
} from "@kubewright/api";
import type { PodNode } from "../container-runtime.js";
import { podToken, tokenLife } from "../pod-token.js";
import { defaultModeOf, type TokenRequestOptions, type VolumeSource, volumeData } from "../volume-data.js";
import type { ContainerMount } from "./container-root.js";
import { writeAtomically } from "./volume-writer.js";

export interface PodDirectoryOptions {
  readonly path: string;
  /** A folder in memory of its own, for volumes that are to be there. */
  readonly memory: string;
  /** Where volumes are that outlive pods. */
  readonly volumes: string;
  readonly node: PodNode;
  /** Whether files can be given to other users. */
  readonly otherUsers: boolean;
  /** The text of `/etc/hosts`, and of `/etc/resolv.conf`. */
  readonly hosts: () => string;
  readonly resolver: string;
}

export class PodDirectory {
  readonly #options: PodDirectoryOptions;
  #pod: Pod;
  /** Milliseconds after which tokens in its volumes should be new ones; undefined when it has none. */
  tokensFor: number | undefined;

  constructor(pod: Pod, options: PodDirectoryOptions) {
    this.#pod = pod;
    this.#options = options;
    for (const each of ["volumes", "files"])
      mkdirSync(join(options.path, each), { recursive: true, mode: 0o711 });
    this.#writeFiles();
  }

  /** Fills the volumes of the pod. */
  async fill(): Promise<void> {
    for (const volume of this.#pod.spec?.volumes ?? []) await this.#fillOne(volume);
  }

  /** Fills anew what follows from the pod, a ConfigMap or a Secret. */
  async refresh(pod: Pod): Promise<void> {
    this.#pod = pod;
    for (const volume of pod.spec?.volumes ?? []) if (isFilled(volume)) await this.#fillOne(volume);
  }

  /** Writes `/etc/hosts` anew; the file stays the same one, which containers have mounted. */
  refreshHosts(): void {
    writeFileSync(join(this.#options.path, "files", "hosts"), this.#options.hosts());
  }

  /** The mounts of a container. */
  async mountsOf(container: Container): Promise<readonly ContainerMount[]> {
    const found: ContainerMount[] = [];
    const file = (name: string, target: string): void => {
      found.push({ source: join(this.#options.path, "files", name), target, isFile: true, readOnly: false });
    };
    file("hosts", "/etc/hosts");
    file("hostname", "/etc/hostname");
    file("resolv.conf", "/etc/resolv.conf");
    file("nsswitch.conf", "/etc/nsswitch.conf");
    for (const { name, mountPath, subPath, readOnly } of container.volumeMounts ?? []) {
      const volume = this.#pod.spec?.volumes?.find((each) => each.name === name);
      if (!volume) continue;
      const source = this.#within(await this.#sourceOf(volume), subPath);
      const isFile = statSync(source).isFile();
      const target = mountPath.length > 1 ? mountPath.replace(/\/+$/, "") : mountPath;
      found.push({ source, target, isFile, readOnly: readOnly === true || isFilled(volume) });
    }
    const message = join(this.#options.path, "files", `termination-${container.name}`);
    writeFileSync(message, "");
    chmodSync(message, 0o666);
    const target = container.terminationMessagePath ?? "/dev/termination-log";
    found.push({ source: message, target, isFile: true, readOnly: false });
    return found.toSorted((a, b) => a.target.length - b.target.length);
  }

  /** Where the termination message of a container is on this machine. */
  messageOf(container: Container): string {
    return join(this.#options.path, "files", `termination-${container.name}`);
  }

  remove(): void {
    rmSync(this.#options.path, { recursive: true, force: true });
    rmSync(this.#options.memory, { recursive: true, force: true });
  }

  /** A part of a volume; links in it lead nowhere else. */
  #within(folder: string, subPath: string | undefined): string {
    if (subPath === undefined || subPath === "") return folder;
    const wanted = join(folder, normalize(`/${subPath}`));
    if (lstatSync(wanted, { throwIfNoEntry: false }) === undefined) {
      mkdirSync(wanted, { recursive: true });
      chmodSync(wanted, 0o777);
    }
    const real = realpathSync(wanted);
    if (!`${real}/`.startsWith(`${realpathSync(folder)}/`))
      throw new Error(`subPath ${subPath} leads out of its volume`);
    return real;
  }

  async #fillOne(volume: Volume): Promise<void> {
    const folder = join(this.#options.path, "volumes", volume.name);
    const data = await volumeData(volume, this.#pod, this.#source());
    if (data) {
      const owner = this.#options.otherUsers ? this.#pod.spec?.securityContext : undefined;
      writeAtomically(folder, data, {
        mode: defaultModeOf(volume),
        group: owner?.fsGroup,
        user: owner?.runAsUser,
      });
    } else if (volume.emptyDir) this.#open(this.#emptyDir(volume));
  }

  async #sourceOf(volume: Volume): Promise<string> {
    const { name, hostPath, persistentVolumeClaim, ephemeral } = volume;
    if (hostPath) {
      if (hostPath.type === "DirectoryOrCreate") mkdirSync(hostPath.path, { recursive: true });
      if (hostPath.type === "FileOrCreate") {
        mkdirSync(dirname(hostPath.path), { recursive: true });
        writeFileSync(hostPath.path, "", { flag: "a" });
      }
      return realpathSync(hostPath.path);
    }
    if (volume.emptyDir) return this.#emptyDir(volume);
    if (isFilled(volume)) return join(this.#options.path, "volumes", name);
    const claim =
      persistentVolumeClaim?.claimName ?? (ephemeral ? `${this.#pod.metadata?.name}-${name}` : undefined);
    if (claim !== undefined) return this.#persistent(claim);
    throw new Error(`volume ${name}: process nodes have no volumes of this kind`);
  }

  #emptyDir({ name, emptyDir }: Volume): string {
    return emptyDir?.medium === "Memory"
      ? join(this.#options.memory, name)
      : join(this.#options.path, "volumes", name);
  }

  async #persistent(claimName: string): Promise<string> {
    const { client } = this.#options.node;
    const claim = await client.get(PersistentVolumeClaim, claimName, {
      namespace: this.#pod.metadata?.namespace,
    });
    const name = claim.spec?.volumeName;
    if (name === undefined || !/^[a-z0-9][a-z0-9.-]*$/.test(name))
      throw new Error(`claim ${claimName} is not bound`);
    const volume = await client.get(PersistentVolume, name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    const path = volume?.spec?.hostPath?.path ?? volume?.spec?.local?.path;
    if (path !== undefined) {
      mkdirSync(path, { recursive: true });
      return realpathSync(path);
    }
    return this.#open(join(this.#options.volumes, name));
  }

  /** A folder that every user may write to, as kubelets make them. */
  #open(folder: string): string {
    if (!lstatSync(folder, { throwIfNoEntry: false })) {
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o777);
    }
    const group = this.#pod.spec?.securityContext?.fsGroup;
    if (group !== undefined && this.#options.otherUsers) chownSync(folder, -1, group);
    return folder;
  }

  #source(): VolumeSource {
    const { client, podIP, hostIP } = this.#options.node;
    return { client, podIP, hostIP, token: (options) => this.#token(options) };
  }

  #token(options: TokenRequestOptions): Promise<string> {
    const renewal = (options.expirationSeconds ?? tokenLife) * 1000 * 0.8;
    this.tokensFor = Math.min(this.tokensFor ?? renewal, renewal);
    return podToken(this.#pod, this.#options.node.client, options);
  }

  #writeFiles(): void {
    const files = {
      hosts: this.#options.hosts(),
      hostname: `${this.#pod.spec?.hostname ?? this.#pod.metadata?.name ?? ""}\n`,
      "resolv.conf": this.#options.resolver,
      "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(this.#options.path, "files", name), text);
      chmodSync(join(this.#options.path, "files", name), 0o644);
    }
  }
}

const isFilled = ({ configMap, secret, projected, downwardAPI }: Volume): boolean =>
  (configMap ?? secret ?? projected ?? downwardAPI) !== undefined;
