// How the agents of backups and restores, and the exporter, log in: with passwords, and with certificates where members take nothing else.
// A certificate of its own gives each of them fewer rights than the operator has.
import {
  defaultBackupSecret,
  defaultExporterSecret,
  type MongoDBCommunity,
} from "../api/v1/mongo-db-community.js";
import type { AgentLogin } from "../client/login-files.js";
import { together } from "../client/pem.js";
import {
  type ClientCertificate,
  type Holder,
  readClientCertificate,
  refused,
  type SecretReader,
  type Trust,
} from "./client-certificate.js";
import { operatorSecret, operatorUser, placeOf } from "./names.js";
import type { WantedUser } from "./observed.js";
import { agentSecret, readOperatorCertificate } from "./operator-certificate.js";
import type { SetSecrets } from "./secrets.js";
import { finalModes } from "./security-modes.js";
import { mountedMaterial, type TlsProblem } from "./tls.js";

export interface AgentCertificates {
  readonly backup: ClientCertificate;
  readonly exporter: ClientCertificate;
}

const otherwise = "add SCRAM to the modes";

const backupHolder = ({ security }: MongoDBCommunity["spec"]): Holder => ({
  who: "backups",
  secret: security.authentication?.backupCertificateSecretRef?.name ?? defaultBackupSecret,
  field: "backupCertificateSecretRef",
  otherwise,
});

const exporterHolder = ({ security }: MongoDBCommunity["spec"]): Holder => ({
  who: "the exporter",
  secret: security.authentication?.exporterCertificateSecretRef?.name ?? defaultExporterSecret,
  field: "exporterCertificateSecretRef",
  otherwise,
});

/** The Secret with the exporter's certificate. */
export const exporterSecret = (spec: MongoDBCommunity["spec"]): string => exporterHolder(spec).secret;

/** The Secrets with certificates of clients that a spec names, or has by default. */
export const certificateSecrets = (spec: MongoDBCommunity["spec"]): readonly string[] => [
  agentSecret(spec),
  backupHolder(spec).secret,
  exporterHolder(spec).secret,
];

/** Undefined where the agents log in with passwords, and while members have no certificates of their own. */
export async function readAgentCertificates(
  mongodb: MongoDBCommunity,
  ctx: SecretReader,
  { tls, wantedTls, operatorCertificate }: Pick<SetSecrets, "tls" | "wantedTls" | "operatorCertificate">,
): Promise<AgentCertificates | undefined> {
  if (!finalModes(mongodb).isX509Only || !tls) return undefined;
  const trust = { tls, ca: together(tls.ca, wantedTls?.ca ?? "") };
  const operator = { who: "the operator's", user: operatorCertificate?.user };
  const backup = await readApart(ctx, backupHolder(mongodb.spec), trust, [operator]);
  const others = [operator, { who: "the backups'", user: backup.login?.user }];
  return { backup, exporter: await readApart(ctx, exporterHolder(mongodb.spec), trust, others) };
}

/** A subject is a user: two holders of one subject would have the rights of both. */
async function readApart(
  ctx: SecretReader,
  holder: Holder,
  trust: Trust,
  others: readonly { readonly who: string; readonly user: string | undefined }[],
): Promise<ClientCertificate> {
  const found = await readClientCertificate(ctx, holder, trust);
  const same = found.login && others.find(({ user }) => user === found.login?.user);
  return same
    ? refused(
        "CertificateInvalid",
        `the certificate in the Secret ${holder.secret} has the subject of ${same.who}: issue it with another, since it shall have fewer rights`,
      )
    : found;
}

/** The users of the agents: each may do its work, and nothing else. */
export function agentUsers(
  { spec }: MongoDBCommunity,
  certificates: AgentCertificates | undefined,
): readonly WantedUser[] {
  const { backup, exporter } = certificates ?? {};
  return [
    ...(backup?.login ? [certifiedUser(backup.login.user, "backup")] : []),
    ...(exporter?.login && spec.prometheus ? [certifiedUser(exporter.login.user, "clusterMonitor")] : []),
  ];
}

const certifiedUser = (name: string, role: string): WantedUser => ({
  name,
  db: "$external",
  password: undefined,
  secret: undefined,
  roles: [{ role, db: "admin" }],
  mechanisms: [],
  isAgent: true,
});

/** What is wrong with certificates that the spec needs. */
export function agentProblems(
  { spec }: MongoDBCommunity,
  certificates: AgentCertificates | undefined,
): readonly TlsProblem[] {
  return [
    ...(spec.backup ? [certificates?.backup.problem] : []),
    ...(spec.prometheus ? [certificates?.exporter.problem] : []),
  ].flatMap((problem) => problem ?? []);
}

/** How an agent logs in, and the Secret with what it needs for that; a text says why it cannot. */
export async function agentLogin(
  mongodb: MongoDBCommunity,
  ctx: SecretReader,
  kind: "backup" | "restore",
): Promise<{ readonly login: AgentLogin; readonly secret: string } | string> {
  const { name } = placeOf(mongodb);
  if (!finalModes(mongodb).isX509Only)
    return { login: { user: operatorUser, db: "admin" }, secret: operatorSecret(name) };
  const tls = await mountedMaterial(ctx, name);
  const own = await readOperatorCertificate(mongodb, ctx, tls, tls?.ca ?? "");
  const material = { tls, wantedTls: undefined, operatorCertificate: own.login };
  const certificates = await readAgentCertificates(mongodb, ctx, material);
  // A user that restores users can make any: a certificate with fewer rights would not have fewer.
  const [found, secret] =
    kind === "restore"
      ? [own, agentSecret(mongodb.spec)]
      : [certificates?.backup, backupHolder(mongodb.spec).secret];
  if (found?.login) return { login: { user: found.login.user, db: "$external" }, secret };
  return (
    found?.problem?.message ??
    `${name} takes no passwords, and the operator has no certificate: set security.authentication.agentMode to X509`
  );
}
