// Whether the cluster can be reached, whether it is of a version we support, and whether it has the kinds.
import { isForbidden, isUnauthorized } from "@kubewright/api";
import { type KindState, kindStates } from "../kind-states.js";
import { remedyFor } from "../remedies.js";
import { type Check, type Finding, ok, problem, warning } from "./finding.js";

/** The server answers, and knows who asks. */
export const checkReachable: Check = async ({ client, cluster }) => {
  try {
    await client.raw("/version", { timeout: 10_000 });
    await client.raw("/api", { timeout: 10_000 });
    return [ok("reachable", `${cluster} answers`)];
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (isForbidden(error)) return [ok("reachable", `${cluster} answers`)];
    const message = isUnauthorized(error) ? `${cluster} does not accept the credentials` : text;
    const remedy = remedyFor(error) ?? "check that the cluster is up: kubectl version";
    return [problem("reachable", message, remedy)];
  }
};

const oldest = 29;
const oldestSupported = 33;
const newest = 36;

/** The server is of a version that this one is made for. */
export const checkVersion: Check = async ({ client }) => {
  const answer: unknown = await client.raw("/version");
  const { gitVersion = "", minor = "" } = isVersion(answer) ? answer : {};
  const number = Number.parseInt(minor, 10);
  const about = `the server is ${gitVersion || "of an unknown version"}`;
  if (Number.isNaN(number)) return [warning("version", about, "nothing, if the rest works")];
  if (number < oldest)
    return [problem("version", `${about}; 1.${oldest} is the oldest that works`, "upgrade the cluster")];
  if (number < oldestSupported)
    return [
      warning(
        "version",
        `${about}; features it lacks are not used`,
        `upgrade to 1.${oldestSupported} or newer`,
      ),
    ];
  if (number > newest)
    return [warning("version", `${about}, newer than the newest known (1.${newest})`, "upgrade kubewright")];
  return [ok("version", about)];
};

const isVersion = (value: unknown): value is { readonly gitVersion?: string; readonly minor?: string } =>
  typeof value === "object" && value !== null;

/** The kinds are there, and as the code has them. */
export const checkKinds: Check = async ({ client, operator }) => {
  const own = await kindStates(client, operator.kinds);
  const others = await kindStates(client, operator.others);
  return [...own.map(ownFinding), ...others.map(otherFinding)];
};

function ownFinding({ name, state, differences }: KindState): Finding {
  if (state === "missing") return problem("kinds", `${name} is not installed`, "kubewright install");
  if (state === "older")
    return problem(
      "kinds",
      `${name} is not as the code has it: ${differences.join("; ")}`,
      "kubewright install",
    );
  return ok("kinds", `${name} is installed`);
}

/** How others define their kind is theirs to say; that they define it at all is needed. */
function otherFinding({ name, state }: KindState): Finding {
  if (state !== "missing") return ok("kinds", `${name} is installed`);
  return problem("kinds", `${name} is external and not installed`, "install the operator it comes with");
}
