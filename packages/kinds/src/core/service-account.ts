// ServiceAccounts: identities for programs.
import type { ServiceAccount } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";

const mountable = "kubernetes.io/enforce-mountable-secrets";
const deprecated = `metadata.annotations[${mountable}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;

export const serviceAccounts: BuiltInKind = {
  resource: "serviceaccounts",
  strategy: {
    metadata: { onUpdate: ["update", "object"] },
    returnsDeleted: true,
    prepareForCreate: keepOnlyNames,
    prepareForUpdate: keepOnlyNames,
    warnings({ metadata }, old) {
      const now = metadata.annotations?.[mountable];
      return now === "true" && old?.metadata.annotations?.[mountable] !== now ? [deprecated] : [];
    },
  },
};

/** Secrets are referred to by name alone. */
function keepOnlyNames(object: DraftObject): void {
  const account = draftAs<ServiceAccount>(object);
  if (account.secrets)
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
