// The model as a program in place of mongod: `mongod --config FILE`, for pods of process nodes and for tests. It is a model: it prints
// so, and buildInfo says so.
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { systemClock } from "@kubewright/api";
import { sentBy } from "./cluster-auth.js";
import { FileDisk } from "./disk.js";
import { ModelledMongod } from "./modelled-mongod.js";
import { readSettings } from "./mongod-settings.js";
import { PeerNetwork } from "./peer-network.js";
import type { TlsFiles } from "./tls-identity.js";
import { WireServer } from "./wire-server.js";

export interface ProgramOptions {
  readonly arguments: readonly string[];
  /** `MODEL_VERSION`, `MODEL_HOST`, `MODEL_SPEED`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
}

/** Starts; resolves with what ends it. Rejects with the reason why mongod would refuse to start. */
export async function startProgram({
  arguments: args,
  environment,
  print,
}: ProgramOptions): Promise<() => Promise<void>> {
  const file = args[args.indexOf("--config") + 1];
  if (!args.includes("--config") || file === undefined)
    throw new Error("the model of mongod needs --config FILE");
  const settings = readSettings(readFileSync(file, "utf8"));
  const keyFile = settings.keyFile && readFileSync(settings.keyFile, "utf8").trim();
  const speed = Number(environment["MODEL_SPEED"] ?? 1);
  const version = environment["MODEL_VERSION"] ?? "4.2.6";
  const host =
    environment["MODEL_HOST"] ?? `${ownName(environment["HOSTNAME"] ?? hostname())}:${settings.port}`;
  const isSecure = settings.tlsMode === "preferTLS" || settings.tlsMode === "requireTLS";
  const tlsFiles = settings.certificateKeyFile === undefined ? undefined : () => filesOf(settings);
  const network = new PeerNetwork({
    keyFile,
    proof: sentBy(settings.clusterAuth),
    tls: isSecure ? tlsFiles : undefined,
    timeout: Math.max(300, 2_000 / speed),
  });
  const mongod = new ModelledMongod({
    host,
    setName: settings.setName,
    version,
    keyFile,
    tlsMode: settings.tlsMode,
    tlsFiles,
    clusterAuth: settings.clusterAuth,
    mechanisms: settings.mechanisms,
    clock: systemClock,
    random: Math.random,
    disk: new FileDisk(settings.dbPath),
    speed,
    call: (to, message) => network.call(to, message),
  });
  if (mongod.refusal !== undefined) throw new Error(mongod.refusal);
  const server = new WireServer(mongod, { port: settings.port, host: "0.0.0.0" });
  const readCertificates = mongod.onRotate;
  mongod.onRotate = () => {
    readCertificates?.();
    void network.reconnect();
  };
  await server.listen();
  mongod.start();
  print(`a model of mongod ${version} listens on port ${settings.port} as ${host}`);
  return async () => {
    mongod.stop();
    await Promise.all([server.close(), network.close()]);
  };
}

/** The whole name of this pod, which the kubelet writes to /etc/hosts. */
function ownName(short: string): string {
  const names = readFileSync("/etc/hosts", "utf8").split(/\s+/);
  return names.find((name) => name.startsWith(`${short}.`)) ?? short;
}

const filesOf = ({ certificateKeyFile = "", caFile = "" }: ReturnType<typeof readSettings>): TlsFiles => ({
  certificateKey: readFileSync(certificateKeyFile, "utf8"),
  ca: readFileSync(caFile, "utf8"),
});
