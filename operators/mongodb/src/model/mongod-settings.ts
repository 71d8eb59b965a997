// The configuration file of mongod, as far as the model follows it. The operator writes it as JSON, which is YAML, too.
import { isObject } from "@kubewright/api";
import type { ClusterAuthMode, TlsMode } from "./command.js";

export interface MongodSettings {
  readonly setName: string;
  readonly port: number;
  readonly dbPath: string;
  readonly keyFile: string | undefined;
  readonly tlsMode: TlsMode;
  readonly clusterAuth: ClusterAuthMode;
  /** Undefined: all. */
  readonly mechanisms: readonly string[] | undefined;
  readonly certificateKeyFile: string | undefined;
  readonly caFile: string | undefined;
}

export function readSettings(text: string): MongodSettings {
  const settings: unknown = JSON.parse(text);
  const at = (path: string): unknown =>
    path.split(".").reduce((value: unknown, name) => (isObject(value) ? value[name] : undefined), settings);
  const string = (path: string): string | undefined => {
    const value = at(path);
    return typeof value === "string" ? value : undefined;
  };
  const mode = string("net.tls.mode");
  const clusterAuth = string("security.clusterAuthMode");
  return {
    setName: string("replication.replSetName") ?? "",
    port: Number(at("net.port") ?? 27_017),
    dbPath: string("storage.dbPath") ?? "/data/db",
    keyFile: string("security.keyFile"),
    tlsMode: mode === "allowTLS" || mode === "preferTLS" || mode === "requireTLS" ? mode : "disabled",
    clusterAuth:
      clusterAuth === "sendKeyFile" || clusterAuth === "sendX509" || clusterAuth === "x509"
        ? clusterAuth
        : "keyFile",
    mechanisms: string("setParameter.authenticationMechanisms")?.split(","),
    certificateKeyFile: string("net.tls.certificateKeyFile"),
    caFile: string("net.tls.CAFile"),
  };
}
