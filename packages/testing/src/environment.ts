// The same suite against a real cluster, by the environment: the one place of this package that reads it.
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { type TestCluster, testCluster } from "./test-cluster.js";
import type { TestClusterOptions } from "./test-cluster-options.js";

/** True when the suite runs against a real cluster: `KUBEWRIGHT_TEST_REAL=1`. */
export function isRealCluster(): boolean {
  return !["", "0", "false"].includes(process.env["KUBEWRIGHT_TEST_REAL"] ?? "");
}

/**
 * A test cluster in this process; or, with `KUBEWRIGHT_TEST_REAL=1`, the cluster that `KUBECONFIG` names, in a namespace of
 * its own. Tests that advance time or inject faults ask `isRealCluster()` first.
 */
export async function testClusterFromEnvironment(options: TestClusterOptions = {}): Promise<TestCluster> {
  if (!isRealCluster()) return testCluster(options);
  const config = await loadKubeConfig({ env: process.env });
  const { clock: _virtual, ...rest } = options;
  return testCluster({ ...rest, connect: (settings) => clientFromKubeConfig(config, settings) });
}
