// DeleteOptions, from the body of a DELETE or from its query parameters.

import { type FieldError, fieldError, goQuote, isObject } from "@kubewright/api";
import { badRequest, invalid } from "@kubewright/kinds";
import {
  adoptObject,
  builtInDecoder,
  type DecodedBody,
  decodeBody,
  type MutableObject,
} from "@kubewright/machinery";

import { booleanParameter, integerParameter } from "../request/query-parameters.js";
import { headerOf, type RequestContext } from "./request-context.js";
import { dryRunErrors } from "./write-options.js";

export type PropagationPolicy = "Orphan" | "Background" | "Foreground";

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: PropagationPolicy | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: {
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
  readonly dryRun: boolean;
}

/** The body wins over the query when there is one. */
export function deleteOptions(context: RequestContext): DeleteOptions {
  const inBody = optionsFromBody(context);
  const raw = inBody ?? optionsFromQuery(context.query);
  const { propagationPolicy, orphanDependents, gracePeriodSeconds } = raw;
  const dryRun = Array.isArray(raw["dryRun"]) ? raw["dryRun"].map(String) : [];
  const errors = deleteOptionErrors({ propagationPolicy, orphanDependents, dryRun });
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  const preconditions = isObject(raw["preconditions"]) ? raw["preconditions"] : {};
  return {
    gracePeriodSeconds: isInteger(gracePeriodSeconds) ? gracePeriodSeconds : undefined,
    propagationPolicy: isPolicy(propagationPolicy) ? propagationPolicy : undefined,
    orphanDependents: typeof orphanDependents === "boolean" ? orphanDependents : undefined,
    preconditions: {
      uid: text(preconditions["uid"]),
      resourceVersion: text(preconditions["resourceVersion"]),
    },
    dryRun: dryRun.length > 0,
  };
}

/** Fields of 64 bits are typed as numbers, and are bigints beyond 2^53. */
const isInteger = (value: unknown): value is number => typeof value === "number" || typeof value === "bigint";

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const gvk = { group: "", version: "v1", kind: "DeleteOptions" };
const decoder = builtInDecoder(gvk);

function optionsFromBody(context: RequestContext): MutableObject | undefined {
  const { body } = context.request;
  if (!body || (body.kind === "bytes" && body.bytes.length === 0)) return undefined;
  if (body.kind === "object" && (body.value === undefined || body.value === null)) return undefined;
  const decoded: Pick<DecodedBody, "value" | "literals"> =
    body.kind === "object"
      ? { value: adoptObject(body.value), literals: undefined }
      : decodeBody(body.bytes, headerOf(context, "content-type"), {
          gvk,
          reportDuplicates: false,
          unreadable: badRequest,
        });
  const { value, literals } = decoded;
  const problem = kindProblem(value) ?? decoder.normalize(value, literals).error;
  if (problem !== undefined) throw badRequest(problem);
  return value;
}

/** Options travel under any group version; what is no options at all is refused in the words of Go. */
function kindProblem({ kind, apiVersion }: MutableObject): string | undefined {
  for (const [field, value] of Object.entries({ apiVersion, kind })) {
    const found = typeof value === "boolean" ? "bool" : Array.isArray(value) ? "array" : typeof value;
    if (value !== null && found !== "undefined" && found !== "string")
      return `couldn't get version/kind; json parse error: json: cannot unmarshal ${found} into Go struct field .${field} of type string`;
  }
  if (!kind || kind === "DeleteOptions") return undefined;
  const scheme = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";
  return `no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(apiVersion ?? ""))} in scheme ${goQuote(scheme)}`;
}

/** Preconditions stand in the query under the names they have in an object. */
function optionsFromQuery(query: URLSearchParams): MutableObject {
  const options: MutableObject = { dryRun: query.getAll("dryRun"), preconditions: {} };
  const grace = integerParameter(query, "gracePeriodSeconds");
  if (grace !== undefined) options["gracePeriodSeconds"] = grace;
  const policy = query.get("propagationPolicy");
  if (policy !== null) options["propagationPolicy"] = policy;
  const orphan = booleanParameter(query, "orphanDependents");
  if (orphan !== undefined) options["orphanDependents"] = orphan;
  options["preconditions"] = Object.fromEntries(
    ["uid", "resourceVersion"].flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])),
  );
  return options;
}

/** The errors of contradictory delete options. */
export const deleteOptionErrors = (options: {
  readonly propagationPolicy?: unknown;
  readonly orphanDependents?: unknown;
  readonly dryRun?: readonly string[] | undefined;
}): FieldError[] => [
  ...policyErrors(options.propagationPolicy, options.orphanDependents),
  ...dryRunErrors(options.dryRun ?? []),
];

function policyErrors(policy: unknown, orphan: unknown): FieldError[] {
  if (policy === undefined || policy === null) return [];
  const errors: FieldError[] = [];
  if (orphan !== undefined && orphan !== null)
    errors.push(
      fieldError.invalid(
        "propagationPolicy",
        policy,
        "orphanDependents and deletionPropagation cannot be both set",
      ),
    );
  if (!isPolicy(policy))
    errors.push(
      fieldError.notSupported("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]),
    );
  return errors;
}

const isPolicy = (value: unknown): value is PropagationPolicy =>
  value === "Orphan" || value === "Background" || value === "Foreground";
