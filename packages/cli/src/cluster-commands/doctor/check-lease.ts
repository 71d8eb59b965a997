// Whether somebody else holds the lease, in which case this operator waits.
import { isForbidden, isNotFound, Lease } from "@kubewright/api";
import { usesLeader } from "../../manifests/rbac.js";
import { managerPods } from "../deployed-operator.js";
import { type Check, ok, type Patient, warning } from "./finding.js";

const check = "leader";

/** The lease is free, or a replica of the deployed operator holds it. */
export const checkLease: Check = async (patient) => {
  const { client, operator } = patient;
  if (!usesLeader(operator.definition)) return [ok(check, "it elects none")];
  const { leaderElection } = operator.definition;
  const stated = typeof leaderElection === "object" ? leaderElection : {};
  const name = stated.leaseName ?? operator.names.manager;
  const namespace = stated.namespace ?? operator.settings.namespace;
  try {
    const { spec } = await client.get(Lease, name, { namespace });
    const holder = spec?.holderIdentity ?? "";
    const until = Date.parse(spec?.renewTime ?? "") + (spec?.leaseDurationSeconds ?? 0) * 1000;
    if (holder === "" || !(until > Date.now()))
      return [ok(check, `nobody holds the lease ${namespace}/${name}`)];
    if (await isOwnPod(patient, holder)) return [ok(check, `${holder} leads`)];
    return [
      warning(
        check,
        `${holder} holds the lease ${namespace}/${name} until ${new Date(until).toISOString()}`,
        "another copy of the operator runs: stop it, or wait for it to end",
      ),
    ];
  } catch (error) {
    if (isForbidden(error))
      return [{ check, state: "unknown", message: `you may not read the lease ${namespace}/${name}` }];
    if (!isNotFound(error)) throw error;
    return [ok(check, `nobody holds the lease ${namespace}/${name}`)];
  }
};

/** Replicas call themselves by the name of their pod and something random. */
async function isOwnPod({ client, operator }: Patient, holder: string): Promise<boolean> {
  const pods = await managerPods(client, operator);
  return pods.some(({ metadata }) => holder.startsWith(`${metadata?.name}_`));
}
