// Removes requests for certificates that have served their purpose, or never will.
import { CertificateSigningRequest, isNotFound } from "@kubewright/api";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { requestExpiry } from "./request-expiry.js";

export const certificateSigningCleaner: BuiltInController = {
  name: "csrcleaner",
  start(environment) {
    const loop = new SyncLoop(environment, { name: "csrcleaner", sync });
    const requests = loop.watch(CertificateSigningRequest, ({ key, current }) => (current ? [key] : []));
    return loop.start();

    async function sync(key: string): Promise<number | undefined> {
      const request = requests.get(key);
      if (!request || request.metadata?.deletionTimestamp) return undefined;
      const left = requestExpiry(request) - environment.clock.now();
      if (left > 0) return left;
      await environment.client.delete(CertificateSigningRequest, key).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      return undefined;
    }
  },
};
