// The Secrets that members and the operator share: the key file by which members know each other, the operator's own user, and the
// configuration files. The key file is kept twice, so that one Secret that is deleted is made again from the other: another key would
// part the members that have been started with it from those that have not.
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { Pod, Secret } from "@kubewright/api";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { together } from "../client/pem.js";
import { membershipProblem } from "./certificate-check.js";
import type { ClientCertificate } from "./client-certificate.js";
import type { Context } from "./context.js";
import { type MongodConfig, mongodConfig } from "./mongod-config.js";
import {
  clusterLabel,
  configSecret,
  keyFileSecret,
  labelsOf,
  operatorSecret,
  operatorUser,
  placeOf,
} from "./names.js";
import { readOperatorCertificate } from "./operator-certificate.js";
import { textIn } from "./secret-text.js";
import { finalModes, modesIn, nextModes, type SecurityModes } from "./security-modes.js";
import {
  keepCertificate,
  mountedMaterial,
  readTls,
  type TlsMaterial,
  type TlsProblem,
  type TlsReading,
} from "./tls.js";

export interface SetSecrets {
  readonly keyFile: string;
  readonly password: string;
  readonly config: MongodConfig;
  /** The text of each configuration file that a pod may have been started with. */
  readonly files: ReadonlyMap<string, string>;
  /** What members mount. */
  readonly tls: TlsMaterial | undefined;
  /** What they shall mount in the end. */
  readonly wantedTls: TlsMaterial | undefined;
  /** Why TLS, or the operator's login with a certificate, cannot be had as asked. */
  readonly tlsProblem: TlsProblem | undefined;
  /** Nothing can be started, or logged in to, before that is mended. */
  readonly isTlsMissing: boolean;
  readonly operatorCertificate: ClientCertificate["login"];
}

const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");

/** mongod takes 6 to 1024 characters of base64. */
const newKeyFile = (): string => randomBytes(756).toString("base64");
const newPassword = (): string => randomBytes(24).toString("base64url");

export async function keepSecrets(mongodb: MongoDBCommunity, ctx: Context): Promise<SetSecrets> {
  const { name } = placeOf(mongodb);
  const known = await read(ctx, name, false);
  // Nothing is made anew because a cache was late.
  const isWhole = known.hasKeyFileSecret && known.hasOperatorSecret && known.keyFile && known.password;
  const found = isWhole ? known : await read(ctx, name, true);
  const keyFile = found.keyFile ?? newKeyFile();
  const password = found.password ?? newPassword();
  if (!found.hasKeyFileSecret)
    await ctx.create(Secret, secretOf(name, keyFileSecret(name), { keyfile: keyFile }));
  if (!found.hasOperatorSecret)
    await ctx.create(
      Secret,
      secretOf(name, operatorSecret(name), { username: operatorUser, password, keyfile: keyFile }),
    );
  return { keyFile, password, ...(await keepConfig(mongodb, ctx)) };
}

async function read(ctx: Context, name: string, live: boolean) {
  const [own, operator] = await Promise.all([
    ctx.get(Secret, keyFileSecret(name), { live }),
    ctx.get(Secret, operatorSecret(name), { live }),
  ]);
  return {
    hasKeyFileSecret: own !== undefined,
    hasOperatorSecret: operator !== undefined,
    keyFile: textIn(own, "keyfile") ?? textIn(operator, "keyfile"),
    password: textIn(operator, "password"),
  };
}

/** What members were started with, and what they mount. */
interface Starts {
  readonly pods: readonly Pod[];
  /** The Secret with the configuration files. */
  readonly present: Secret | undefined;
  readonly mounted: TlsMaterial | undefined;
}

async function readStarts(mongodb: MongoDBCommunity, ctx: Context, live: boolean): Promise<Starts> {
  const { name, namespace } = placeOf(mongodb);
  const labelSelector = `${clusterLabel}=${name}`;
  return {
    pods: live ? await ctx.list(Pod, { namespace, labelSelector, live }) : ctx.pods(),
    present: await ctx.get(Secret, configSecret(name), { live }),
    mounted: await mountedMaterial(ctx, name, live),
  };
}

