// What programs in a simulated container find: their environment, and the files of mounted ConfigMaps and Secrets.
import {
  ConfigMap,
  type Container,
  type EnvVar,
  isNotFound,
  type KeyToPath,
  type Pod,
  Secret,
  type Volume,
} from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";

type Files = ReadonlyMap<string, Uint8Array>;

export class ContainerFiles {
  readonly #client: CachedClient;
  readonly #pod: Pod;
  readonly #container: Container;

  constructor(client: CachedClient, pod: Pod, container: Container) {
    this.#client = client;
    this.#pod = pod;
    this.#container = container;
  }

  async environment(): Promise<Readonly<Record<string, string>>> {
    const { env = [], envFrom = [] } = this.#container;
    const found = new Map([
      ["PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
      ["HOSTNAME", this.#pod.spec?.hostname ?? this.#pod.metadata?.name ?? ""],
      ["HOME", "/root"],
    ]);
    for (const { configMapRef, secretRef, prefix = "" } of envFrom) {
      const files = configMapRef?.name
        ? await this.#data("ConfigMap", configMapRef.name)
        : await this.#data("Secret", secretRef?.name ?? "");
      for (const [key, value] of files) found.set(`${prefix}${key}`, Buffer.from(value).toString());
    }
    for (const variable of env) {
      const value = await this.#value(variable);
      if (value !== undefined) found.set(variable.name, expand(value, found));
    }
    return Object.fromEntries(found);
  }

  async readFile(path: string): Promise<Uint8Array | undefined> {
    const at = this.#mountOf(path);
    if (at?.subPath !== undefined) return (await this.#files(at.volume)).get(at.subPath);
    return at && (await this.#files(at.volume)).get(at.rest);
  }

  async listFiles(path: string): Promise<readonly string[] | undefined> {
    const folder = path.replace(/\/+$/, "");
    const at = this.#mountOf(`${folder}/`);
    if (!at || at.subPath !== undefined) return undefined;
    const names = [...(await this.#files(at.volume)).keys()].filter((name) => name.startsWith(at.rest));
    return [...new Set(names.map((name) => name.slice(at.rest.length).split("/")[0] ?? ""))].sort();
  }

  /** The volume a path leads into, and what is left of the path there. */
  #mountOf(path: string): { volume: Volume; rest: string; subPath: string | undefined } | undefined {
    for (const { name, mountPath, subPath } of this.#container.volumeMounts ?? []) {
      const base = mountPath.replace(/\/+$/, "");
      const volume = this.#pod.spec?.volumes?.find((one) => one.name === name);
      if (!volume || (path !== base && !path.startsWith(`${base}/`))) continue;
      return { volume, rest: path.slice(base.length + 1), subPath: path === base ? subPath : undefined };
    }
    return undefined;
  }

  async #files({ configMap, secret, projected }: Volume): Promise<Files> {
    if (configMap?.name) return picked(await this.#data("ConfigMap", configMap.name), configMap.items);
    if (secret?.secretName) return picked(await this.#data("Secret", secret.secretName), secret.items);
    const files = new Map<string, Uint8Array>();
    for (const source of projected?.sources ?? []) {
      const found = source.configMap?.name
        ? picked(await this.#data("ConfigMap", source.configMap.name), source.configMap.items)
        : source.secret?.name
          ? picked(await this.#data("Secret", source.secret.name), source.secret.items)
          : this.#described(source.downwardAPI?.items ?? []);
      for (const [name, bytes] of found) files.set(name, bytes);
    }
    return files;
  }

  #described(
    items: readonly {
      readonly path: string;
      readonly fieldRef?: { readonly fieldPath: string } | undefined;
    }[],
  ): Files {
    return new Map(
      items.map(({ path, fieldRef }) => [path, Buffer.from(this.#field(fieldRef?.fieldPath ?? "") ?? "")]),
    );
  }

  async #value({ value, valueFrom }: EnvVar): Promise<string | undefined> {
    const { configMapKeyRef: map, secretKeyRef: secret, fieldRef } = valueFrom ?? {};
    if (fieldRef) return this.#field(fieldRef.fieldPath);
    const files = map?.name
      ? await this.#data("ConfigMap", map.name)
      : secret?.name
        ? await this.#data("Secret", secret.name)
        : undefined;
    if (!files) return value ?? "";
    const bytes = files.get(map?.key ?? secret?.key ?? "");
    return bytes && Buffer.from(bytes).toString();
  }

  #field(path: string): string | undefined {
    const { metadata, spec, status } = this.#pod;
    const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? [];
    if (map === "labels" || map === "annotations") return metadata?.[map]?.[key ?? ""];
    const fields: Readonly<Record<string, string | undefined>> = {
      "metadata.name": metadata?.name,
      "metadata.namespace": metadata?.namespace,
      "metadata.uid": metadata?.uid,
      "spec.nodeName": spec?.nodeName,
      "spec.serviceAccountName": spec?.serviceAccountName,
      "status.hostIP": status?.hostIP,
      "status.podIP": status?.podIP,
    };
    return Object.hasOwn(fields, path) ? fields[path] : undefined;
  }

  async #data(kind: "ConfigMap" | "Secret", name: string): Promise<Files> {
    const options = { namespace: this.#pod.metadata?.namespace };
    const files = new Map<string, Uint8Array>();
    try {
      if (kind === "Secret") {
        const { data = {} } = await this.#client.get(Secret, name, options);
        for (const [key, value] of Object.entries(data)) files.set(key, Buffer.from(value, "base64"));
      } else {
        const { data = {}, binaryData = {} } = await this.#client.get(ConfigMap, name, options);
        for (const [key, value] of Object.entries(data)) files.set(key, Buffer.from(value));
        for (const [key, value] of Object.entries(binaryData)) files.set(key, Buffer.from(value, "base64"));
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return files;
  }
}

/** The files under the names that a volume gives them. */
function picked(files: Files, items: readonly KeyToPath[] | undefined): Files {
  if (!items) return files;
  return new Map(
    items.flatMap(({ key, path }) => {
      const bytes = files.get(key);
      return bytes ? [[path, bytes] as const] : [];
    }),
  );
}

/** `$(NAME)` stands for a variable that came before. */
function expand(value: string, known: ReadonlyMap<string, string>): string {
  return value.replace(/\$\$|\$\(([A-Za-z_.-][A-Za-z0-9_.-]*)\)/g, (all, name?: string) =>
    name === undefined ? "$" : (known.get(name) ?? all),
  );
}
