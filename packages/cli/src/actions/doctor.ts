import { ConfigError } from "@kubewright/client";
import { type ContextChoice, connect } from "../cluster-commands/connect.js";
import { deployedOperator } from "../cluster-commands/deployed-operator.js";
import { checkKinds, checkReachable, checkVersion } from "../cluster-commands/doctor/check-cluster.js";
import { checkLease } from "../cluster-commands/doctor/check-lease.js";
import { checkPermissions } from "../cluster-commands/doctor/check-permissions.js";
import { checkWebhooks } from "../cluster-commands/doctor/check-webhooks.js";
import { type Check, type Finding, type Patient, problem } from "../cluster-commands/doctor/finding.js";
import { type Action, exitStatus } from "../command.js";
import type { DoctorFlags } from "../commands/doctor.js";
import type { Operator } from "../manifests/operator.js";
import { printResult } from "../output.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { coloursFor } from "../terminal.js";

const checks: readonly Check[] = [checkVersion, checkKinds, checkPermissions, checkWebhooks, checkLease];

/** Does what `kubewright doctor` says. */
export const doctorAction: Action<DoctorFlags> = async ({ values }) => {
  const { root, definition } = await loadProject(projectRoot());
  const operator = deployedOperator(root, definition, values);
  const findings = await examineOn(values, operator);
  await printResult(values.output, { findings }, () => shown(findings));
  return findings.some(({ state }) => state === "problem") ? exitStatus.wanting : exitStatus.done;
};

/** No kubeconfig to speak of is the first thing that would stop the operator. */
async function examineOn(choice: ContextChoice, operator: Operator): Promise<readonly Finding[]> {
  const connection = await connect(choice).catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  if (connection instanceof ConfigError)
    return [
      problem(
        "reachable",
        connection.message,
        "kubewright cluster starts a cluster and writes a kubeconfig for it",
      ),
    ];
  const { client, description } = connection;
  try {
    return await examine({ client, cluster: description, operator });
  } finally {
    await client.close();
  }
}

/** A cluster that does not answer is asked nothing else. A check that cannot be done is told as such. */
async function examine(patient: Patient): Promise<readonly Finding[]> {
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

function shown(findings: readonly Finding[]): string {
  const { green, yellow, red, dim } = coloursFor();
  const marks = {
    ok: green("ok     "),
    warning: yellow("warning"),
    problem: red("problem"),
    unknown: dim("unknown"),
  };
  return findings
    .flatMap(({ check, state, message, remedy }) => [
      `${marks[state]}  ${check.padEnd(12)} ${message}`,
      ...(remedy === undefined ? [] : [`${" ".repeat(22)} → ${remedy}`]),
    ])
    .join("\n");
}