type ConfigSecrets = Omit<SetSecrets, "keyFile" | "password">;

/** Nothing changes on an older view: members that it does not show would lose the files and the certificate that they were started with. */
async function keepConfig(mongodb: MongoDBCommunity, ctx: Context): Promise<ConfigSecrets> {
  const { name } = placeOf(mongodb);
  const seen = await readStarts(mongodb, ctx, false);
  const planned = await planConfig(mongodb, ctx, seen);
  const isChanged = !isKept(planned, seen);
  const starts = isChanged ? await readStarts(mongodb, ctx, true) : seen;
  const config = isChanged ? await planConfig(mongodb, ctx, starts) : planned;
  if (config.tls && config.tls !== starts.mounted) await keepCertificate(mongodb, ctx, config.tls);
  await ctx.apply(Secret, secretOf(name, configSecret(name), Object.fromEntries(config.files)));
  return config;
}

const isKept = ({ files, tls }: ConfigSecrets, { present, mounted }: Starts): boolean =>
  isDeepStrictEqual(tls, mounted) &&
  isDeepStrictEqual(
    new Map(files),
    new Map(Object.keys(present?.data ?? {}).map((file) => [file, textIn(present, file)])),
  );

/** The file of the present configuration, beside those of pods that were started with another. */
async function planConfig(
  mongodb: MongoDBCommunity,
  ctx: Context,
  { pods, present, mounted }: Starts,
): Promise<ConfigSecrets> {
  const used = new Set(pods.flatMap((pod) => configFileOf(pod) ?? []));
  const started = pods
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .map((pod) => modesIn(textIn(present, configFileOf(pod) ?? "")));
  const reading = knownToMembers(await readTls(mongodb, ctx), mounted, started);
  const wantedTls = reading.kind === "ready" ? reading.material : undefined;
  // While any member uses what is mounted, it is exchanged by a step; see certificate-exchange.ts.
  const tls = isUsed(mounted, started) ? mounted : (wantedTls ?? mounted);
  const ca = together(...[tls, wantedTls].flatMap((each) => (each ? [each.ca] : [])));
  const certificate = await readOperatorCertificate(mongodb, ctx, tls, ca);
  // Where something is missing, members go on as they are.
  const [own] = started;
  const isTlsMissing =
    certificate.problem !== undefined || (reading.kind === "refused" && !isUsed(tls, started));
  const config = mongodConfig(mongodb, isTlsMissing && own ? own : nextModes(finalModes(mongodb), started));
  const files = new Map([[config.file, config.text]]);
  for (const file of Object.keys(present?.data ?? {})) {
    const text = used.has(file) ? textIn(present, file) : undefined;
    if (text !== undefined) files.set(file, text);
  }
  const tlsProblem = reading.kind === "refused" ? reading.problem : certificate.problem;
  return { config, files, tls, wantedTls, tlsProblem, isTlsMissing, operatorCertificate: certificate.login };
}

/** What members would not know each other by is refused. */
function knownToMembers(
  reading: TlsReading,
  mounted: TlsMaterial | undefined,
  started: readonly SecurityModes[],
): TlsReading {
  const isNeeded = started.some(({ clusterAuth }) => clusterAuth !== "keyFile");
  if (reading.kind !== "ready" || !mounted || !isNeeded) return reading;
  const message = membershipProblem(mounted.certificateKey, reading.material.certificateKey);
  return message === undefined
    ? reading
    : { kind: "refused", problem: { reason: "CertificateInvalid", message } };
}

const isUsed = (mounted: TlsMaterial | undefined, started: readonly SecurityModes[]): boolean =>
  mounted !== undefined && started.some(({ tls }) => tls !== "disabled");

const secretOf = (name: string, secret: string, data: Readonly<Record<string, string>>) => ({
  metadata: { name: secret, labels: labelsOf(name) },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encode(value)])),
});

/** The configuration file that a pod was started with. */
export function configFileOf({ spec }: Pod): string | undefined {
  const script = spec?.containers.find((each) => each.name === "mongod")?.command?.at(-1) ?? "";
  return /--config \S*\/(\S+)/.exec(script)?.[1];
}
