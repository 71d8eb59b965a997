// Conversion by a webhook, and the distrust its answers deserve: whatever it says, identity and history of an object stay as
// they were; only labels, annotations and what stands beside metadata are its to convert.
import {
  type CustomResourceDefinition,
  deepFreeze,
  parseApiVersion,
  validateAnnotations,
  validateLabels,
} from "@kubewright/api";
import { adoptObject, isObject } from "../codec/index.js";
import type { Services } from "../request/context.js";
import { cloneJson, type DraftObject } from "../request/draft.js";
import { unexplained } from "../request/failures.js";
import type { Converter } from "./converter.js";

/** Nobody says how long a conversion may take; a client waits no longer than this. */
const timeout = 30_000;

type Json = Readonly<Record<string, unknown>>;

/** The converter of a definition whose versions a webhook knows. */
export function webhookConverter(definition: CustomResourceDefinition, services: Services): Converter {
  const webhook = definition.spec.conversion?.webhook;
  const reviewVersion = webhook?.conversionReviewVersions?.find(
    (name) => name === "v1" || name === "v1beta1",
  );
  const ask = async (objects: readonly DraftObject[], desiredAPIVersion: string): Promise<unknown> => {
    if (!reviewVersion) throw new Error("no supported conversion review versions");
    const uid = services.newUid();
    const answer = await services.callWebhook({
      endpoint: webhook?.clientConfig ?? {},
      body: {
        kind: "ConversionReview",
        apiVersion: `apiextensions.k8s.io/${reviewVersion}`,
        request: { uid, desiredAPIVersion, objects: deepFreeze(cloneJson(objects)) },
        response: { uid: "", convertedObjects: null, result: { metadata: {} } },
      },
      timeout,
    });
    return convertedObjects(answer, reviewVersion, uid);
  };
  return {
    async convert(objects, apiVersion) {
      const others = objects.filter((object) => object.apiVersion !== apiVersion);
      const [first] = others;
      if (!first) return objects;
      const answers = await ask(others, apiVersion).catch((error: unknown) => {
        throw failure(first, `failed: ${error instanceof Error ? error.message : String(error)}`);
      });
      const converted = checkAll(others, answers, apiVersion);
      let next = 0;
      return objects.map((object) =>
        object.apiVersion === apiVersion ? object : (converted[next++] ?? object),
      );
    },
  };
}

/** The objects of an answer. Throws with the words for what is wrong with it. */
function convertedObjects(answer: unknown, reviewVersion: string, uid: string): unknown {
  if (!isJson(answer)) throw new Error("no response provided");
  const { kind, apiVersion, response } = answer;
  if (reviewVersion === "v1" && (kind !== "ConversionReview" || apiVersion !== "apiextensions.k8s.io/v1")) {
    throw new Error(
      `expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${gvkText(answer)}`,
    );
  }
  if (!isJson(response)) throw new Error("no response provided");
  if (reviewVersion === "v1" && response["uid"] !== uid)
    throw new Error(`expected response.uid="${uid}", got ${JSON.stringify(response["uid"] ?? "")}`);
  const { status, message } = isJson(response["result"]) ? response["result"] : {};
  if (status !== "Success") {
    if (typeof message === "string" && message !== "") throw new Error(message);
    throw new Error(`response.result.status was '${status ?? ""}', not 'Success'`);
  }
  return response["convertedObjects"];
}

function checkAll(asked: readonly DraftObject[], answers: unknown, apiVersion: string): DraftObject[] {
  const list: readonly unknown[] = Array.isArray(answers) ? answers : [];
  const [first] = asked;
  if (first && list.length !== asked.length)
    throw failure(first, `returned ${list.length} objects, expected ${asked.length}`);
  return asked.map((original, index) => {
    try {
      return checked(original, list[index], apiVersion);
    } catch (error) {
      const where = asked.length === 1 ? "invalid object" : `invalid converted object at index ${index}`;
      throw failure(original, `returned ${where}: ${error instanceof Error ? error.message : error}`);
    }
  });
}

function checked(original: DraftObject, answer: unknown, apiVersion: string): DraftObject {
  if (!isJson(answer)) throw new Error("Object 'Kind' is missing");
  const { metadata } = answer;
  if (answer["apiVersion"] !== apiVersion)
    throw new Error(`invalid groupVersion (expected ${apiVersion}, received ${answer["apiVersion"] ?? ""})`);
  if (answer["kind"] !== original.kind)
    throw new Error(`invalid kind (expected ${original.kind}, received ${answer["kind"] ?? ""})`);
  if (!isJson(metadata)) throw new Error("missing metadata in converted object");
  for (const [field, label] of identity) {
    const before = original.metadata[field] ?? "";
    const after = metadata[field] ?? "";
    if (before !== after) throw new Error(`must have the same ${label}: ${before} != ${after}`);
  }
  const converted = adoptObject(answer) as unknown as DraftObject;
  converted.metadata = { ...cloneJson(original.metadata), ...ownMaps(metadata, original) };
  for (const field of ["labels", "annotations"] as const)
    if (metadata[field] === undefined || metadata[field] === null) delete converted.metadata[field];
  return converted;
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

/** Labels and annotations as the webhook wants them. */
function ownMaps(metadata: Json, original: DraftObject): Record<string, Record<string, string>> {
  const maps: Record<string, Record<string, string>> = {};
  for (const field of ["labels", "annotations"] as const) {
    const value = metadata[field];
    if (value === undefined || value === null) continue;
    if (!isObject(value)) throw new Error(`invalid metadata.${field} in converted object`);
    for (const [key, text] of Object.entries(value)) {
      if (typeof text !== "string")
        throw new Error(`metadata.${field}[${key}] must be a string in converted object`);
    }
    const map = Object.fromEntries(Object.entries(value)) as Record<string, string>;
    checkMap(field, map, original.metadata[field] ?? {});
    maps[field] = map;
  }
  return maps;
}

/** Maps the webhook changed must be valid; those it only passed on need not be. */
function checkMap(
  field: "labels" | "annotations",
  map: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): void {
  const keys = Object.keys(map);
  const isSame = keys.length === Object.keys(before).length && keys.every((key) => map[key] === before[key]);
  if (isSame) return;
  const check = field === "labels" ? validateLabels : validateAnnotations;
  const errors = check(map, `metadata.${field}`);
  if (errors.length > 0)
    throw new Error(errors.map((error) => `${error.field}: ${error.message}`).join(", "));
}

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function gvkText({ apiVersion, kind }: { readonly apiVersion?: unknown; readonly kind?: unknown }): string {
  const { group = "", version = "" } = parseApiVersion(String(apiVersion ?? "")) ?? {};
  return `${group}/${version}, Kind=${kind ?? ""}`;
}

const failure = (object: DraftObject, what: string) =>
  unexplained(`conversion webhook for ${gvkText(object)} ${what}`);
