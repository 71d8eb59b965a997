// The configuration file of mongod: what the operator sets, and the options of the spec beside it. It is written as JSON, which is YAML.
import { isObject } from "@kubewright/api";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { hashOf } from "./hash.js";
import { placeOf, port } from "./names.js";
import { modeOptions, type SecurityModes, type TlsMode } from "./security-modes.js";
import { authorityFile, certificateFile } from "./tls.js";

export const paths = {
  data: "/data",
  config: "/etc/mongod",
  keyFileSecret: "/etc/mongod-keyfile",
  /** mongod takes no key file that others could read, and Secrets are readable by their group. */
  keyFile: "/tmp/keyfile",
  tls: "/etc/mongod-tls",
} as const;

/** Options that the operator sets itself, and everything below them. */
const managed = [
  "net.port",
  "net.bindIp",
  "net.bindIpAll",
  "net.tls",
  "net.ssl",
  "replication.replSetName",
  "replication.replSet",
  "security.keyFile",
  "security.authorization",
  "security.clusterAuthMode",
  "setParameter.authenticationMechanisms",
  "storage.dbPath",
  "processManagement",
  "sharding",
] as const;

type Options = Readonly<Record<string, unknown>>;

const isManaged = (path: string): boolean =>
  managed.some((name) => path === name || path.startsWith(`${name}.`));

/** Every option by its whole path, whether it was nested or written with dots. */
function flattened(options: Options, prefix = ""): readonly (readonly [string, unknown])[] {
  return Object.entries(options).flatMap(([name, value]) =>
    isObject(value) && Object.keys(value).length > 0
      ? flattened(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value] as const],
  );
}

/** The options of a spec that are not taken. */
export const refusedOptions = (options: Options): readonly string[] =>
  flattened(options)
    .map(([path]) => path)
    .filter(isManaged);

function nested(entries: readonly (readonly [string, unknown])[]): Options {
  const root: Record<string, unknown> = {};
  for (const [path, value] of entries) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    let place = root;
    for (const name of names) {
      const next = place[name];
      const inner: Record<string, unknown> = isObject(next) ? { ...next } : {};
      place[name] = inner;
      place = inner;
    }
    place[last] = value;
  }
  return root;
}

export interface MongodConfig {
  /** Named after its content, so that a pod keeps the file it was started with. */
  readonly file: string;
  readonly text: string;
}

export function mongodConfig(mongodb: MongoDBCommunity, modes: SecurityModes): MongodConfig {
  const { additionalMongodConfig = {} } = mongodb.spec;
  const given = flattened(additionalMongodConfig).filter(([path]) => !isManaged(path));
  const own: readonly (readonly [string, unknown])[] = [
    ["net.port", port],
    ["net.bindIpAll", true],
    ["replication.replSetName", placeOf(mongodb).name],
    // Members that know each other by certificates alone have none.
    ...(modes.clusterAuth === "x509" ? [] : [["security.keyFile", paths.keyFile] as const]),
    ["security.authorization", "enabled"],
    ["storage.dbPath", paths.data],
    ...(modes.tls === "disabled" ? [] : tlsOptions(modes.tls)),
    ...modeOptions(modes),
  ];
  const text = JSON.stringify(nested([...given, ...own]));
  return { file: `mongod-${hashOf(text).slice(0, 10)}.conf`, text };
}

const tlsOptions = (mode: TlsMode): readonly (readonly [string, unknown])[] => [
  ["net.tls.mode", mode],
  ["net.tls.certificateKeyFile", `${paths.tls}/${certificateFile}`],
  ["net.tls.CAFile", `${paths.tls}/${authorityFile}`],
  // Users may log in with passwords, and drivers look around before they log in: a certificate of their own is not asked for.
  ["net.tls.allowConnectionsWithoutCertificates", true],
];
