// Bodies of things done to a pod (bindings, evictions): decoded like objects, stored nowhere.
import { ApiError, apiVersionOf, type GroupVersionKind } from "@kubewright/api";
import {
  type BodyReaders,
  bodySteps,
  decodingSteps,
  nativeTarget,
  type ParsedYaml,
  parseJson,
  parseYaml,
} from "../../codec/index.js";
import type { SubresourceResult } from "../../registry/resource-kind.js";
import type { WriteOptions } from "../../registry/write-options.js";
import { headerOf, type RequestContext } from "../../request/context.js";

/** Decodes the body as one kind, in any of the versions it is accepted in; the first one has the facts. */
export async function decodeAction<T>(
  context: RequestContext,
  accepted: readonly [GroupVersionKind, ...GroupVersionKind[]],
  options: Pick<WriteOptions, "fieldValidation">,
): Promise<T> {
  const target = nativeTarget(accepted[0]);
  const readers = accepted.length === 1 ? context.readers : remembering(context.readers);
  const said = accepted.length === 1 ? undefined : saidVersion(context, accepted[0], readers);
  const gvk = accepted.find((candidate) => apiVersionOf(candidate) === said) ?? accepted[0];
  const contentType = headerOf(context, "content-type");
  const { value, warnings } = decodingSteps(
    context.request.body,
    contentType,
    { ...target, gvk },
    options.fieldValidation,
    readers,
  );
  context.warnings.push(...warnings);
  return value as unknown as T;
}

/** Looking for the version changes nothing, so the body need not be read twice. */
function remembering({
  readJson = parseJson,
  readYaml = parseYaml,
  ...others
}: BodyReaders = {}): BodyReaders {
  let json: ReturnType<typeof parseJson> | undefined;
  let yaml: ParsedYaml | undefined;
  return {
    ...others,
    readJson: (bytes) => (json ??= readJson(bytes, true)),
    readYaml: (bytes) => (yaml ??= readYaml(bytes)),
  };
}

function saidVersion(
  context: RequestContext,
  gvk: GroupVersionKind,
  readers: BodyReaders | undefined,
): unknown {
  const { body } = context.request;
  if (body?.kind === "object") return (body.value as Record<string, unknown> | null)?.["apiVersion"];
  const options = { gvk, reportDuplicates: false, readers };
  const bytes = body?.bytes ?? new Uint8Array();
  const { value } = bodySteps(bytes, headerOf(context, "content-type"), options);
  return value["apiVersion"];
}

/** What an action is answered with. */
export const done: SubresourceResult = {
  status: 201,
  object: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
};

/** A failure the server has no reason for: 500 with nothing but its text. */
export const plainFailure = (message: string): ApiError =>
  new ApiError(message, { code: 500, reason: "Unknown" });
