// Whether the deployed operator runs, and if not, why.
import { deploymentReport, isSimulated, simulationNotice } from "../deployment-report.js";
import { type Check, ok, problem } from "./finding.js";

const check = "deployment";

/** It is available, or it is not deployed at all. */
export const checkDeployment: Check = async ({ client, operator }) => {
  const { namespace } = operator.settings;
  const report = await deploymentReport(client, operator);
  if (!report) return [ok(check, `it is not deployed in ${namespace}`)];
  const counts = `${report.ready} of ${report.replicas} replicas are ready`;
  if (report.isAvailable && report.problems.length === 0) {
    const notice = (await isSimulated(client)) ? `; ${simulationNotice}` : "";
    return [ok(check, `${counts} in ${namespace}${notice}`)];
  }
  if (report.problems.length === 0)
    return [problem(check, `${counts} in ${namespace}`, `kubectl -n ${namespace} get events`)];
  return report.problems.map(({ message, details, remedy }) =>
    problem(check, [message, ...details].join("; "), remedy),
  );
};
