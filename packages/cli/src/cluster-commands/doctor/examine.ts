// Everything the doctor looks at, in the order in which it would stop an operator.
import { checkKinds, checkReachable, checkVersion } from "./check-cluster.js";
import { checkDeployment } from "./check-deployment.js";
import { checkLease } from "./check-lease.js";
import { checkPermissions } from "./check-permissions.js";
import { checkServedVersions } from "./check-served-versions.js";
import { checkWebhooks } from "./check-webhooks.js";
import type { Check, Finding, Patient } from "./finding.js";

const checks: readonly Check[] = [
  checkVersion,
  checkKinds,
  checkServedVersions,
  checkPermissions,
  checkDeployment,
  checkWebhooks,
  checkLease,
];

/** A cluster that does not answer is asked nothing else. A check that cannot be done is told as such. */
export async function examine(patient: Patient): Promise<readonly Finding[]> {
  const findings = [...(await checkReachable(patient))];
  if (findings.some(({ state }) => state === "problem")) return findings;
  for (const check of checks)
    findings.push(
      ...(await check(patient).catch((error: unknown): readonly Finding[] => [
        {
          check: "access",
          state: "unknown",
          message: error instanceof Error ? error.message : String(error),
        },
      ])),
    );
  return findings;
}
