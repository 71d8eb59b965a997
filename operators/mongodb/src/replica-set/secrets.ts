// The Secrets that members and the operator share: the key file by which members know each other, the operator's own user, and the
// configuration files. The key file is kept twice, so that one Secret that is deleted is made again from the other: another key would
// part the members that have been started with it from those that have not.
import { randomBytes } from "node:crypto";
import { type Pod, Secret } from "@kubewright/api";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import type { Context } from "./context.js";
import { hashOf } from "./hash.js";
import { type MongodConfig, mongodConfig } from "./mongod-config.js";
import { configSecret, keyFileSecret, labelsOf, operatorSecret, operatorUser, placeOf } from "./names.js";
import {
  authorityFile,
  certificateFile,
  certificateSecret,
  isThere,
  keepCertificate,
  modeIn,
  nextMode,
  readTls,
  type TlsMaterial,
} from "./tls.js";

export interface SetSecrets {
  readonly keyFile: string;
  readonly password: string;
  readonly config: MongodConfig;
  /** The text of each configuration file that a pod may have been started with. */
  readonly files: ReadonlyMap<string, string>;
  readonly tls: TlsMaterial | undefined;
  /** Why TLS cannot be had as asked. */
  readonly tlsProblem: string | undefined;
}

const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");
const decode = (secret: Secret | undefined, key: string): string | undefined => {
  const value = secret?.data?.[key];
  return value ? Buffer.from(value, "base64").toString("utf8") : undefined;
};

/** mongod takes 6 to 1024 characters of base64. */
const newKeyFile = (): string => randomBytes(756).toString("base64");
const newPassword = (): string => randomBytes(24).toString("base64url");

export async function keepSecrets(mongodb: MongoDBCommunity, ctx: Context): Promise<SetSecrets> {
  const { name } = placeOf(mongodb);
  const known = await read(ctx, name, false);
  // Nothing is made anew because a cache was late.
  const found = known.keyFile && known.password ? known : await read(ctx, name, true);
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
    keyFile: decode(own, "keyfile") ?? decode(operator, "keyfile"),
    password: decode(operator, "password"),
  };
}

/** The file of the present configuration, beside those of pods that were started with another. */
async function keepConfig(
  mongodb: MongoDBCommunity,
  ctx: Context,
): Promise<Pick<SetSecrets, "config" | "files" | "tls" | "tlsProblem">> {
  const { name } = placeOf(mongodb);
  const reading = await readTls(mongodb, ctx);
  const present = await ctx.get(Secret, configSecret(name));
  const used = new Set(ctx.pods().flatMap((pod) => configFileOf(pod) ?? []));
  const modes = ctx
    .pods()
    .filter(isThere)
    .map((pod) => modeIn(decode(present, configFileOf(pod) ?? "")));
  const final = reading.kind === "ready" ? reading.final : "disabled";
  // Where something is missing, members go on as they are.
  const mode = reading.kind === "missing" ? (modes[0] ?? "disabled") : nextMode(final, modes);
  const config = mongodConfig(mongodb, mode);
  const files = new Map([[config.file, config.text]]);
  const tls = reading.kind === "ready" ? reading.material : await lastMaterial(ctx, name);
  if (reading.kind === "ready") await keepCertificate(mongodb, ctx, reading.material);
  for (const file of Object.keys(present?.data ?? {})) {
    const text = used.has(file) ? decode(present, file) : undefined;
    if (text !== undefined) files.set(file, text);
  }
  const data = Object.fromEntries([...files].map(([file, text]) => [file, encode(text)]));
  await ctx.apply(Secret, { ...secretOf(name, configSecret(name), {}), data });
  return { config, files, tls, tlsProblem: reading.kind === "missing" ? reading.message : undefined };
}

/** What members were started with, while TLS is given up or its Secret is missing. */
async function lastMaterial(ctx: Context, name: string): Promise<TlsMaterial | undefined> {
  const secret = await ctx.get(Secret, certificateSecret(name));
  const [ca, certificateKey] = [decode(secret, authorityFile), decode(secret, certificateFile)];
  return ca && certificateKey
    ? { ca, certificateKey, fingerprint: hashOf(`${certificateKey}${ca}`) }
    : undefined;
}

const secretOf = (name: string, secret: string, data: Readonly<Record<string, string>>) => ({
  metadata: { name: secret, labels: labelsOf(name) },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encode(value)])),
});

/** The configuration file that a pod was started with. */
export function configFileOf({ spec }: Pod): string | undefined {
  const script = spec?.containers.find((each) => each.name === "mongod")?.command?.at(-1) ?? "";
  return /--config \S*\/(\S+)/.exec(script)?.[1];
}
