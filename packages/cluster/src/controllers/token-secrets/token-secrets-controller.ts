// Secrets of type service-account-token are filled with a token of their account, and go with it.
import { isNotFound, Secret, ServiceAccount } from "@kubewright/api";
import { keyOf, objectKey } from "@kubewright/runtime";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { accountName, accountUid, planSecret, tokenType } from "./token-secret.js";

/** Such tokens last; they end with their Secret. */
const tokenSeconds = 2 ** 32;

export const tokenSecretsController: BuiltInController = {
  name: "serviceaccount-token",
  async start(environment) {
    const { client } = environment;
    const loop = new SyncLoop(environment, { name: "serviceaccount-token", sync });
    const secrets = loop.watch(Secret, ({ key, current }) => (current?.type === tokenType ? [key] : []));
    const accounts = loop.watch(ServiceAccount, ({ previous, current }) => {
      const account = current ?? previous;
      if (previous && current) return [];
      return secrets
        .list({ namespace: account?.metadata?.namespace })
        .filter((secret) => nameIn(secret) === account?.metadata?.name)
        .map(objectKey);
    });
    const unsubscribe = environment.onRootCertificate?.(() => {
      for (const secret of secrets.list()) if (secret.type === tokenType) loop.add(objectKey(secret));
    });
    const running = await loop.start();
    return {
      close: () => {
        unsubscribe?.();
        return running.close();
      },
    };

    async function sync(key: string): Promise<undefined> {
      const secret = secrets.get(key);
      const name = secret && nameIn(secret);
      if (!secret || !name || secret.metadata?.deletionTimestamp) return;
      const { namespace } = secret.metadata ?? {};
      const account = accounts.get(keyOf(name, namespace));
      const plan = planSecret(secret, account, environment.rootCertificate());
      if (plan === "delete") await remove(secret);
      else if (plan !== "nothing" && account) await fill(secret, account, plan);
    }

    async function fill(
      secret: Secret,
      account: ServiceAccount,
      { needsToken, data }: { readonly needsToken: boolean; readonly data: Readonly<Record<string, string>> },
    ): Promise<void> {
      const { name: accountId = "", uid = "" } = account.metadata ?? {};
      const token = needsToken ? { token: await tokenFor(secret, accountId) } : {};
      const annotations = { ...secret.metadata?.annotations, [accountUid]: uid };
      await client.update(Secret, {
        ...secret,
        metadata: { ...secret.metadata, annotations },
        data: { ...secret.data, ...data, ...token },
      });
    }

    async function tokenFor({ metadata }: Secret, account: string): Promise<string> {
      const { name, namespace, uid } = metadata ?? {};
      const boundObjectRef = { apiVersion: "v1", kind: Secret.kind, name, uid };
      const spec = { audiences: [], expirationSeconds: tokenSeconds, boundObjectRef };
      const { status } = await client.live.createToken(account, spec, { namespace });
      return Buffer.from(status?.token ?? "").toString("base64");
    }

    async function remove({ metadata }: Secret): Promise<void> {
      const { name = "", namespace, uid } = metadata ?? {};
      await client.delete(Secret, name, { namespace, preconditions: { uid } }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  },
};

const nameIn = ({ type, metadata }: Secret): string | undefined =>
  type === tokenType ? metadata?.annotations?.[accountName] : undefined;
