// Members that can be started and stopped one by one: models of mongod that listen on ports of this process, or real mongod where it is on
// the PATH, or in the folders of MONGOD_DIR, one for each version.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { DriverMember } from "../../operators/mongodb/src/client/driver-member.js";
import type { ClientTls, Credentials, MongoMember } from "../../operators/mongodb/src/client/mongo-member.js";
import { startProgram } from "../../operators/mongodb/src/model/program.js";
import { compareVersions } from "../../operators/mongodb/src/release/series.js";
import { freePort } from "../free-port.js";
import { tryUntil } from "../try-until.js";

export const setName = "rs";
export const keyFile = "c2VjcmV0LW9mLWFsbC1tZW1iZXJzLW9mLXRoZS1zZXQ=";

export interface StartOptions {
  readonly version?: string | undefined;
  readonly tls?: TlsStart | undefined;
  /** How members know each other. Default: by the key file. */
  readonly clusterAuthMode?: "keyFile" | "sendKeyFile" | "sendX509" | "x509" | undefined;
  /** The mechanisms that users may log in by, with commas between. Default: mongod's. */
  readonly mechanisms?: string | undefined;
}

export interface TlsStart {
  readonly mode: string;
  readonly certificateKeyFile: string;
  readonly caFile: string;
}

export interface Members {
  host(name: string): Promise<string>;
  start(name: string, options?: StartOptions): Promise<void>;
  /** Ends its process as SIGKILL does; its data stays. */
  stop(name: string): Promise<void>;
  wipe(name: string): void;
  as(name: string, login?: Credentials, tls?: ClientTls): Promise<MongoMember>;
  close(): Promise<void>;
}

interface Running {
  end(): Promise<void>;
}

/** What models and real members have in common: ports, folders, configuration files, connections of the driver. */
abstract class LocalMembers implements Members {
  protected readonly folder = mkdtempSync(join(tmpdir(), "kubewright-mongodb-"));
  readonly #ports = new Map<string, number>();
  readonly #running = new Map<string, Running>();
  readonly #clients: DriverMember[] = [];

  protected abstract launch(file: string, host: string, version: string | undefined): Promise<Running>;

  async host(name: string): Promise<string> {
    const known = this.#ports.get(name) ?? (await freePort());
    this.#ports.set(name, known);
    return `127.0.0.1:${known}`;
  }

  async start(name: string, { version, tls, clusterAuthMode, mechanisms }: StartOptions = {}): Promise<void> {
    const host = await this.host(name);
    const dbPath = join(this.folder, name);
    mkdirSync(dbPath, { recursive: true });
    const key = join(this.folder, "keyfile");
    writeFileSync(key, keyFile, { mode: 0o600 });
    const { mode, certificateKeyFile, caFile } = tls ?? {};
    const config = {
      net: {
        port: this.#ports.get(name),
        bindIpAll: true,
        ...(tls
          ? { tls: { mode, certificateKeyFile, CAFile: caFile, allowConnectionsWithoutCertificates: true } }
          : {}),
      },
      storage: { dbPath },
      replication: { replSetName: setName },
      ...(mechanisms ? { setParameter: { authenticationMechanisms: mechanisms } } : {}),
      security: {
        authorization: "enabled",
        ...(clusterAuthMode === "x509" ? {} : { keyFile: key }),
        ...(clusterAuthMode ? { clusterAuthMode } : {}),
      },
    };
    const file = join(this.folder, `${name}.conf`);
    writeFileSync(file, JSON.stringify(config));
    this.#running.set(name, await this.launch(file, host, version));
    await eventually(() => listening(host));
  }

  async stop(name: string): Promise<void> {
    await this.#running.get(name)?.end();
    this.#running.delete(name);
  }

  wipe(name: string): void {
    rmSync(join(this.folder, name), { recursive: true, force: true });
  }

  async as(name: string, login?: Credentials, tls?: ClientTls): Promise<MongoMember> {
    const host = await this.host(name);
    const client = new DriverMember({
      what: name,
      address: async () => host,
      login,
      tls: tls && { ...tls, serverName: "localhost" },
      timeouts: { connect: 800, command: 15_000 },
    });
    this.#clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all([...this.#running.values()].map((running) => running.end()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Models, four times faster than the members they stand for. */
export class ModelMembers extends LocalMembers {
  protected async launch(file: string, host: string, version = "7.0.14"): Promise<Running> {
    const environment = { MODEL_VERSION: version, MODEL_HOST: host, MODEL_SPEED: "4" };
    const end = await startProgram({ arguments: ["--config", file], environment, print: () => undefined });
    return { end };
  }
}

export class RealMembers extends LocalMembers {
  readonly #program: string;

  constructor(program: string) {
    super();
    this.#program = program;
  }

  protected async launch(file: string): Promise<Running> {
    const child = spawn(this.#program, ["--config", file], { stdio: "ignore" });
    // None outlives the tests, however they end.
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.off("exit", kill));
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    return {
      end: () => {
        kill();
        return ended;
      },
    };
  }
}

/** Resolves when something listens there. */
function listening(host: string): Promise<void> {
  const [address, port] = host.split(":");
  const socket = connect({ host: address ?? "", port: Number(port) });
  return once(socket, "connect").then(
    () => void socket.destroy(),
    (error) => {
      socket.destroy();
      throw error;
    },
  );
}

/** Real mongod by version, the oldest first: those in the folders of MONGOD_DIR, and the one on the PATH. */
export function realPrograms(env: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, string> {
  const folder = env["MONGOD_DIR"];
  const inFolder = folder ? readdirSync(folder).map((each) => join(folder, each)) : [];
  const onPath = (env["PATH"] ?? "").split(delimiter);
  const files = [...inFolder, ...onPath].map((each) => join(each, "mongod")).filter(isProgram);
  const found = files.map((file) => [versionOf(file), file] as const);
  return new Map(found.toSorted(([one], [other]) => compareVersions(one, other)));
}

function versionOf(program: string): string {
  const said = execFileSync(program, ["--version"], { encoding: "utf8" });
  const version = /^db version v(\S+)/m.exec(said)?.[1];
  if (version === undefined) throw new Error(`${program} --version does not say its version: ${said}`);
  return version;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Tries until it works: members elect, and copy data. */
export const eventually = <T>(work: () => Promise<T>, timeout = 20_000): Promise<T> =>
  tryUntil(work, timeout);
