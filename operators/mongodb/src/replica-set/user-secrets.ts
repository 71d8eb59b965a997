// What users need to log in: a Secret with connection strings for each, and one with what the password became, as version 0.5.0 of
// MongoDB's operator names them.
import { Secret } from "@kubewright/api";
import { defaultUserDatabase, type MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import type { UserInfo } from "../client/commands.js";
import type { Context } from "./context.js";
import {
  addressOf,
  clusterLabel,
  labelsOf,
  managedBy,
  placeOf,
  podName,
  serviceName,
  userLabel,
} from "./names.js";
import { isNewestSpec } from "./newest.js";
import type { Observed, WantedUser } from "./observed.js";
import { uriOf } from "./status.js";
import { external } from "./wanted-users.js";

type SpecUser = MongoDBCommunity["spec"]["users"][number];

export async function keepUserSecrets(
  mongodb: MongoDBCommunity,
  ctx: Context,
  observed: Observed,
): Promise<void> {
  if (!observed.inside) return;
  const kept = new Set<string>();
  for (const user of mongodb.spec.users) {
    const { name, db = defaultUserDatabase } = user;
    const wanted = observed.wanted.users.find((each) => each.name === name && each.db === db);
    const stored = observed.inside.users.find((each) => each.user === name && each.db === db);
    if (!wanted) continue;
    const connection = connectionSecretName(mongodb, user);
    kept.add(connection);
    // Without the password the strings that were made before stay.
    if (stored && (wanted.password !== undefined || db === external))
      await ctx.apply(Secret, secretOf(mongodb, connection, connectionStrings(mongodb, observed, wanted)));
    if (!user.scramCredentialsSecretName || db === external) continue;
    const credentials = `${user.scramCredentialsSecretName}-scram-credentials`;
    kept.add(credentials);
    if (stored) await ctx.apply(Secret, secretOf(mongodb, credentials, credentialsIn(stored)));
  }
  const surplus = ctx
    .children(Secret)
    .filter(({ metadata }) => metadata?.labels?.[userLabel] && !kept.has(metadata.name ?? ""));
  // They cannot be made again where the password is gone: an older spec deletes none.
  if (surplus.length > 0 && (await isNewestSpec(mongodb, ctx)))
    for (const secret of surplus) await ctx.delete(Secret, secret);
}

/** The default is a name that Kubernetes takes, whatever characters the user's has. */
export function connectionSecretName(
  mongodb: MongoDBCommunity,
  { name, db = defaultUserDatabase, connectionStringSecretName }: SpecUser,
): string {
  if (connectionStringSecretName) return connectionStringSecretName;
  const plain = `${placeOf(mongodb).name}-${db}-${name}`.toLowerCase().replace(/-*[^a-z0-9-]+-*/g, "-");
  return plain.replace(/^-+|-+$/g, "").slice(0, 253);
}

/** A user of $external shows a certificate, which the client has: its strings hold no secret. */
function connectionStrings(
  mongodb: MongoDBCommunity,
  { wanted }: Observed,
  { name, db, password }: WantedUser,
): Readonly<Record<string, string>> {
  const place = placeOf(mongodb);
  const isExternal = db === external;
  const login = isExternal ? "" : `${encodeURIComponent(name)}:${encodeURIComponent(password ?? "")}@`;
  const isSecure = mongodb.spec.security.tls?.enabled === true;
  const source = `&authSource=${encodeURIComponent(db)}${isExternal ? "&authMechanism=MONGODB-X509" : ""}`;
  // Those that are wanted: a list that changes with every step would start applications again and again.
  const hosts = Array.from({ length: wanted.members }, (_, ordinal) =>
    addressOf(place, podName(place.name, ordinal)),
  );
  const host = `${serviceName(place.name)}.${place.namespace}.svc.cluster.local`;
  return {
    username: name,
    ...(isExternal ? {} : { password: password ?? "" }),
    "connectionString.standard":
      uriOf(mongodb, hosts).replace("mongodb://", `mongodb://${login}`) +
      (isSecure ? "&tls=true" : "") +
      source,
    "connectionString.standardSrv": `mongodb+srv://${login}${host}/?replicaSet=${place.name}&ssl=${isSecure}${source}`,
  };
}

function credentialsIn({ credentials }: UserInfo): Readonly<Record<string, string>> {
  const data: Record<string, string> = {};
  const [old, recent] = [credentials["SCRAM-SHA-1"], credentials["SCRAM-SHA-256"]];
  if (old)
    Object.assign(data, {
      "sha1-salt": old.salt,
      "sha-1-server-key": old.serverKey,
      "sha-1-stored-key": old.storedKey,
    });
  if (recent)
    Object.assign(data, {
      "sha256-salt": recent.salt,
      "sha-256-server-key": recent.serverKey,
      "sha-256-stored-key": recent.storedKey,
    });
  return data;
}

function secretOf(mongodb: MongoDBCommunity, secret: string, data: Readonly<Record<string, string>>) {
  const { name } = placeOf(mongodb);
  return {
    metadata: {
      name: secret,
      labels: { ...managedBy, [clusterLabel]: labelsOf(name)[clusterLabel] ?? name, [userLabel]: "true" },
    },
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "utf8").toString("base64")]),
    ),
  };
}
