// The client suite against the cluster of KUBECONFIG. Only `npm run test:real` runs it, so that nobody's cluster is
// touched by accident.
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { describe } from "vitest";
import { clientSuite } from "../client-suite.js";

describe.skipIf(process.env["KUBEWRIGHT_TEST_REAL"] !== "1")("a real cluster", () => {
  clientSuite(async () => {
    const warnings: string[] = [];
    const config = await loadKubeConfig({ env: process.env });
    const client = clientFromKubeConfig(config, { onWarning: (text) => warnings.push(text) });
    return { client, warnings, close: () => client.close() };
  });
});
