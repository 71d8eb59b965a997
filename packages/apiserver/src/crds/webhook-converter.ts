// Conversion by a webhook: the ConversionReview request, and the checks of its response.

import { type CustomResourceDefinition, cloneJson, deepFreeze } from "@kubewright/api";
import type { DraftObject } from "@kubewright/kinds";

import type { Services } from "../registry/request-context.js";
import { callInTime } from "../webhook-client/webhook-caller.js";
import { conversionFailure, gvkText, isJson, restored } from "./converted-object.js";
import type { Converter } from "./converter.js";

/** The timeout of a conversion webhook; the API has no field for it. */
const timeout = 30_000;

/** The converter of a CRD whose conversion strategy is Webhook. */
export function webhookConverter(crd: CustomResourceDefinition, services: Services): Converter {
  const webhook = crd.spec.conversion?.webhook;
  const reviewVersion = webhook?.conversionReviewVersions?.find(
    (name) => name === "v1" || name === "v1beta1",
  );
  const ask = async (
    objects: readonly DraftObject[],
    desiredAPIVersion: string,
    signal: AbortSignal | undefined,
  ): Promise<unknown> => {
    if (!reviewVersion) throw new Error("no supported conversion review versions");
    const uid = services.newUid();
    const answer = await callInTime(services, {
      endpoint: webhook?.clientConfig ?? {},
      body: {
        kind: "ConversionReview",
        apiVersion: `apiextensions.k8s.io/${reviewVersion}`,
        request: { uid, desiredAPIVersion, objects: deepFreeze(cloneJson(objects)) },
        response: { uid: "", convertedObjects: null, result: { metadata: {} } },
      },
      timeout,
      signal,
    });
    return convertedObjects(answer, reviewVersion, uid);
  };
  return {
    async convert(objects, apiVersion, signal) {
      const others = objects.filter((object) => object.apiVersion !== apiVersion);
      const [first] = others;
      if (!first) return objects;
      const answers = await ask(others, apiVersion, signal).catch((error: unknown) => {
        throw conversionFailure(first, `failed: ${error instanceof Error ? error.message : String(error)}`);
      });
      const converted = checkAll(others, answers, apiVersion);
      let next = 0;
      return objects.map((object) =>
        object.apiVersion === apiVersion ? object : (converted[next++] ?? object),
      );
    },
  };
}

/** The objects of a response. Throws an error that says what is wrong with it. */
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
    throw conversionFailure(first, `returned ${list.length} objects, expected ${asked.length}`);
  // kube-apiserver converts one object at a time and reports errors about that object.
  return asked.map((original, index) => restored(original, list[index], apiVersion));
}
