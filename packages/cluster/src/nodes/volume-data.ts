// The files of volumes that are filled from the API: ConfigMaps, Secrets, projections, the downward API.
import type { KeyToPath, Pod, Volume, VolumeProjection } from "@kubewright/api";
import { fieldValue, objectData, resourceValue, type ValueSource } from "./container-environment.js";

export interface VolumeFile {
  readonly bytes: Uint8Array;
  /** Permission bits. Default: the volume's. */
  readonly mode: number | undefined;
}

export type VolumeData = ReadonlyMap<string, VolumeFile>;

/** The token request of a volume. */
export interface TokenRequestOptions {
  readonly audience: string | undefined;
  readonly expirationSeconds: number | undefined;
}

export interface VolumeSource extends ValueSource {
  /** Gets a token of the pod's service account. Default: there are none. */
  readonly token?: ((options: TokenRequestOptions) => Promise<string>) | undefined;
}

/** The files of a volume, by path; undefined when it is not filled from the API. */
export async function volumeData(
  volume: Volume,
  pod: Pod,
  source: VolumeSource,
): Promise<VolumeData | undefined> {
  const { configMap, secret, projected, downwardAPI } = volume;
  const reader = new VolumeReader(pod, source);
  if (configMap) return reader.object("ConfigMap", configMap.name, configMap.items);
  if (secret) return reader.object("Secret", secret.secretName, secret.items);
  if (downwardAPI) return reader.described(downwardAPI.items);
  if (!projected) return undefined;
  const files = new Map<string, VolumeFile>();
  for (const each of projected.sources ?? [])
    for (const [path, file] of await reader.projected(each)) files.set(path, file);
  return files;
}

/** The default file mode of a volume. */
export function defaultModeOf({ configMap, secret, projected, downwardAPI }: Volume): number {
  const said = configMap?.defaultMode ?? secret?.defaultMode ?? projected?.defaultMode;
  return said ?? downwardAPI?.defaultMode ?? 0o644;
}

class VolumeReader {
  readonly #pod: Pod;
  readonly #source: VolumeSource;

  constructor(pod: Pod, source: VolumeSource) {
    this.#pod = pod;
    this.#source = source;
  }

  async projected({
    configMap,
    secret,
    downwardAPI,
    serviceAccountToken,
  }: VolumeProjection): Promise<VolumeData> {
    if (configMap) return this.object("ConfigMap", configMap.name, configMap.items);
    if (secret) return this.object("Secret", secret.name, secret.items);
    if (downwardAPI) return this.described(downwardAPI.items);
    if (!serviceAccountToken || !this.#source.token) return new Map();
    const { audience, expirationSeconds, path } = serviceAccountToken;
    const token = await this.#source.token({ audience, expirationSeconds });
    return new Map([[path, { bytes: Buffer.from(token), mode: undefined }]]);
  }

  async object(
    kind: "ConfigMap" | "Secret",
    name: string | undefined,
    items: readonly KeyToPath[] | undefined,
  ): Promise<VolumeData> {
    const namespace = this.#pod.metadata?.namespace ?? "";
    const data = (await objectData(this.#source.client, kind, name ?? "", namespace)) ?? new Map();
    if (!items || items.length === 0)
      return new Map([...data].map(([path, bytes]) => [path, { bytes, mode: undefined }]));
    return new Map(
      items.flatMap(({ key, path, mode }) => {
        const bytes = data.get(key);
        return bytes ? [[path, { bytes, mode }] as const] : [];
      }),
    );
  }

  described(items: NonNullable<NonNullable<Volume["downwardAPI"]>["items"]> | undefined = []): VolumeData {
    return new Map(
      items.map(({ path, fieldRef, resourceFieldRef, mode }) => {
        const text = resourceFieldRef
          ? resourceValue(this.#pod, resourceFieldRef)
          : (fieldValue(this.#pod, fieldRef?.fieldPath ?? "", this.#source) ?? "");
        return [path, { bytes: Buffer.from(text), mode }];
      }),
    );
  }
}
