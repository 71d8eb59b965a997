// The files of a simulated container: its own, which are gone with its run, and the files of mounted volumes, shared with all
// containers that mount them.

export type Bytes = Uint8Array;

/** The files of one volume, by path within it. */
export class VolumeFiles {
  readonly #files = new Map<string, Bytes>();
  /** Those that were made; others follow from the files in them. */
  readonly #folders = new Set<string>();
  readonly #listeners = new Set<() => void>();

  constructor(files: Iterable<readonly [string, Bytes]> = []) {
    for (const [path, bytes] of files) this.#files.set(path, bytes);
  }

  get(path: string): Bytes | undefined {
    return this.#files.get(path);
  }

  /** Of files and folders. */
  paths(): readonly string[] {
    return [...this.#files.keys(), ...this.#folders];
  }

  makeFolder(path: string): void {
    if (path === "" || this.#folders.has(path)) return;
    this.#folders.add(path);
    this.#changed();
  }

  hasFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  set(path: string, bytes: Bytes): void {
    this.#files.set(path, bytes);
    this.#changed();
  }

  delete(path: string): boolean {
    const wasThere = this.#files.delete(path) || this.#folders.delete(path);
    if (wasThere) this.#changed();
    return wasThere;
  }

  /** Calls back after every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Where a volume is seen. */
export interface Mount {
  readonly path: string;
  readonly volume: VolumeFiles;
  /** Only this part of the volume is seen. */
  readonly subPath: string | undefined;
  readonly readOnly: boolean;
}

/** The size limit of a file in a simulated container. */
const largest = 1024 * 1024;
const usualFolders = new Set([
  "/",
  "/tmp",
  "/var",
  "/etc",
  "/dev",
  "/bin",
  "/usr",
  "/home",
  "/root",
  "/opt",
  "/run",
]);

export class FileTree {
  readonly #own: VolumeFiles;
  readonly #mounts: readonly Mount[];
  readonly #isReadOnly: boolean;

  constructor(mounts: readonly Mount[] = [], own = new VolumeFiles(), { readOnly = false } = {}) {
    this.#own = own;
    this.#isReadOnly = readOnly;
    // The longest path first: volumes are mounted within others.
    this.#mounts = mounts.toSorted((a, b) => b.path.length - a.path.length);
    for (const { volume, subPath, readOnly } of mounts) {
      const part = normal(subPath ?? "").slice(1);
      if (!readOnly && volume.get(part) === undefined) volume.makeFolder(part);
    }
  }

  read(path: string): Bytes | undefined {
    const { volume, key } = this.#placeOf(path);
    return volume.get(key);
  }

  /** False where nothing can be written. */
  write(path: string, bytes: Bytes, { append }: { readonly append: boolean }): boolean {
    if (path === "/dev/null") return true;
    const { volume, key, readOnly } = this.#placeOf(path);
    if (readOnly) return false;
    const before = append ? volume.get(key) : undefined;
    if (append && before && bytes.length === 0) return true;
    const after = before ? Buffer.concat([before, bytes]) : bytes;
    volume.set(key, after.length > largest ? after.subarray(0, largest) : after);
    return true;
  }

  /** Takes a file, or a folder with all there is in it; false when there is none. */
  remove(path: string): boolean {
    const { volume, key, readOnly } = this.#placeOf(path);
    if (readOnly) return false;
    const within = volume.paths().filter((each) => each === key || each.startsWith(`${key}/`));
    for (const each of within) volume.delete(each);
    // The folder it was in stays.
    if (within.length > 0 && key.includes("/")) volume.makeFolder(key.slice(0, key.lastIndexOf("/")));
    return within.length > 0;
  }

  makeFolder(path: string): void {
    const { volume, key, readOnly } = this.#placeOf(path);
    if (!readOnly) volume.makeFolder(key);
  }

  isFolder(path: string): boolean {
    return this.list(path) !== undefined;
  }

  /** The names in a folder; undefined when there is no such folder. */
  list(path: string): readonly string[] | undefined {
    const folder = normal(path);
    const { volume, key } = this.#placeOf(folder === "/" ? "/" : `${folder}/`);
    const names = volume
      .paths()
      .filter((each) => each.startsWith(key))
      .map((each) => each.slice(key.length));
    const isMounted = this.#mounts.some((mount) => mount.path === folder && volume === mount.volume);
    const isThere = isMounted || usualFolders.has(folder) || volume.hasFolder(key.replace(/\/$/, ""));
    if (names.length === 0 && !isThere) return undefined;
    return [...new Set(names.map((name) => name.split("/")[0] ?? ""))].filter((name) => name !== "").sort();
  }

  /** Calls back when a file may have changed. */
  onChange(listener: () => void): () => void {
    const volumes = new Set([this.#own, ...this.#mounts.map(({ volume }) => volume)]);
    const stops = [...volumes].map((volume) => volume.onChange(listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  #placeOf(path: string): { volume: VolumeFiles; key: string; readOnly: boolean } {
    const full = path.endsWith("/") && path !== "/" ? `${normal(path)}/` : normal(path);
    for (const { path: at, volume, subPath, readOnly } of this.#mounts) {
      if (full !== at && !full.startsWith(`${at}/`)) continue;
      const rest = full.slice(at.length + 1);
      const key = [subPath, rest].filter((part) => part !== undefined && part !== "").join("/");
      return { volume, key: full.endsWith("/") && rest === "" && key !== "" ? `${key}/` : key, readOnly };
    }
    return { volume: this.#own, key: full.slice(1), readOnly: this.#isReadOnly };
  }
}

/** Without `.`, `..` and doubled slashes; relative paths begin at the root. */
function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
