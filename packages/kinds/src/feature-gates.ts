// Features that Kubernetes 1.36 has and leaves off, as far as there is something behind them here.
import { defaultOf } from "./known-feature-gates.js";

/** The feature gates that can be opened, by their names in `--feature-gates`. */
export const featureGates = ["MaxUnavailableStatefulSet"] as const;

/** The name of a feature gate. */
export type FeatureGate = (typeof featureGates)[number];

/**
 * Reads settings as kube-apiserver takes them, `Name=true` or `Name=false`; a name alone opens its gate. Returns the gates to open. Throws
 * SyntaxError, in the words of kube-apiserver, for what it would refuse, and for gates that differ from their default with nothing behind them.
 */
export function parseFeatureGates(settings: readonly string[]): readonly FeatureGate[] {
  const open = new Set<FeatureGate>();
  for (const setting of settings) {
    const [name = "", text] = setting.split(/=(.*)/, 2);
    const isOpen = text === undefined || parseBool(name, text);
    const known = defaultOf(name);
    const own = featureGates.find((gate) => gate === name);
    if (known === undefined) throw new SyntaxError(`unrecognized feature gate: ${name}`);
    if (own && isOpen) open.add(own);
    else if (own) open.delete(own);
    else if (isOpen !== known)
      throw new SyntaxError(
        `feature gate ${name} is always ${known} here; those that can be set are ${featureGates.join(", ")}`,
      );
  }
  return [...open];
}

/** As Go reads a boolean. */
function parseBool(name: string, text: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false;
  const reason = `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw new SyntaxError(`invalid value of ${name}=${text}, err: ${reason}`);
}
