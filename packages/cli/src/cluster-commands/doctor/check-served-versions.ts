// Whether objects of the kinds can be read in every version that is served: a conversion that nobody does keeps everybody from it.
import { CustomResourceDefinition, isForbidden, isNotFound } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { type Check, type Finding, ok, problem } from "./finding.js";

const check = "versions";

/** One object is read in each version. */
export const checkServedVersions: Check = async ({ client, operator }) => {
  const findings = await Promise.all(
    operator.kinds.map(({ plural, group }) => checkKind(client, `${plural}.${group}`)),
  );
  return findings.flat();
};

async function checkKind(client: Client, name: string): Promise<readonly Finding[]> {
  const crd = await client.get(CustomResourceDefinition, name).catch((error: unknown) => {
    // That it is missing, or may not be read, is another check's finding.
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  });
  const served = crd?.spec.versions.filter((version) => version.served) ?? [];
  if (!crd || served.length < 2) return [];
  const findings = await Promise.all(served.map((version) => checkVersion(client, crd, version.name)));
  const failed = findings.filter((finding) => finding !== undefined);
  if (failed.length > 0) return failed;
  return [ok(check, `${name} can be read in ${served.map((version) => version.name).join(", ")}`)];
}

async function checkVersion(
  client: Client,
  { spec }: CustomResourceDefinition,
  version: string,
): Promise<Finding | undefined> {
  const name = `${spec.names.plural}.${version}.${spec.group}`;
  try {
    const apiVersion = `${spec.group}/${version}`;
    const resource = await client.resource({ apiVersion, kind: spec.names.kind });
    await client.list(resource, { limit: 1 });
    return undefined;
  } catch (error) {
    if (isForbidden(error)) return { check, state: "unknown", message: `you may not list ${name}` };
    const text = error instanceof Error ? error.message : String(error);
    return problem(
      check,
      `${name} cannot be read: ${text}`,
      "start the operator, which converts it: kubewright deploy, or kubewright run",
    );
  }
}
