import { resolve } from "node:path";
import { DataDirectoryInUseError, type Rotatable, rotatable, rotateDirectory } from "@kubewright/cluster";
import { defineCommand, type Options, UsageError } from "../command.js";
import { type RotationRequest, requestRotation } from "../run/rotation-request.js";
import { durationOf } from "./option-values.js";

const options = {
  "data-dir": {
    type: "string",
    value: "DIR",
    description: "the data directory of the cluster, which may be running (required)",
  },
  "accept-for": {
    type: "string",
    value: "24h",
    description: "how long the old keys stay valid; 0s for not at all (default: a year, tokens 1h)",
  },
} as const satisfies Options;

/** `kubewright cluster rotate`: new keys for a cluster. */
export const clusterRotateCommand = defineCommand({
  example: "kubewright cluster rotate ca --data-dir ./data",
  options,
  positionals: {
    usage: "[ca] [service-account-key] [token]",
    choices: ["ca", "service-account-key", "token"],
  },
  async run({ values, positionals }) {
    if (!values["data-dir"])
      throw new UsageError("--data-dir is required: the data directory of the cluster");
    const directory = resolve(values["data-dir"]);
    const acceptFor = durationOf(values["accept-for"], "accept-for", { zero: true });
    const named = rotatable.filter((name) => positionals.includes(name));
    const what: readonly Rotatable[] = named.length > 0 ? named : rotatable;
    const isRunning = await rotate(directory, { what, acceptFor });
    const where = isRunning
      ? "in use now, and the kubeconfig of the cluster was written again"
      : "in use from the next start of the cluster on";
    process.stdout.write(`rotated: ${what.join(", ")}; ${where}\n`);
    return 0;
  },
});

/** Whether the cluster runs. */
async function rotate(directory: string, request: RotationRequest): Promise<boolean> {
  try {
    await rotateDirectory(directory, request);
    return false;
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error;
    if (await requestRotation(directory, request)) return true;
    throw new Error(`${error.message} (it was asked for new keys, and did not answer)`);
  }
}
