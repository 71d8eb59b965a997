// The CustomResourceDefinition of a kind with conversions: its conversion strategy, or only its CA bundle.
//
// A manager that is reached by URL runs for a while. It records in an annotation how the kind was converted before, and restores
// that when it stops; after one that was killed, the next one does.
import { CustomResourceDefinition, isObject, type KubeObject } from "@kubewright/api";
import type { ConversionDefinition } from "./define-conversion.js";
import {
  type Correction,
  deployedElsewhere,
  includes,
  isAtService,
  type KeptObject,
  targetOf,
} from "./kept-object.js";
import { type ClientConfigOf, conversionBy } from "./webhook-configurations.js";

/** Holds the conversion before, as JSON. */
export const conversionBefore = "kubewright.dev/conversion-before";

type Json = Readonly<Record<string, unknown>>;

/** `part` is what the manager applies: the whole conversion, or only the CA bundle of one that others have applied. */
export function convertedKind(
  { hub }: ConversionDefinition,
  clientConfig: () => ClientConfigOf,
  part: "whole" | "bundle",
): KeptObject {
  const name = `${hub.plural}.${hub.group}`;
  const wanted = (): Json => conversionBy(clientConfig()) as unknown as Json;
  const stated = (): Json => (part === "whole" ? wanted() : onlyBundle(wanted()));
  return {
    resource: CustomResourceDefinition,
    name,
    correction(found) {
      const actual = conversionIn(found);
      if (!found || includes(actual, stated())) return undefined;
      if (part === "bundle")
        return actual?.["strategy"] === "Webhook" ? patch(found, name, { conversion: stated() }) : undefined;
      if (isTemporary(wanted()) && isDeployed(actual))
        return () => Promise.reject(deployedElsewhere("CustomResourceDefinition", name));
      return patch(found, name, { conversion: replacing(wanted()), before: noteFor(found, wanted()) });
    },
    release(found) {
      const note = annotationOf(found);
      if (!found || note === undefined || !includes(conversionIn(found), wanted())) return undefined;
      return patch(found, name, { conversion: replacing(parsed(note)), before: null });
    },
    target: (found) => targetOf(clientConfigIn(conversionIn(found))),
  };
}

interface Change {
  readonly conversion: Json;
  /** The annotation: a text to set it, null to remove it, undefined to leave it alone. */
  readonly before?: string | null | undefined;
}

function patch(found: KubeObject, name: string, { conversion, before }: Change): Correction {
  const { resourceVersion } = found.metadata ?? {};
  const annotations = before === undefined ? {} : { annotations: { [conversionBefore]: before } };
  const merge = { metadata: { resourceVersion, ...annotations }, spec: { conversion } };
  return (client) => client.patch(CustomResourceDefinition, name, { merge });
}

/** The annotation to set before the conversion is changed: none for permanent changes, or when an earlier manager has set it. */
function noteFor(found: KubeObject, wanted: Json): string | undefined {
  if (!isTemporary(wanted) || annotationOf(found) !== undefined) return undefined;
  return JSON.stringify(conversionIn(found) ?? { strategy: "None" });
}

/** As a merge patch that leaves nothing of another client config behind. */
function replacing(conversion: Json): Json {
  const { webhook } = conversion;
  if (!isObject(webhook)) return { ...conversion, webhook: null };
  const nothing = { url: null, service: null, caBundle: null };
  const clientConfig = { ...nothing, ...(isObject(webhook["clientConfig"]) ? webhook["clientConfig"] : {}) };
  return { ...conversion, webhook: { ...webhook, clientConfig } };
}

const isTemporary = (wanted: Json): boolean => {
  const clientConfig = clientConfigIn(wanted);
  return isObject(clientConfig) && clientConfig["url"] !== undefined;
};

/** The API server has a CA bundle for the Service, so an operator has been deployed behind it. */
function isDeployed(conversion: Json | undefined): boolean {
  const clientConfig = clientConfigIn(conversion);
  return isAtService(clientConfig) && isObject(clientConfig) && Boolean(clientConfig["caBundle"]);
}

function onlyBundle(wanted: Json): Json {
  const clientConfig = clientConfigIn(wanted);
  const caBundle = isObject(clientConfig) ? clientConfig["caBundle"] : undefined;
  return caBundle === undefined ? {} : { webhook: { clientConfig: { caBundle } } };
}

const clientConfigIn = (conversion: Json | undefined): unknown =>
  isObject(conversion?.["webhook"]) ? conversion["webhook"]["clientConfig"] : undefined;

function conversionIn(definition: KubeObject | undefined): Json | undefined {
  const spec = definition && "spec" in definition && isObject(definition.spec) ? definition.spec : {};
  return isObject(spec["conversion"]) ? spec["conversion"] : undefined;
}

const annotationOf = (found: KubeObject | undefined): string | undefined =>
  found?.metadata?.annotations?.[conversionBefore];

/** Somebody may have edited the annotation; the strategy is then `None`. */
function parsed(note: string): Json {
  try {
    const conversion: unknown = JSON.parse(note);
    return isObject(conversion) ? conversion : { strategy: "None" };
  } catch {
    return { strategy: "None" };
  }
}
