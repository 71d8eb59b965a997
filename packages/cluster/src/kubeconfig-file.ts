// The kubeconfig with which kubectl finds a cluster, for as long as the cluster runs. A file of somebody else's is never replaced or
// deleted, and neither is that of another cluster that still answers.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";

/** The kubeconfig cannot be written where it should be; the message says why and what to do. */
export class KubeconfigFileError extends Error {
  override readonly name = "KubeconfigFileError";
}

/** Options of writing a kubeconfig file. */
export interface KubeconfigFileOptions {
  /** Whether `FILE-2`, `FILE-3` and so on are taken when the file is in use. Default: false, which is an error. */
  readonly orAnother?: boolean | undefined;
}

const marker = "# Written by Kubewright for a cluster that it runs, and deleted when that cluster stops.\n";
const alternatives = 100;

/** The kubeconfig of one running cluster. */
export class KubeconfigFile {
  readonly #candidates: readonly string[];
  #path: string;
  #stale: string | undefined;
  #written: string | undefined;
  readonly #removeAtExit = (): void => this.remove();

  private constructor(path: string, candidates: readonly string[], stale: string | undefined) {
    this.#path = path;
    this.#candidates = candidates;
    this.#stale = stale;
  }

  /** Where the file is. It is certain once the file was written. */
  get path(): string {
    return this.#path;
  }

  /** Finds out where the file can be, and that it can be written, before a cluster is started for it. */
  static async reserve(
    path: string,
    { orAnother = false }: KubeconfigFileOptions = {},
  ): Promise<KubeconfigFile> {
    const others = Array.from({ length: alternatives }, (_, index) => `${path}-${index + 2}`);
    const candidates = orAnother ? [path, ...others] : [path];
    for (const [index, candidate] of candidates.entries()) {
      const content = read(candidate);
      const problem = content === undefined ? undefined : await refusal(candidate, content);
      if (problem === undefined) {
        probeWritable(candidate);
        return new KubeconfigFile(candidate, candidates.slice(index + 1), content);
      }
      if (!orAnother) throw new KubeconfigFileError(problem);
    }
    throw new KubeconfigFileError(`${path} and ${alternatives} others like it are in use`);
  }

  /**
   * Writes the file, readable by its owner only; the first time never over one that came meanwhile. It does not outlive this
   * process, unless that is killed.
   */
  write(kubeconfig: string): void {
    const content = marker + kubeconfig;
    if (this.#written === undefined) {
      this.#create(content);
      process.once("exit", this.#removeAtExit);
    } else if (read(this.#path) === this.#written) replace(this.#path, content);
    else return; // Somebody else's by now.
    this.#written = content;
  }

  /** Deletes the file, if it is still the one that was written. */
  remove(): void {
    process.removeListener("exit", this.#removeAtExit);
    if (this.#written !== undefined && read(this.#path) === this.#written)
      rmSync(this.#path, { force: true });
  }

  #create(content: string): void {
    for (const path of [this.#path, ...this.#candidates]) {
      this.#path = path;
      if (this.#stale !== undefined && read(path) === this.#stale) {
        replace(path, content);
        return;
      }
      this.#stale = undefined;
      if (createNew(path, content)) return;
    }
    throw new KubeconfigFileError(`${this.#path} was written by another process meanwhile`);
  }
}

/** Why a file that exists cannot be replaced; undefined for that of an earlier cluster that no longer answers. */
async function refusal(path: string, content: string): Promise<string | undefined> {
  if (!content.startsWith(marker))
    return `${path} exists and is not the kubeconfig of an embedded cluster; choose another file (kubectl reads several: KUBECONFIG=a:b)`;
  const server = /^\s*server: "?([^\s"]+)"?$/m.exec(content)?.[1];
  if (server === undefined || !URL.canParse(server) || !(await answers(server))) return undefined;
  return `${path} is in use by the cluster at ${server}; stop that one, or choose another file`;
}

function answers(server: string): Promise<boolean> {
  const { hostname, port } = new URL(server);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: 1000 });
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(true)); // Busy, but there.
    socket.once("error", () => end(false));
  });
}

/** Throws where a file cannot be made, as writing it later would. */
function probeWritable(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const probe = temporary(path);
    writeFileSync(probe, "", { mode: 0o600 });
    rmSync(probe);
  } catch (error) {
    throw new KubeconfigFileError(`the kubeconfig cannot be written: ${messageOf(error)}`);
  }
}

/** False where there is a file already. */
function createNew(path: string, content: string): boolean {
  const file = temporary(path);
  try {
    writeFileSync(file, content, { mode: 0o600 });
    linkSync(file, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw new KubeconfigFileError(`the kubeconfig cannot be written: ${messageOf(error)}`);
  } finally {
    rmSync(file, { force: true });
  }
}

/** In one step, so that kubectl reads the one before or the new one. A symbolic link is replaced, not followed. */
function replace(path: string, content: string): void {
  const file = temporary(path);
  writeFileSync(file, content, { mode: 0o600 });
  renameSync(file, path);
}

const temporary = (path: string): string => `${path}.${process.pid}.tmp`;

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new KubeconfigFileError(`the kubeconfig cannot be read: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
