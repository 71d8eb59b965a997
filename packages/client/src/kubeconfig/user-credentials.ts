// The credentials that a user entry stands for.
import type { Clock } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import { certificateCredentials, pemReader } from "../credentials/client-certificate.js";
import { basic, bearer, type Credentials, staticCredentials } from "../credentials/credentials.js";
import { execCredentials } from "../credentials/exec-plugin.js";
import { type OidcTokens, oidcCredentials } from "../credentials/oidc.js";
import { tokenFileCredentials } from "../credentials/token-file.js";
import type { AuthProvider, Environment, KubeCluster, KubeUser } from "./kubeconfig.js";

export interface UserContext {
  /** `user "dev"`, for messages. */
  readonly name: string;
  readonly cluster: KubeCluster;
  readonly clock: Clock;
  readonly env: Environment;
  /** A person sits at the terminal. */
  readonly interactive: boolean;
  readonly onOidcTokens?: ((tokens: OidcTokens) => void) | undefined;
}

/** The credentials of a user of a kubeconfig. */
export function userCredentials(user: KubeUser, context: UserContext): Credentials {
  const ways = [user.exec, user.authProvider, user.token ?? user.tokenFile, user.username];
  if (ways.filter((way) => way !== undefined).length > 1) {
    throw new ConfigError(
      `${context.name}: only one of exec, auth-provider, token and username may be given`,
    );
  }
  const others = headerCredentials(user, context);
  const { cert, key } = user;
  if (cert === undefined && key === undefined) return others;
  if (cert === undefined || key === undefined) {
    throw new ConfigError(`${context.name}: client-certificate and client-key are needed together`);
  }
  return certificateCredentials(cert, key, context.clock, others);
}

function headerCredentials(user: KubeUser, context: UserContext): Credentials {
  const { cluster, clock, env, interactive } = context;
  if (user.exec) {
    const describe = (): Promise<Record<string, unknown>> => clusterInfo(cluster, clock);
    return execCredentials({ config: user.exec, cluster: describe, env, interactive, clock });
  }
  if (user.authProvider) return providerCredentials(user.authProvider, context);
  // A file goes before a token: it is the one that rotates.
  if (user.tokenFile !== undefined) return tokenFileCredentials(user.tokenFile, clock);
  if (user.token !== undefined) return staticCredentials(bearer(user.token));
  if (user.username !== undefined) return staticCredentials(basic(user.username, user.password ?? ""));
  return staticCredentials({});
}

/** The `spec.cluster` of the ExecCredential that an exec plugin receives. */
async function clusterInfo(cluster: KubeCluster, clock: Clock): Promise<Record<string, unknown>> {
  const ca = cluster.ca && (await pemReader(cluster.ca, "certificate authority", clock)());
  return {
    server: cluster.server,
    "tls-server-name": cluster.tlsServerName,
    "insecure-skip-tls-verify": cluster.insecureSkipTlsVerify,
    "certificate-authority-data": ca && Buffer.from(ca).toString("base64"),
    "proxy-url": cluster.proxyUrl,
    "disable-compression": cluster.disableCompression,
    config: cluster.execConfig,
  };
}

function providerCredentials({ name, config }: AuthProvider, context: UserContext): Credentials {
  if (name !== "oidc") {
    const remedy = "use an exec plugin instead";
    throw new ConfigError(
      `${context.name}: auth-provider ${name} is no longer part of Kubernetes; ${remedy}`,
    );
  }
  const issuer = config["idp-issuer-url"];
  const clientId = config["client-id"];
  if (!issuer || !clientId) {
    throw new ConfigError(`${context.name}: auth-provider oidc needs idp-issuer-url and client-id`);
  }
  return oidcCredentials({
    issuer,
    clientId,
    clientSecret: config["client-secret"] || undefined,
    idToken: config["id-token"] || undefined,
    refreshToken: config["refresh-token"] || undefined,
    issuerCa: issuerCa(config, context.clock),
    clock: context.clock,
    onTokens: context.onOidcTokens,
  });
}

function issuerCa(config: AuthProvider["config"], clock: Clock): (() => Promise<string>) | undefined {
  const data = config["idp-certificate-authority-data"];
  const path = config["idp-certificate-authority"];
  const what = "certificate authority of the OIDC issuer";
  if (data) return pemReader({ data: Buffer.from(data, "base64").toString("utf8") }, what, clock);
  return path ? pemReader({ path }, what, clock) : undefined;
}
