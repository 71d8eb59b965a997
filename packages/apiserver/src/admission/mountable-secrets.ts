// The annotation kubernetes.io/enforce-mountable-secrets of service accounts: pods may use only the secrets that the account lists.
import type { Container, EphemeralContainer, Pod, ServiceAccount } from "@kubewright/api";

const annotation = "kubernetes.io/enforce-mountable-secrets";
/** The texts that Go's strconv.ParseBool takes as true. */
const yes = new Set(["1", "t", "T", "TRUE", "true", "True"]);

/** Whether the account enforces its list. */
export const limitsSecrets = ({ metadata }: ServiceAccount): boolean =>
  yes.has(metadata?.annotations?.[annotation] ?? "");

/** The message about the first secret of a pod that its account does not list. */
export function forbiddenSecret(account: ServiceAccount, { spec }: Pick<Pod, "spec">): string | undefined {
  const listed = namesOf(account.secrets);
  const why = reasonOf(account);
  for (const { secret } of spec?.volumes ?? [])
    if (secret && !listed.has(secret.secretName))
      return `volume with secret.secretName="${secret.secretName ?? ""}" ${why}`;
  const found =
    inContainers("init container", spec?.initContainers, account) ??
    inContainers("container", spec?.containers, account);
  if (found) return found;
  const pulled = namesOf(account.imagePullSecrets);
  const index = (spec?.imagePullSecrets ?? []).findIndex(({ name }) => !pulled.has(name));
  if (index < 0) return undefined;
  const name = spec?.imagePullSecrets?.[index]?.name ?? "";
  return `imagePullSecrets[${index}].name="${name}" ${reasonOf(account, "imagePullSecret")}`;
}

/** The same of ephemeral containers, which come later. */
export const forbiddenToEphemeral = (
  account: ServiceAccount,
  { spec }: Pick<Pod, "spec">,
): string | undefined => inContainers("ephemeral container", spec?.ephemeralContainers, account);

function inContainers(
  what: string,
  containers: readonly (Container | EphemeralContainer)[] = [],
  account: ServiceAccount,
): string | undefined {
  const listed = namesOf(account.secrets);
  const why = reasonOf(account);
  for (const { name, env, envFrom } of containers) {
    for (const { name: variable, valueFrom } of env ?? []) {
      const secret = valueFrom?.secretKeyRef;
      if (secret && !listed.has(secret.name))
        return `${what} ${name} with envVar ${variable} referencing secret.secretName="${secret.name ?? ""}" ${why}`;
    }
    for (const { secretRef } of envFrom ?? [])
      if (secretRef && !listed.has(secretRef.name))
        return `${what} ${name} with envFrom referencing secret.secretName="${secretRef.name ?? ""}" ${why}`;
  }
  return undefined;
}

const namesOf = (
  references: readonly { readonly name?: string | undefined }[] = [],
): ReadonlySet<string | undefined> => new Set(references.map(({ name }) => name));

const reasonOf = ({ metadata }: ServiceAccount, what = "secret"): string =>
  `is not allowed because service account ${metadata?.name} does not reference that ${what}`;
