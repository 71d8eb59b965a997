// The ways from the operator to the members: with which login and certificate each is reached, as it was started.
import type { Pod } from "@kubewright/api";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { type Hello, hello } from "../client/commands.js";
import type { AccessTarget, MongoAccess } from "../client/mongo-access.js";
import {
  type CertificateLogin,
  type Credentials,
  type Login,
  MongoFailure,
  type MongoMember,
} from "../client/mongo-member.js";
import { certificateBlocks } from "../client/pem.js";
import type { Context } from "./context.js";
import { hostOf, operatorUser, placeOf } from "./names.js";
import { configFileOf, type SetSecrets } from "./secrets.js";
import { modesIn } from "./security-modes.js";
import { clientTls, type TlsMaterial } from "./tls.js";

export interface Ways {
  /** A connection with this login; without one, from inside the pod. Undefined when the pod does not run. */
  reach(pod: string, login: Credentials | undefined): MongoMember | undefined;
  /** The certificate that a member shows. */
  served(pod: string): Promise<string | undefined>;
  /** The operator's own login. Members that do not take it yet are reached with the one they take. */
  readonly operator: Credentials;
  /** The login of a member: with the key file, or with a member's certificate where there is no key file. */
  readonly system: Login;
  /** A member's own answer, to the operator or to somebody from inside its pod. */
  greet(pod: string, login: Credentials | undefined): Promise<Hello | undefined>;
}

export interface WaysMeans {
  readonly access: MongoAccess;
  readonly secrets: SetSecrets;
  readonly pods: ReadonlyMap<string, Pod>;
  /** The uids of the claims that pods mount. */
  readonly volumes: ReadonlyMap<string, string | undefined>;
}

export function waysTo(
  mongodb: MongoDBCommunity,
  ctx: Context,
  { access, secrets, pods, volumes }: WaysMeans,
): Ways {
  const place = placeOf(mongodb);
  const cluster = `${place.namespace}/${place.name}`;
  const { tls, wantedTls, keyFile, password, operatorCertificate } = secrets;
  const authorities = [tls, wantedTls].flatMap((each) => (each ? [each.ca] : []));
  const byPassword: Login = { user: operatorUser, db: "admin", password, mechanism: "SCRAM-SHA-256" };
  const operator: Credentials = operatorCertificate ?? byPassword;
  const system: Login = { user: "__system", db: "local", password: keyFile, mechanism: "SCRAM-SHA-256" };
  /** Members that take another login of the operator than the one it wants. */
  const taken = new Map<string, Credentials>();
  const configOf = (pod: Pod) => secrets.files.get(configFileOf(pod) ?? "");
  const credentialsFor = (name: string, pod: Pod, login: Credentials | undefined) => {
    const { tls: mode, clusterAuth } = modesIn(configOf(pod));
    const isSecure = mode !== "disabled";
    const chosen = login === operator ? (taken.get(name) ?? (isSecure ? operator : byPassword)) : login;
    return chosen === system && clusterAuth === "x509" && tls ? memberLogin(tls) : chosen;
  };
  const targetOf = (name: string, login: Credentials | undefined): AccessTarget | undefined => {
    const pod = pods.get(name);
    if (!pod || !isRunning(pod)) return undefined;
    const config = configOf(pod);
    return {
      pod,
      cluster,
      host: hostOf(place, name),
      login: credentialsFor(name, pod, login),
      tls: clientTls(modesIn(config).tls, authorities),
      forward: (to, port) => ctx.connect(to, port),
      started: { volume: volumes.get(name), config, keyFile, tls },
    };
  };
  const reach = (name: string, login: Credentials | undefined): MongoMember | undefined => {
    const target = targetOf(name, login);
    return target && access.member(target);
  };
  const served = async (name: string): Promise<string | undefined> => {
    const target = targetOf(name, operator);
    return target?.tls && access.served(target);
  };
  const fromInside = async (name: string): Promise<Hello | undefined> => {
    const answer = await greeting(reach(name, undefined));
    return answer === "login" ? undefined : answer;
  };
  /** In the order in which they are tried. */
  const loginsFor = (name: string): readonly Credentials[] => {
    const pod = pods.get(name);
    const { tls: mode, isX509Only } = modesIn(pod && configOf(pod));
    return [
      // Without TLS there is nothing to show a certificate on.
      ...(operatorCertificate && mode !== "disabled" ? [operatorCertificate] : []),
      byPassword,
      // A member that takes no passwords yet, or any more, while the operator has no certificate: it comes as a member.
      ...(isX509Only ? [system] : []),
    ];
  };
  const greet = async (name: string, login: Credentials | undefined): Promise<Hello | undefined> => {
    if (login !== operator) return fromInside(name);
    for (const each of loginsFor(name)) {
      taken.set(name, each);
      const answer = await greeting(reach(name, operator));
      if (answer !== "login") return answer;
    }
    taken.delete(name);
    return fromInside(name);
  };
  return { reach, served, operator, system, greet };
}

/** The login with a member's certificate: a client that has its key is a member. */
const memberLogin = ({ certificateKey }: TlsMaterial): CertificateLogin => ({
  mechanism: "MONGODB-X509",
  user: "",
  db: "$external",
  certificate: certificateBlocks(certificateKey).join("\n"),
  key: certificateKey,
});

const isRunning = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  status?.podIP !== undefined &&
  (status.containerStatuses ?? []).some(
    ({ name, state }) => name === "mongod" && state?.running !== undefined,
  );

/** A member's own answer, or that it does not know who asks. */
async function greeting(member: MongoMember | undefined): Promise<Hello | "login" | undefined> {
  try {
    return member && (await hello(member));
  } catch (error) {
    if (!(error instanceof MongoFailure)) throw error;
    return error.kind === "login" ? "login" : undefined;
  }
}
