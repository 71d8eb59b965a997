// How members are started as to TLS, to each other and to users. A running replica set changes these in steps between which every member
// understands every other, and users can log in: TLS first, then how members know each other, then which logins are left.
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";

export const tlsModes = ["disabled", "allowTLS", "preferTLS", "requireTLS"] as const;
export type TlsMode = (typeof tlsModes)[number];

/** How members show each other that they are members: what they send, and what they accept. */
export const clusterAuthModes = ["keyFile", "sendKeyFile", "sendX509", "x509"] as const;
export type ClusterAuthMode = (typeof clusterAuthModes)[number];

export interface SecurityModes {
  readonly tls: TlsMode;
  readonly clusterAuth: ClusterAuthMode;
  /** Users log in with certificates, and in no other way. */
  readonly isX509Only: boolean;
}

/** The modes that are wanted in the end, where TLS can be had. */
export function finalModes({ spec }: MongoDBCommunity): SecurityModes {
  const { tls, authentication } = spec.security;
  if (!tls?.enabled) return { tls: "disabled", clusterAuth: "keyFile", isX509Only: false };
  const modes = authentication?.modes ?? [];
  return {
    tls: tls.optional ? "preferTLS" : "requireTLS",
    clusterAuth: authentication?.internalCluster === "X509" ? "x509" : "keyFile",
    isX509Only: modes.length > 0 && modes.every((mode) => mode === "X509"),
  };
}

/** One step from those there are towards the final one, so that no two members ever differ by more than one step. */
export function nextOf<T>(order: readonly T[], final: T, present: readonly T[]): T {
  if (present.length === 0) return final;
  const indexes = present.map((mode) => order.indexOf(mode));
  const [lowest, highest, aim] = [Math.min(...indexes), Math.max(...indexes), order.indexOf(final)];
  const next = aim >= highest ? Math.min(aim, lowest + 1) : Math.max(aim, highest - 1);
  return order[next] ?? final;
}

const isAtLeast = (mode: TlsMode, least: TlsMode): boolean =>
  tlsModes.indexOf(mode) >= tlsModes.indexOf(least);

/** The modes that members are started with next, given those of the members there are. */
export function nextModes(final: SecurityModes, present: readonly SecurityModes[]): SecurityModes {
  if (present.length === 0) return final;
  const aims = (least: TlsMode) => isAtLeast(final.tls, least);
  // Certificates between members need TLS in both directions: they are given up before it is.
  const needsTls = present.some(({ clusterAuth }) => clusterAuth !== "keyFile") && !aims("preferTLS");
  const needsLogins = present.some(({ isX509Only }) => isX509Only) && final.tls === "disabled";
  const modes = present.map(({ tls: mode }) => mode);
  const highest = tlsModes.findLast((mode) => modes.includes(mode)) ?? final.tls;
  const tls = nextOf(tlsModes, needsTls || needsLogins ? highest : final.tls, modes);
  const isPrepared = present.every((each) => isAtLeast(each.tls, "preferTLS")) && isAtLeast(tls, "preferTLS");
  const clusterAuth = nextOf(
    clusterAuthModes,
    isPrepared ? final.clusterAuth : "keyFile",
    present.map((each) => each.clusterAuth),
  );
  const isThere = present.every((each) => each.tls === final.tls);
  return { tls, clusterAuth, isX509Only: final.isX509Only && isThere };
}

const x509Mechanism = "MONGODB-X509";

/** The options of mongod that say so. */
export const modeOptions = ({
  clusterAuth,
  isX509Only,
}: SecurityModes): readonly (readonly [string, unknown])[] => [
  ...(clusterAuth === "keyFile" ? [] : [["security.clusterAuthMode", clusterAuth] as const]),
  ...(isX509Only ? [["setParameter.authenticationMechanisms", x509Mechanism] as const] : []),
];

/** The modes in a configuration file, which the operator wrote. */
export function modesIn(config: string | undefined): SecurityModes {
  if (config === undefined) return { tls: "disabled", clusterAuth: "keyFile", isX509Only: false };
  const { net, security, setParameter } = JSON.parse(config) as {
    readonly net?: { readonly tls?: { readonly mode?: string } };
    readonly security?: { readonly clusterAuthMode?: string };
    readonly setParameter?: { readonly authenticationMechanisms?: string };
  };
  return {
    tls: tlsModes.find((mode) => mode === net?.tls?.mode) ?? "disabled",
    clusterAuth: clusterAuthModes.find((mode) => mode === security?.clusterAuthMode) ?? "keyFile",
    isX509Only: setParameter?.authenticationMechanisms === x509Mechanism,
  };
}
